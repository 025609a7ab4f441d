-- noweb's token stream -> one table that describes the book.
--
-- The stream is what `weave/tokens.sh` prints: one token a line. This module is the
-- only one that knows its form. It counts source lines as it goes (`@file` starts at
-- 1; `@nl` and `@index nl` end a line), so that everything after it can say
-- `chapters/03-x.nw:45`.
--
-- parse(stream) returns
--   chapters     {file, tokens = its part of the stream, items}, items being what the
--                chapter holds, in order:
--                  {docs = text, line} or {code = index into chunks}
--   chunks       {name, label, file, line, lines, defines}; `line` is the line
--                of <<name>>=, and line i of the code is source line + i.
--                A line is a list of runs {kind, text}; kind is "text", "use" (of
--                the chunk called text) or "id" (an identifier)
--   identifiers  {name, defs = labels of chunks}, sorted by name
-- Prose quoted as [[code]] comes out as `code`{.c} inside the docs text.

local tokens = {}

-- Wraps quoted code in enough backticks for Markdown.
local function quoted(code)
  local longest = 0
  for run in code:gmatch '`+' do longest = math.max(longest, #run) end
  local fence = ('`'):rep(longest + 1)
  local pad = (longest > 0 or code:match '^ .* $') and ' ' or ''
  return fence .. pad .. code .. pad .. fence .. '{.c}'
end

-- Appends to a code line, joining plain text with plain text.
local function add_run(line, kind, text)
  local last = line[#line]
  if kind == 'text' and last and last[1] == 'text' then
    last[2] = last[2] .. text
  elseif text ~= '' then
    line[#line + 1] = { kind, text }
  end
end

-- Sorted without regard to case first.
local function by_name(a, b)
  local x, y = a.name:lower(), b.name:lower()
  if x ~= y then return x < y end
  return a.name < b.name
end

function tokens.parse(stream)
  local book = { chapters = {}, chunks = {}, identifiers = {} }
  local chapter, file, line = nil, '?', 1
  local docs, code, quote -- what is open now
  local identifier -- announced for the next token
  local by_identifier = {}

  local on = {}
  on['file'] = function(name, from)
    if chapter then chapter.tokens = stream:sub(chapter.from, from - 1) end
    chapter = { file = name, from = from, items = {} }
    table.insert(book.chapters, chapter)
    file, line = name, 1
  end
  on['line'] = function(n) line = tonumber(n) or line end
  on['fatal'] = function(text) error('noweb: ' .. text, 0) end
  on['nl'] = function()
    line = line + 1
    if quote then
      quote[#quote + 1] = ' '
    elseif docs then
      docs[#docs + 1] = '\n'
    elseif code then
      code.lines[#code.lines + 1] = {}
    end
  end
  on['begin'] = function(what)
    if what:match '^docs' then
      docs = { line = line }
    else
      code = { file = file, line = line, lines = {}, defines = {} }
    end
  end
  on['end'] = function()
    if docs then
      table.insert(chapter.items, { docs = table.concat(docs), line = docs.line })
    elseif code then
      table.remove(code.lines) -- each newline opened a line; none follows
      table.insert(book.chunks, code)
      code.label = #book.chunks
      table.insert(chapter.items, { code = code.label })
    end
    docs, code = nil, nil
  end
  on['quote'] = function() quote = {} end
  on['endquote'] = function()
    docs[#docs + 1] = quoted(table.concat(quote))
    quote = nil
  end
  on['text'] = function(text)
    if quote then
      quote[#quote + 1] = text
    elseif docs then
      docs[#docs + 1] = text
    elseif code then
      add_run(code.lines[#code.lines], identifier == text and 'id' or 'text', text)
    end
    identifier = nil
  end
  on['defn'] = function(name) code.name = name end
  on['use'] = function(name)
    if quote then
      quote[#quote + 1] = '<<' .. name .. '>>'
    elseif code then
      add_run(code.lines[#code.lines], 'use', name)
    end
  end
  on['index use'] = function(name) identifier = name end
  on['index defn'] = function(name)
    if not code or code.defines[name] then return end
    code.defines[name] = true
    local entry = by_identifier[name]
    if not entry then
      entry = { name = name, defs = {} }
      by_identifier[name] = entry
      table.insert(book.identifiers, entry)
    end
    table.insert(entry.defs, #book.chunks + 1)
  end
  on['index localdefn'] = on['index defn']
  on['index nl'] = function() line = line + 1 end

  for from, word, rest in stream:gmatch '()@(%S+) ?([^\n]*)\n' do
    if word == 'index' then
      local second, after = rest:match '^(%S+) ?(.*)$'
      word, rest = 'index ' .. second, after
    end
    if on[word] then on[word](rest, from) end
  end
  if chapter then chapter.tokens = stream:sub(chapter.from) end
  table.sort(book.identifiers, by_name)
  return book
end

return tokens
