-- noweb's token stream -> one table that describes the book.
--
-- The stream is what `noweave -n -autodefs c -index -backend cat` prints: one
-- token a line. This module is the only one that knows its form. It counts
-- source lines as it goes (`@file` starts at 1; `@nl` and `@index nl` end a
-- line), so that everything after it can say `chapters/03-x.nw:45`.
--
-- parse(stream) returns
--   items        what the reader meets, in order:
--                  {docs = text, file, line} or {code = index into chunks}
--   chunks       {name, label, file, line, lines, defines}; `line` is the line
--                of <<name>>=, and line i of the code is source line + i.
--                A line is a list of runs {kind, text, reference}; kind is
--                "text", "use" (of the chunk called text) or "id" (an
--                identifier, defined in the chunk with the label reference).
--   identifiers  {name, defs = labels, uses = labels}, in noweb's order
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
local function add_run(line, kind, text, reference)
  local last = line[#line]
  if kind == 'text' and last and last[1] == 'text' then
    last[2] = last[2] .. text
  elseif text ~= '' then
    line[#line + 1] = { kind, text, reference }
  end
end

function tokens.parse(stream)
  local book = { items = {}, chunks = {}, identifiers = {} }
  local file, line = '?', 1
  local docs, code, quote -- what is open now
  local label, reference, identifier -- announced for the next token
  local entry -- of the closing index of identifiers

  local on = {}
  on['file'] = function(name) file, line = name, 1 end
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
      docs = { file = file, line = line }
    else
      code = { file = file, line = line, lines = {}, defines = {} }
    end
  end
  on['end'] = function()
    if docs then
      table.insert(book.items,
        { docs = table.concat(docs), file = docs.file, line = docs.line })
    elseif code then
      table.remove(code.lines) -- each newline opened a line; none follows
      table.insert(book.chunks, code)
      table.insert(book.items, { code = #book.chunks })
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
    elseif code and identifier == text then
      add_run(code.lines[#code.lines], 'id', text, reference)
    elseif code then
      add_run(code.lines[#code.lines], 'text', text)
    end
    identifier = nil
  end
  on['defn'] = function(name) code.name, code.label = name, label end
  on['use'] = function(name)
    if quote then
      quote[#quote + 1] = '<<' .. name .. '>>'
    elseif code then
      add_run(code.lines[#code.lines], 'use', name)
    end
  end
  on['xref label'] = function(l) label = l end
  on['xref ref'] = function(l) reference = l end
  on['index use'] = function(name) identifier = name end
  on['index defn'] = function(name)
    if code then table.insert(code.defines, name) end
  end
  on['index nl'] = function() line = line + 1 end
  on['index entrybegin'] = function(rest)
    entry = { name = rest:match '^%S+ (.*)$', defs = {}, uses = {} }
    table.insert(book.identifiers, entry)
  end
  on['index entrydefn'] = function(l) table.insert(entry.defs, l) end
  on['index entryuse'] = function(l) table.insert(entry.uses, l) end

  for l in stream:gmatch '[^\n]*' do
    local word, rest = l:match '^@(%S+) ?(.*)$'
    if word == 'xref' or word == 'index' then
      local second, after = rest:match '^(%S+) ?(.*)$'
      word, rest = word .. ' ' .. second, after
    end
    if word and on[word] then on[word](rest) end
  end
  return book
end

return tokens
