-- Which chunk defines an identifier. noweb's finder for C works line by line
-- and says "defined" too often: of a call that starts its line, of a prototype,
-- of an include guard. This module keeps the definitions proper.
--
-- resolve(b) works on a book (see book.lua) and sets
--   identifiers     {name, chunks (that define it), used (chunks)}, in order;
--                   a name that is only declared counts as defined there
--   identifier      the same by name
--   chunk.defines   names, once each
--   chunk.places    by name, the id of the word where it is defined
--   chunk.uses      by name, the chunks that use this very definition
-- and turns runs of kind "id" that have no definition, or that name a member
-- (x->name), into text, and gives the others a third field, the label of the chunk that
-- defines them. The run that is the defined word itself gets the field `id`.

local language = require 'highlight'.language

local identifiers = {}

local function is_c(chunk) return language(chunk.group.roots) == 'c' end

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
-- defines the name really does, and the number of the line that does. (Names of one
-- letter are left out altogether: too many things have them.) In a chunk that stands
-- `inside` a function, variables are local and define nothing.
local function role(text, name, inside)
  local word = '%f[%w_]' .. name:gsub('%p', '%%%0') .. '%f[^%w_]'
  local best, where, start, n = nil, nil, 1, 0
  while start <= #text do
    n = n + 1
    local stop = text:find('\n', start, true)
    local line = text:sub(start, stop - 1)
    local _, to = line:find(word)
    if not to or line:match('^%s*' .. word .. '%s*%(') then
      -- not here, or a call
    elseif line:match '^%s*#' then
      local guard = name:match '_H$' or name:match '^_'
      if not guard and line:match('#%s*define%s+' .. word) then return 'definition', n end
    elseif line:match('^%s*[%[=;,{}:]', to + 1) or line:match('^%s*$', to + 1)
      or line:match('^%s*/[*/]', to + 1) then
      local first = line:match '^%s*([%a}]+)'
      local variable = line:match('^%s*[%a_][%w_ *]*[ *]' .. word .. '%s*[%[=;,]')
      if first == 'typedef' or first == 'enum' or first == 'struct' or first == '}'
        or line:match('^%s*' .. word) or variable and not inside then
        return 'definition', n -- a type, a constant, a variable of the file
      end
    elseif line:match '^%S' and line:match('^%s*%(', to + 1) then
      if text:match('[;{]', start + to) == '{' then return 'definition', n end
      if not best then best, where = 'declaration', n end
    end
    start = stop + 1
  end
  return best, where
end

-- The chunks' names that are used on an indented line.
local function indented(chunks)
  local found = {}
  for _, chunk in ipairs(chunks) do
    for _, line in ipairs(chunk.lines) do
      local first, second = line[1], line[2]
      if second and second[1] == 'use' and first[2]:match '^%s+$' then
        found[second[2]] = true
      end
    end
  end
  return found
end

local function by_number(a, b) return a.number < b.number end

local function share_root(a, b)
  for _, root in ipairs(a.group.roots) do
    for _, own in ipairs(b.group.roots) do
      if own == root then return true end
    end
  end
end

-- Whether other files can see what a chunk defines: in a header all, else a
-- function that is not static.
local function is_public(chunk, name)
  for _, root in ipairs(chunk.group.roots) do
    if root:match '%.h$' then return true end
  end
  for _, line in ipairs(chunk.lines) do
    local text = ''
    for _, run in ipairs(line) do text = text .. run[2] end
    if text:match('^%a.*%f[%w_]' .. name .. '%s*%(') then return not text:match '^static' end
  end
end

-- The definition that a use in `chunk` means: one in the same tangled file, or
-- else one that other files can see.
local function meant(identifier, chunk)
  for _, candidate in ipairs(identifier.chunks) do
    if share_root(candidate, chunk) then return candidate end
  end
  for _, candidate in ipairs(identifier.chunks) do
    if is_public(candidate, identifier.name) then return candidate end
  end
end

-- Points the identifiers in a chunk at their definitions, and notes the use.
local function link_runs(chunk, known)
  local noted = {}
  for _, line in ipairs(chunk.lines) do
    for i, run in ipairs(line) do
      local before = line[i - 1] and line[i - 1][2] or ''
      local member = before:match '%->$' or before:match '[%w_%])]%.$'
      local identifier = run[1] == 'id' and not member and is_c(chunk)
        and known[run[2]]
      local target = identifier and meant(identifier, chunk)
      if target then
        run[3] = target.label
        if target ~= chunk and not noted[identifier] then
          noted[identifier] = true
          table.insert(identifier.used, chunk)
          local uses = target.uses[identifier.name] or {}
          table.insert(uses, chunk)
          target.uses[identifier.name] = uses
        end
      elseif run[1] == 'id' then
        run[1], run[3] = 'text', nil
      end
    end
  end
end

-- Gives the word that a line of a chunk defines an id.
local function place(chunk, name, line, taken)
  for _, run in ipairs(chunk.lines[line]) do
    if run[1] == 'id' and run[2] == name then
      taken[name] = (taken[name] or 0) + 1
      run.id = 'i-' .. name .. (taken[name] > 1 and '-' .. taken[name] or '')
      chunk.places[name] = run.id
      return
    end
  end
end

function identifiers.resolve(b)
  local texts, kept, taken, inside = {}, {}, {}, indented(b.chunks)
  b.identifier = {}
  for _, chunk in ipairs(b.chunks) do
    texts[chunk], chunk.defines, chunk.uses, chunk.places = text_of(chunk), {}, {}, {}
  end
  for _, identifier in ipairs(b.identifiers) do
    local defined, declared, lines = {}, {}, {}
    for _, label in ipairs(identifier.defs) do
      local chunk, what = b.by_label[label], nil
      if is_c(chunk) then
        what, lines[chunk] = role(texts[chunk], identifier.name, inside[chunk.name])
      end
      if what == 'definition' then table.insert(defined, chunk) end
      if what == 'declaration' then table.insert(declared, chunk) end
    end
    identifier.chunks = #defined > 0 and defined or declared
    identifier.used = {}
    table.sort(identifier.chunks, by_number)
    if #identifier.chunks > 0 and #identifier.name > 1 then
      table.insert(kept, identifier)
      b.identifier[identifier.name] = identifier
      for _, chunk in ipairs(identifier.chunks) do
        table.insert(chunk.defines, identifier.name)
        place(chunk, identifier.name, lines[chunk], taken)
      end
    end
  end
  b.identifiers = kept
  for _, chunk in ipairs(b.chunks) do link_runs(chunk, b.identifier) end
end

return identifiers
