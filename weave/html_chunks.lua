-- Code chunks in HTML: heading, code with links, and the footer that says
-- where the chunk goes on, where it is used and what it defines.

local mix = require 'mix'
local highlight = require 'highlight'
local region = require 'region'

local chunks = {}

local function raw(text) return pandoc.RawInline('html', text) end

-- Text whose every space and newline counts. As raw HTML, because pandoc fills
-- the lines of ordinary text.
function chunks.exact(text)
  return raw((text:gsub('[&<>"]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;',
    ['"'] = '&quot;' })))
end
local exact = chunks.exact

local function link(chunk, content, class)
  return pandoc.Link(content, '#' .. chunk.id, '', pandoc.Attr('', { class }))
end

-- ⟨name 12⟩: the number tells a chunk from its continuations.
function chunks.name(chunk)
  return { exact('⟨' .. chunk.name), raw(('&nbsp;<span class="no">%d</span>⟩')
    :format(chunk.number)) }
end

-- ⟨name 12⟩, or the author's own words, as a link to the definition.
function chunks.reference(group, words)
  local first = group.chunks[1]
  local content = words and #words > 0 and words or
    chunks.name(first)
  return link(first, content, 'use')
end

local letter = { comment = 'k-c', string = 'k-s', keyword = 'k-k', directive = 'k-d' }

-- Runs of code as inlines; `own` is the chunk they stand in, if any.
function chunks.runs(runs, book, own)
  local out = {}
  for _, run in ipairs(runs) do
    local kind, text, reference, class = run[1], run[2], run[3], run[4]
    local target = kind == 'id' and book.by_label[reference]
    local group = kind == 'use' and book.groups[text]
    if group then
      out[#out + 1] = chunks.reference(group)
    elseif target and target ~= own then
      out[#out + 1] = link(target, { exact(text) }, 'i')
    elseif letter[class] then
      out[#out + 1] = raw(('<span class="%s">'):format(letter[class]))
      out[#out + 1] = exact(text)
      out[#out + 1] = raw '</span>'
    else
      out[#out + 1] = exact(text)
    end
  end
  return out
end

-- "12, 14 and 15", each a link.
local function numbers(list)
  local out = {}
  for i, chunk in ipairs(list) do
    if i > 1 then out[#out + 1] = i == #list and ' and ' or ', ' end
    out[#out + 1] = link(chunk, { pandoc.Str(tostring(chunk.number)) }, 'x')
  end
  return out
end
chunks.numbers = numbers

-- The same, but of many the first ones and how many more.
local function some(list)
  if #list <= 10 then return numbers(list) end
  local out = {}
  for i = 1, 8 do
    if i > 1 then out[#out + 1] = ', ' end
    out[#out + 1] = link(list[i], { pandoc.Str(tostring(list[i].number)) }, 'x')
  end
  out[#out + 1] = (' and %d more'):format(#list - 8)
  return out
end

local function names(list)
  local out = {}
  for i, chunk in ipairs(list) do
    if i > 1 then out[#out + 1] = ', ' end
    out[#out + 1] = link(chunk, chunks.name(chunk), 'use')
  end
  return out
end

local function footer(chunk)
  local group, out = chunk.group, {}
  local later = {}
  for _, other in ipairs(group.chunks) do
    if other.number > chunk.number and (chunk == group.chunks[1] or #later == 0) then
      later[#later + 1] = other
    end
  end
  local function say(...) out[#out + 1] = { '<span>', { ... }, '</span> ' } end
  if chunk ~= group.chunks[1] then
    say('Continues ', numbers { group.chunks[1] }, '.')
  end
  if #later > 0 then say('Continued in ', numbers(later), '.') end
  if #group.used > 0 then say('Used in ', names(group.used), '.') end
  local defines = {}
  for i, name in ipairs(chunk.defines) do
    local used = chunk.uses[name] or {}
    defines[i] = { i > 1 and '; ' or '', pandoc.Code(name),
      #used > 0 and { ', used in ', some(used) } or '' }
  end
  if #defines > 0 then say('Defines ', defines, '.') end
  return out
end

function chunks.chunk(chunk, book)
  local group = chunk.group
  local first = chunk == group.chunks[1]
  local lines = highlight.lines(chunk.lines, highlight.language(group.roots))
  local code = {}
  for _, line in ipairs(lines) do
    code[#code + 1] = chunks.runs(line, book, chunk)
    code[#code + 1] = raw '\n'
  end
  local place = chunk.file .. ':' .. chunk.line
  if not group.is_root then place = place .. ' → ' .. table.concat(group.roots, ', ') end
  local _, attributes = region('Code: ' .. chunk.name)
  local head = pandoc.Plain(mix('html', '<span class="chunk-name">',
    link(group.chunks[1], chunks.name(chunk), 'self'),
    first and '≡' or '+≡', '</span> <span class="place">', pandoc.Str(place), '</span>'))
  local body = pandoc.Plain(mix('html',
    '<pre ' .. attributes .. '><code>', code, '</code></pre>'))
  local content = { pandoc.Div({ head }, pandoc.Attr('', { 'chunk-head' })), body }
  local foot = footer(chunk)
  if #foot > 0 then
    content[3] = pandoc.Div({ pandoc.Plain(mix('html', foot)) },
      pandoc.Attr('', { 'chunk-foot' }))
  end
  return pandoc.Div(content, pandoc.Attr(chunk.id, { 'chunk' }))
end

return chunks
