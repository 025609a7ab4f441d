-- Which chunk defines an identifier. noweb's finder for C works line by line
-- and says "defined" too often: of a call that starts its line, of a prototype,
-- of an include guard. This module keeps the definitions proper.
--
-- resolve(b) works on a book (see book.lua) and sets
--   identifiers     {name, chunks (that define it), used (chunks)}, in order;
--                   a name that is only declared counts as defined there
--   identifier      the same by name
--   chunk.defines   names, once each
-- and turns runs of kind "id" that have no definition, or that name a member
-- (x->name), into text, and points the others at their definition.

local identifiers = {}

local function text_of(chunk)
  local lines = {}
  for i, line in ipairs(chunk.lines) do
    local words = {}
    for j, run in ipairs(line) do words[j] = run[2] end
    lines[i] = table.concat(words)
  end
  return table.concat(lines, '\n') .. '\n'
end

-- "definition", "declaration" or nil: what a chunk of which noweb says that it
-- defines the name really does. (Names of one letter are left out altogether:
-- too many things have them.)
local function role(text, name)
  local word = '%f[%w_]' .. name:gsub('%p', '%%%0') .. '%f[^%w_]'
  local best, start = nil, 1
  while start <= #text do
    local stop = text:find('\n', start, true)
    local line = text:sub(start, stop - 1)
    local _, to = line:find(word)
    if not to or line:match('^%s*' .. word .. '%s*%(') then
      -- not here, or a call
    elseif line:match '^%s*#' then
      local guard = name:match '_H$' or name:match '^_'
      if not guard and line:match('#%s*define%s+' .. word) then return 'definition' end
    elseif line:match('^%s*[%[=;,{}:]', to + 1) or line:match('^%s*$', to + 1)
      or line:match('^%s*/[*/]', to + 1) then
      return 'definition' -- a type, a constant, a variable
    elseif line:match '^%S' and line:match('^%s*%(', to + 1) then
      if text:match('[;{]', start + to) == '{' then return 'definition' end
      best = 'declaration'
    end
    start = stop + 1
  end
  return best
end

local function by_number(a, b) return a.number < b.number end

-- The definition that a use in `chunk` means: one in the same tangled file, or
-- else the first.
local function meant(identifier, chunk)
  for _, candidate in ipairs(identifier.chunks) do
    for _, root in ipairs(candidate.group.roots) do
      for _, own in ipairs(chunk.group.roots) do
        if own == root then return candidate end
      end
    end
  end
  return identifier.chunks[1]
end

local function link_runs(chunk, known)
  for _, line in ipairs(chunk.lines) do
    for i, run in ipairs(line) do
      local before = line[i - 1] and line[i - 1][2] or ''
      local identifier = run[1] == 'id' and known[run[2]]
      if identifier and not before:match '%->$' and not before:match '[%w_%])]%.$' then
        run[3] = meant(identifier, chunk).label
      elseif run[1] == 'id' then
        run[1], run[3] = 'text', nil
      end
    end
  end
end

local function add(list, seen, chunk)
  if chunk and not seen[chunk] then
    seen[chunk] = true
    table.insert(list, chunk)
  end
end

function identifiers.resolve(b)
  local texts, kept = {}, {}
  b.identifier = {}
  for _, chunk in ipairs(b.chunks) do texts[chunk], chunk.defines = text_of(chunk), {} end
  for _, identifier in ipairs(b.identifiers) do
    local defined, declared, used, seen = {}, {}, {}, {}
    for _, label in ipairs(identifier.defs) do
      local chunk = b.by_label[label]
      local what = role(texts[chunk], identifier.name)
      if what == 'definition' then table.insert(defined, chunk) end
      if what == 'declaration' then table.insert(declared, chunk) end
    end
    identifier.chunks = #defined > 0 and defined or declared
    table.sort(identifier.chunks, by_number)
    for _, chunk in ipairs(identifier.chunks) do seen[chunk] = true end
    for _, label in ipairs(identifier.defs) do add(used, seen, b.by_label[label]) end
    for _, label in ipairs(identifier.uses) do add(used, seen, b.by_label[label]) end
    table.sort(used, by_number)
    identifier.used = used
    if #identifier.chunks > 0 and #identifier.name > 1 then
      table.insert(kept, identifier)
      b.identifier[identifier.name] = identifier
      for _, chunk in ipairs(identifier.chunks) do
        table.insert(chunk.defines, identifier.name)
      end
    end
  end
  b.identifiers = kept
  for _, chunk in ipairs(b.chunks) do link_runs(chunk, b.identifier) end
end

return identifiers
