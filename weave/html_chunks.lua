-- Code chunks in HTML: heading, code with links, and the footer that says
-- where the chunk goes on, where it is used and what it defines.

local mix = require 'mix'
local tags = require 'tags'
local highlight = require 'highlight'

local chunks = {}

local exact, link, target = tags.exact, tags.link, tags.target

-- ⟨name 12⟩: the number tells a chunk from its continuations.
local function name(chunk, number)
  return { '⟨', exact(chunk.name), '\u{a0}', number or ('<small>%d</small>'):format(chunk.number),
    '⟩' }
end

-- ⟨name 12⟩, or the author's own words, as a link to the definition.
function chunks.reference(group, words)
  local first = group.chunks[1]
  return mix('html', link(target(first), words and #words > 0 and words or name(first), 'u'))
end

local tag = { comment = 'i', string = 'u', keyword = 'b', directive = 'b' }

-- Runs of code; `own` is the chunk they stand in, if any.
function chunks.runs(runs, book, own)
  local out = {}
  for _, run in ipairs(runs) do
    local kind, text, reference, class = run[1], exact(run[2]), run[3], run[4]
    local chunk = kind == 'id' and book.by_label[reference]
    local group = kind == 'use' and book.groups[run[2]]
    if group then
      text = link(target(group.chunks[1]), name(group.chunks[1]), 'u')
    elseif run.id then
      text = tags.place('dfn', run.id, text)
    elseif chunk and chunk ~= own then
      text = link(chunk.places[run[2]] or target(chunk), text)
    elseif tag[class] then
      text = { '<', tag[class], '>', text, '</', tag[class], '>' }
    end
    out[#out + 1] = text
  end
  return out
end

-- "12, 14 and 15", each a link; of many the first ones and how many more.
local function numbers(list)
  local out, shown = {}, #list > 10 and 8 or #list
  for i = 1, shown do
    if i > 1 then out[#out + 1] = i == #list and ' and ' or ', ' end
    out[#out + 1] = link(target(list[i]), tostring(list[i].number))
  end
  if shown < #list then out[#out + 1] = (' and %d more'):format(#list - shown) end
  return out
end

local function names(list)
  local out = {}
  for i, chunk in ipairs(list) do
    if i > 1 then out[#out + 1] = ', ' end
    out[#out + 1] = link(target(chunk), name(chunk), 'u')
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
  local function say(...) out[#out + 1] = { #out > 0 and ' ' or '', ... } end
  if chunk ~= group.chunks[1] then
    say('Continues ', numbers { group.chunks[1] }, '.')
  end
  if #later > 0 then say('Continued in ', numbers(later), '.') end
  if #group.used > 0 then say('Used in ', names(group.used), '.') end
  local defines = {}
  for i, word in ipairs(chunk.defines) do
    local used = chunk.uses[word] or {}
    defines[i] = { i > 1 and '; ' or '', '<code>', exact(word), '</code>',
      #used > 0 and { ', used in ', numbers(used) } or '' }
  end
  if #defines > 0 then say('Defines ', defines, '.') end
  return out
end

-- A file's frame (its includes and what it is put together from, with no body of a
-- function), the script of a figure, and what is long in an appendix are folded; an
-- interface is not. (In an EPUB nothing is: not every reader can open a fold.)
local function is_plumbing(chunk)
  if FORMAT:match 'epub' then return false end
  local file = chunk.group.is_root and chunk.group.name:match '%.(%w+)$'
  if file == 'h' or #chunk.lines < 12 then return false end
  if file == 'c' then
    for _, line in ipairs(chunk.lines) do
      if line[1] and line[1][2]:match '^}' then return false end
    end
    return true
  end
  return file == 'gp' or #chunk.lines > 32 and not chunk.file:match '/%d[^/]*$'
end

-- Line i of the code is line chunk.line + i of the chapter.
function chunks.chunk(chunk, book)
  local group = chunk.group
  local first = chunk == group.chunks[1]
  local code = {}
  for i, line in ipairs(highlight.lines(chunk.lines, highlight.language(group.roots))) do
    code[i] = { chunks.runs(line, book, chunk), '\n' }
  end
  local place = chunk.file:match '[^/]*$' .. ':' .. chunk.line
  if not group.is_root then place = place .. ' → ' .. table.concat(group.roots, ', ') end
  local head = mix('html', '<p class="head">',
    link(first and chunk.id or target(group.chunks[1]), name(chunk, tags.number(chunk))),
    first and '≡' or '+≡', ' <span>', exact(place), '</span></p>')
  local body = { '<pre><code>', code, '</code></pre>' }
  if is_plumbing(chunk) then
    body = { ('<details><summary>%d lines</summary>'):format(#chunk.lines), body, '</details>' }
  end
  local foot = footer(chunk)
  if #foot > 0 then foot = { '\n<p class="foot">', foot, '</p>' } end
  return pandoc.Div({ pandoc.Plain(mix('html', head, '\n', body, foot)) },
    pandoc.Attr(chunk.id, { 'chunk' }))
end

return chunks
