-- What the book's code chunks are to one another. Built once from what tokens.lua
-- found; everything else asks here.
--
-- open(tokens) returns
--   chapters     as tokens.lua lists them
--   chunks       likewise, each with, besides what tokens.lua
--                says: id (the anchor), number (1, 2, ... through the book),
--                group
--   groups       by name: {name, chunks (definition and continuations),
--                used (chunks that use it), roots (names of the tangled files
--                it ends in), is_root}
--   names        the group names, sorted
--   identifiers, identifier    see identifiers.lua
--   by_label     chunks by their label
-- Ids come from names, never from numbers, so a chunk added elsewhere leaves
-- every link to this one alone.
--
-- structure(b) is text of all that the chapters show of chunks that are not their own; it
-- does not change with the lines of a chunk.

local problems = require 'problems'

local book = {}

-- An id-safe form of any text: letters, digits and hyphens.
function book.slug(text)
  return (text:lower():gsub('[^%w\128-\255]+', '-'):gsub('^%-', ''):gsub('%-$', ''))
end

local function number_chunks(b)
  local taken = {}
  b.groups, b.by_label, b.names = {}, {}, {}
  for i, chunk in ipairs(b.chunks) do
    chunk.number = i
    b.by_label[chunk.label] = chunk
    local group = b.groups[chunk.name]
    if not group then
      group = { name = chunk.name, chunks = {}, used = {}, roots = {} }
      group.id = 'c-' .. book.slug(chunk.name)
      while taken[group.id] do group.id = group.id .. '-x' end
      taken[group.id] = true
      b.groups[chunk.name] = group
      table.insert(b.names, chunk.name)
    end
    table.insert(group.chunks, chunk)
    chunk.group = group
    local n = #group.chunks
    chunk.id = n == 1 and group.id or group.id .. '.' .. n
  end
  table.sort(b.names, function(x, y)
    if x:lower() ~= y:lower() then return x:lower() < y:lower() end
    return x < y
  end)
end

local function find_uses(b)
  for _, chunk in ipairs(b.chunks) do
    local seen = {}
    for i, line in ipairs(chunk.lines) do
      for _, run in ipairs(line) do
        local group = run[1] == 'use' and b.groups[run[2]]
        if group and not seen[group] then
          seen[group] = true
          table.insert(group.used, chunk)
        elseif run[1] == 'use' and not group then
          problems.add(('%s:%d'):format(chunk.file, chunk.line + i),
            'no chunk is named <<%s>>', run[2])
        end
      end
    end
  end
end

-- Walks "used in" up to the chunks that nothing uses.
local function find_roots(b)
  local function climb(group, found, seen)
    if seen[group] then return end
    seen[group] = true
    if #group.used == 0 then found[group.name] = true end
    for _, user in ipairs(group.used) do climb(user.group, found, seen) end
  end
  for name, group in pairs(b.groups) do
    group.is_root = #group.used == 0
    local found = {}
    climb(group, found, {})
    for root in pairs(found) do table.insert(group.roots, root) end
    table.sort(group.roots)
    if group.is_root and not name:match '^[%w_.-]+%.%w+$' then
      problems.add(group.chunks[1].file .. ':' .. group.chunks[1].line,
        '<<%s>> is used nowhere and is not named like a file', name)
    end
  end
end

function book.open(b)
  number_chunks(b)
  find_uses(b)
  find_roots(b)
  require 'identifiers'.resolve(b)
  return b
end

function book.structure(b)
  local out = {}
  local function say(...)
    for _, text in ipairs { ... } do out[#out + 1] = text end
  end
  local function numbers(list)
    for _, chunk in ipairs(list) do say(chunk.number) end
  end
  for _, chunk in ipairs(b.chunks) do
    say(chunk.number, chunk.id, chunk.name, table.concat(chunk.group.roots, ' '), 'used')
    numbers(chunk.group.used)
    for _, name in ipairs(chunk.defines) do
      say(name, chunk.places[name] or '')
      numbers(chunk.uses[name] or {})
    end
  end
  for _, identifier in ipairs(b.identifiers) do
    say(identifier.name, identifier.chunks[1].number)
  end
  return table.concat(out, '\n')
end

return book
