-- What an earlier run made and this one need not make again: tables, each in a file of one
-- folder (which must be there), written when the run is over and nothing was wrong. Nothing here decides what is
-- still true: whoever puts a table in puts in what it was made from, and compares.
--
-- serial(value)   text of a table of tables, strings, numbers and booleans: the same for the
--                 same content
-- open(folder)    get(name), put(name, table), save(); without a folder nothing is kept

local cache = {}

local function append(out, value)
  if type(value) == 'string' then
    out[#out + 1] = ('%q'):format(value)
  elseif type(value) ~= 'table' then
    out[#out + 1] = tostring(value)
  else
    local names = {}
    for name in pairs(value) do names[#names + 1] = name end
    table.sort(names, function(a, b)
      if type(a) == type(b) then return a < b end
      return type(a) == 'number'
    end)
    out[#out + 1] = '{'
    for _, name in ipairs(names) do
      out[#out + 1] = type(name) == 'number' and '[' .. name .. ']=' or ('[%q]='):format(name)
      append(out, value[name])
      out[#out + 1] = ','
    end
    out[#out + 1] = '}'
  end
end

function cache.serial(value)
  local out = {}
  append(out, value)
  return table.concat(out)
end

-- A file that somebody cut short or wrote himself is as good as none.
local function load_table(path)
  local chunk = loadfile(path, 't', {})
  local good, value = pcall(chunk or error)
  return good and type(value) == 'table' and value or nil
end

function cache.open(folder)
  local self, names, new = {}, {}, {}
  local function file_of(name) return name:gsub('[^%w]', '-') .. '.lua' end

  function self.get(name)
    names[file_of(name)] = true
    return folder and load_table(folder .. '/' .. file_of(name))
  end

  function self.put(name, value)
    names[file_of(name)] = true
    new[file_of(name)] = value
  end

  -- What this run did not ask for is of no use to the next one.
  function self.save()
    if not folder then return end
    for file in pairs(load_table(folder .. '/all.lua') or {}) do
      if not names[file] then os.remove(folder .. '/' .. file) end
    end
    new['all.lua'] = names
    for name, value in pairs(new) do
      local path = folder .. '/' .. name
      local file = io.open(path .. '.new', 'wb')
      local good = file and file:write('return ', cache.serial(value))
      good = file and file:close() and good
      if good then os.rename(path .. '.new', path) else os.remove(path .. '.new') end
    end
  end
  return self
end

return cache
