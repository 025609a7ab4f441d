-- Code chunks in LaTeX. Everything here is raw LaTeX in one string: code must
-- not pass through pandoc's own line filling.

local tex = require 'tex'
local highlight = require 'highlight'

local chunks = {}

-- ⟨name 12⟩ as a link to the chunk.
function chunks.name_link(chunk)
  return tex.link(chunk.id, ('\\chunkname{%s}{%d}'):format(tex.text(chunk.name),
    chunk.number))
end

local macro = { comment = 'kc', string = 'ks', keyword = 'kk', directive = 'kd' }

function chunks.runs(runs, book, own)
  local out = {}
  for _, run in ipairs(runs) do
    local kind, text, reference, class = run[1], run[2], run[3], run[4]
    local target = book and kind == 'id' and book.by_label[reference]
    local group = book and kind == 'use' and book.groups[text]
    if group then
      out[#out + 1] = chunks.name_link(group.chunks[1])
    elseif target and target ~= own then
      out[#out + 1] = ('\\idlink{%s}{%s}'):format(target.id, tex.code(text))
    elseif macro[class] then
      out[#out + 1] = ('\\%s{%s}'):format(macro[class], tex.code(text))
    else
      out[#out + 1] = tex.code(text)
    end
  end
  return table.concat(out)
end

-- One line of code: its indentation in characters, then the rest.
function chunks.line(runs, book, own)
  local indent = ''
  if runs[1] and runs[1][1] == 'text' then
    local rest
    indent, rest = runs[1][2]:match '^(%s*)(.*)$'
    runs = { { 'text', rest, nil, runs[1][4] }, table.unpack(runs, 2) }
  end
  return ('\\codeline{%d}{%s}\n'):format(#indent, chunks.runs(runs, book, own))
end

local function join(list, each)
  local out = {}
  for i, item in ipairs(list) do
    if i > 1 then out[#out + 1] = i == #list and ' and ' or ', ' end
    out[#out + 1] = each(item)
  end
  return table.concat(out)
end

local function page(chunk) return tex.link(chunk.id, '\\pageref*{' .. chunk.id .. '}') end

-- "page 3" or "pages 3, 7 and 9" for the indexes; LaTeX knows which are the same. In
-- the text before them such a list could change its length with the page breaks that
-- it makes, and never settle.
function chunks.pages(list)
  local labels = {}
  for i, chunk in ipairs(list) do labels[i] = chunk.id end
  return '\\pagelist{' .. table.concat(labels, ',') .. '}'
end

local function number(chunk) return tex.link(chunk.id, tostring(chunk.number)) end

-- Numbers of chunks; of many, the first ones and how many more.
local function some(list)
  local shown = {}
  for i = 1, math.min(#list, #list > 10 and 8 or 10) do shown[i] = list[i] end
  if #shown == #list then return join(list, number) end
  for i, chunk in ipairs(shown) do shown[i] = number(chunk) end
  return ('%s and %d more'):format(table.concat(shown, ', '), #list - #shown)
end

local function footer(chunk)
  local group, out, later = chunk.group, {}, {}
  local function say(format, ...) out[#out + 1] = format:format(...) end
  for _, other in ipairs(group.chunks) do
    if other.number > chunk.number and (chunk == group.chunks[1] or #later == 0) then
      later[#later + 1] = other
    end
  end
  if chunk ~= group.chunks[1] then say('Continues from page~%s.', page(group.chunks[1])) end
  if #later > 0 then say('Continued on page~%s.', join(later, page)) end
  if #group.used > 0 then
    say('Used in %s.', join(group.used, function(user)
      return ('%s on page~%s'):format(chunks.name_link(user), page(user))
    end))
  end
  local defines = {}
  for i, name in ipairs(chunk.defines) do
    local used = chunk.uses[name] or {}
    defines[i] = ('\\code{%s}%s'):format(tex.code(name),
      #used > 0 and ', used in ' .. some(used) or '')
  end
  if #defines > 0 then say('Defines %s.', table.concat(defines, '; ')) end
  return table.concat(out, '\n')
end

function chunks.chunk(chunk, book)
  local group = chunk.group
  local lines = highlight.lines(chunk.lines, highlight.language(group.roots))
  local out = {}
  for i, line in ipairs(lines) do out[i] = chunks.line(line, book, chunk) end
  local place = tex.code(chunk.file:match '[^/]*$' .. ':' .. chunk.line)
  if not group.is_root then
    place = place .. ' $\\to$ ' .. tex.code(table.concat(group.roots, ', '))
  end
  return pandoc.RawBlock('latex', ('\\begin{chunk}{%s}{%s%s}{%s}\n%s\\end{chunk}\n' ..
    '\\chunkfoot{%s}'):format(chunk.id, chunks.name_link(group.chunks[1]),
    chunk == group.chunks[1] and '$\\equiv$' or '${+}{\\equiv}$', place,
    table.concat(out), footer(chunk)))
end

return chunks
