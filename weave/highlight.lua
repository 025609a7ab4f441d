-- Minimal highlighting that keeps noweb's links: the lines of a chunk come in
-- as runs (see tokens.lua), and go out as runs cut so that each has one class.
--
-- lines(chunk_lines, language) -> lists of {kind, text, reference, class, id = id},
-- class being nil or one of: comment, string, keyword, directive. Languages:
-- "c" and "gp"; anything else passes unchanged. Identifiers inside comments
-- and strings become plain text: there they are only words.

local highlight = {}

local function set(words)
  local s = {}
  for word in words:gmatch '%S+' do s[word] = true end
  return s
end

local keywords = {
  c = set [[ auto break case char const continue default do double else enum
    extern float for goto if inline int long register restrict return short
    signed sizeof static struct switch typedef union unsigned void volatile
    while _Bool _Alignas _Alignof _Generic _Noreturn _Static_assert bool true
    false NULL size_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t
    uint64_t FILE ]],
  gp = set [[ plot splot set unset load if else do for while using with title
    notitle print reset stats call axes lines points labels ]],
}

-- Finds the end of the string that opens at `from`; the line's end at most.
local function string_end(text, from)
  local mark, at = text:sub(from, from), from + 1
  while at <= #text do
    local c = text:sub(at, at)
    if c == '\\' then
      at = at + 1
    elseif c == mark then
      return at
    end
    at = at + 1
  end
  return #text
end

-- Returns the marks {from, to, class} of one line, and whether a block
-- comment is open after it.
local function scan(text, language, in_comment)
  local marks, at = {}, 1
  local function mark(to, class)
    marks[#marks + 1] = { at, to, class }
    at = to + 1
  end
  local function block_comment()
    local _, close = text:find('*/', in_comment and at or at + 2, true)
    in_comment = not close
    mark(close or #text, 'comment')
  end
  if language == 'c' and not in_comment and text:match '^%s*#' then
    local _, to = text:find '^%s*#%s*%a*'
    local include = text:match '^%s*#%s*include'
    mark(to, 'directive')
    local from, close = text:find('^%s*<[^>]*>', at)
    if include and from then mark(close, 'string') end
  end
  if in_comment then block_comment() end
  while at <= #text do
    local c, two = text:sub(at, at), text:sub(at, at + 1)
    if language == 'c' and two == '/*' then
      block_comment()
    elseif language == 'c' and two == '//' or language == 'gp' and c == '#' then
      mark(#text, 'comment')
    elseif c == '"' or c == "'" then
      mark(string_end(text, at), 'string')
    elseif c:match '[%a_]' then
      local _, to = text:find('^[%w_]+', at)
      mark(to, keywords[language][text:sub(at, to)] and 'keyword' or nil)
    elseif c:match '%d' then
      local _, to = text:find('^[%w_.]+', at)
      at = to + 1
    else
      at = at + 1
    end
  end
  return marks, in_comment
end

-- Cuts the runs of a line where a mark begins or ends.
local function cut(line, marks)
  local out, position, m = {}, 1, 1
  for _, run in ipairs(line) do
    local kind, text, reference = run[1], run[2], run[3]
    local stop = position + #text
    while position < stop do
      while marks[m] and marks[m][2] < position do m = m + 1 end
      local from, to, class = table.unpack(marks[m] or {})
      local upto = stop - 1
      if from and from > position then
        upto, class = math.min(upto, from - 1), nil
      elseif from then
        upto = math.min(upto, to)
      end
      if kind ~= 'text' then upto = stop - 1 end
      local piece = text:sub(position - stop + #text + 1, upto - stop + #text + 1)
      local word = class == 'comment' or class == 'string'
      local last = out[#out]
      if kind == 'use' then
        out[#out + 1] = { 'use', piece }
      elseif kind == 'id' and not word then
        out[#out + 1] = { 'id', piece, reference, class, id = run.id }
      elseif last and last[1] == 'text' and last[4] == class then
        last[2] = last[2] .. piece
      else
        out[#out + 1] = { 'text', piece, nil, class }
      end
      position = upto + 1
    end
  end
  return out
end

function highlight.lines(lines, language)
  if not keywords[language] then return lines end
  local out, in_comment = {}, false
  for i, line in ipairs(lines) do
    local words = {}
    for j, run in ipairs(line) do
      words[j] = run[1] == 'use' and ('\1'):rep(#run[2]) or run[2]
    end
    local marks
    marks, in_comment = scan(table.concat(words), language, in_comment)
    out[i] = cut(line, marks)
  end
  return out
end

-- The language of a chunk, from the names of the files it ends in.
function highlight.language(roots)
  local ending = (roots[1] or ''):match '%.(%w+)$'
  return ({ c = 'c', h = 'c', gp = 'gp' })[ending]
end

return highlight
