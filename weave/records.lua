-- What was recorded when the models of a set were trained, files of tables that the
-- build does not compute: models/SET/FILE. A table in such a file is a line
-- `# name: meaning`, a line of headings and lines of cells, with tabs between, and ends
-- with a blank line.
--
-- new(set, results) returns, `results` being told which files were asked for,
--   table(file, part, at)   {meaning, columns, rows} of the table named `part`; nil if
--                           there is no such file, and a problem if the table is missing
--   has(file)               whether there is such a file
--   source(files)           inlines, to follow a caption: where it was recorded
--   line()                  inlines: what stands for what was not recorded

local problems = require 'problems'

local records = {}

local function split(line)
  local cells = {}
  for cell in (line .. '\t'):gmatch '([^\t]*)\t' do cells[#cells + 1] = cell end
  return cells
end

local function read(path)
  local file = io.open(path, 'rb')
  if not file then return nil end
  local tables, last, n = {}, nil, 0
  for line in file:lines() do
    n = n + 1
    local name, meaning = line:match '^# ([%w_]+): (.*)$'
    if name then
      last = { meaning = meaning, rows = {} }
      tables[name] = last
    elseif line == '' then
      last = nil
    elseif last and not last.columns then
      last.columns = split(line)
    elseif last then
      local row = split(line)
      last.rows[#last.rows + 1] = row
      if #row ~= #last.columns then last.odd = last.odd or n end
    end
  end
  file:close()
  return tables
end

function records.new(set, results)
  local self, files = {}, {}
  local function path_of(file) return ('models/%s/%s'):format(set, file) end
  local function note(file)
    results.note('file', path_of(file))
    return path_of(file)
  end

  function self.table(file, part, at)
    local path = note(file)
    if files[path] == nil then files[path] = read(path) or false end
    local found = files[path] and files[path][part]
    if files[path] and not (found and found.columns) then
      problems.add(at, "%s has no table '%s'", path, tostring(part))
      return nil
    end
    if found and found.odd then
      problems.add(at, '%s:%d: expected %d cells, with tabs between', path, found.odd, #found.columns)
      return nil
    end
    return found
  end

  function self.has(file)
    local found = io.open(note(file), 'rb')
    if found then found:close() end
    return found ~= nil
  end

  function self.source(sources)
    local out = pandoc.List { pandoc.Space(), pandoc.Str 'Recorded', pandoc.Space(), pandoc.Str 'in' }
    for i, file in ipairs(sources) do
      if i > 1 then out:extend { pandoc.Space(), pandoc.Str 'and' } end
      out:extend { pandoc.Space(), pandoc.Code(path_of(file)) }
    end
    out:insert(pandoc.Str '.')
    return out
  end

  function self.line()
    return pandoc.List { pandoc.Str 'Not', pandoc.Space(), pandoc.Str 'recorded',
      pandoc.Space(), pandoc.Str 'for', pandoc.Space(), pandoc.Str 'this',
      pandoc.Space(), pandoc.Str 'set.' }
  end
  return self
end

return records
