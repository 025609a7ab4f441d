-- The results of the run that the book reports: the files that its programs
-- left in one folder (-M results=out/mini). Nothing here computes a value.
--
-- open(folder, absent) returns a ledger with
--   entries            of report.json, in its order
--   get(key, at)       the entry and, for `key[2]`, the element of its list;
--                      nil, with a problem, for an unknown key, a false claim
--                      or a value that its rule does not accept
--   lines(program, section, at)    the section as the program printed it
--   table(key, at)     {meaning, columns, rows}
-- Where the weights are absent (see absent.lua; else nil), these three return
-- ledger.not_run for what only the real program knows.
--   section_title(program, section)
--   asked              what was asked for, {kind, name, more, at}: an answer to note(...),
--                      which the above do themselves; to be emptied when a chapter begins
--   answers(asked)     the answers, as one text
--   cite(key, id, section)   says that the place with the id cites the key
--   cited              those places, {key, id, section}
--   recall(asked)      to be called for a chapter that is not woven again: its places

local json = require 'dkjson'
local cache = require 'cache'
local problems = require 'problems'
local read = require 'read'

local ledger = {}

local files = { toy = 'part2_toy.json', real = 'part2.json' }
ledger.not_run = { kind = 'not run' }

local function load(path)
  local text = read(path)
  if not text then
    problems.add(path, 'no such file: run the programs first')
    return { missing = true }
  end
  local value, _, message = json.decode(text)
  if type(value) ~= 'table' then
    problems.add(path, 'not JSON: %s', tostring(message))
    return {}
  end
  return value
end

-- Levenshtein's distance between two keys.
local function distance(a, b)
  local row = {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local corner = row[0]
    row[0] = i
    for j = 1, #b do
      local above = row[j]
      local change = a:byte(i) == b:byte(j) and 0 or 1
      row[j] = math.min(above + 1, row[j - 1] + 1, corner + change)
      corner = above
    end
  end
  return row[#b]
end

-- "; keys like it: ..." with the nearest of `known`, at most three, or nothing;
-- `word` says what they are.
function ledger.like(word, key, known)
  local near = {}
  for other in pairs(known) do
    local far = distance(key, other)
    if far <= math.max(#key, #other) * 0.5 then near[#near + 1] = { other, far } end
  end
  table.sort(near, function(x, y)
    if x[2] ~= y[2] then return x[2] < y[2] end
    return x[1] < y[1]
  end)
  local names = {}
  for i = 1, math.min(3, #near) do names[i] = "'" .. near[i][1] .. "'" end
  return #names > 0 and ('; %s like it: %s'):format(word, table.concat(names, ', ')) or ''
end

local accepted = { ok = true, unverified = true, published = true }

local function check(entry, at)
  if entry.kind == 'claim' and not entry.holds then
    problems.add(at, "claim '%s' is false: %s", entry.key, entry.text)
  elseif entry.verdict == 'unexpected' then
    problems.add(at, "'%s' is %s, and no value is expected for it: make bless accepts it",
      entry.key, tostring(entry.full or entry.text))
  elseif not accepted[entry.verdict] then
    problems.add(at, "'%s' is %s, expected %s by rule %s: %s", entry.key,
      tostring(entry.full or entry.text), tostring(entry.expected),
      tostring(entry.rule), tostring(entry.verdict))
  else
    return true
  end
end

-- The text of a published shape, "[64, 512]", looks like a list and is none.
local function as_if_run(entry)
  if entry.verdict == 'published' and entry.kind == 'numbers' and entry.rule == 'exact' then
    entry.kind, entry.items = 'text', nil
  end
  return entry
end

function ledger.open(folder, absent)
  local written = load(folder .. '/report.json')
  local self = { entries = written.entries or {}, asked = {}, cited = {} }
  local programs, by_key, tables = {}, {}, {}
  for name, file in pairs(files) do
    local program = absent and name == 'real' and {} or load(folder .. '/' .. file)
    programs[name] = program
    programs[program.program or name] = program
    for _, t in ipairs(program.tables or {}) do tables[t.key] = t end
  end
  for _, entry in ipairs(self.entries) do by_key[entry.key] = as_if_run(entry) end
  -- Published numbers are no program's; the titles of sections are both's.
  if absent then programs[''] = programs.toy end
  local function not_run(key) return absent and absent.known(key) and ledger.not_run end

  function self.note(kind, name, more, at)
    table.insert(self.asked, { kind, name, more or '', at })
  end

  function self.cite(key, id, section)
    table.insert(self.cited, { key = key, id = id, section = section })
    self.note('cite', key, id, section)
  end

  function self.recall(asked)
    for _, q in ipairs(asked) do
      if q[1] == 'cite' then
        table.insert(self.cited, { key = q[2], id = q[3], section = q[4] })
      end
    end
  end

  -- The entry that a key names and, for `key[2]`, the element's place.
  local function find(key)
    if by_key[key] then return by_key[key] end
    local list, n = key:match '^(.*)%[(%d+)%]$'
    return by_key[list], tonumber(n)
  end

  function self.get(key, at)
    local entry, index = find(key)
    self.note('value', entry and entry.key or key, nil, at)
    if written.missing then
      return nil -- said once, for the file
    elseif not entry and absent and absent.given[key] then
      return absent.given[key]
    elseif not entry and not_run(key) then
      return ledger.not_run
    elseif not entry then
      problems.add(at, "unknown key '%s'%s", key, ledger.like('keys', key, by_key))
    elseif index and not (entry.items or {})[index] then
      problems.add(at, "'%s' has no element %d of %d", entry.key, index,
        #(entry.items or {}))
    elseif check(entry, at) then
      return entry, index and entry.items[index]
    end
  end

  local function section_of(program, id)
    for _, section in ipairs((programs[program] or {}).sections or {}) do
      if section.id == id then return section end
    end
  end

  local answer = {
    value = function(key) return find(key) end,
    lines = function(program, id) return section_of(program, id) end,
    table = function(key) return tables[key] end,
    report = function() return { written, programs.toy, programs.real, self.cited } end,
    cite = function() return true end,
    file = function(path) return pandoc.utils.sha1(read(path) or '') end,
  }
  function self.answers(asked)
    local all = {}
    for i, question in ipairs(asked) do
      all[i] = cache.serial(answer[question[1]](question[2], question[3]) or 'nothing')
    end
    return pandoc.utils.sha1(table.concat(all, '\n'))
  end

  function self.section_title(program, id)
    return (section_of(program, id) or {}).title
  end
  function self.lines(program, id, at)
    self.note('lines', tostring(program), tostring(id))
    local section = section_of(program, id)
    if section then return section.lines, programs[program].program end
    if program == 'real' and not_run(tostring(id)) then return ledger.not_run end
    problems.add(at, "program '%s' printed no section '%s'", tostring(program),
      tostring(id))
  end
  function self.table(key, at)
    self.note('table', key)
    if not tables[key] and not_run(key) then return ledger.not_run end
    if not tables[key] then
      problems.add(at, "unknown table '%s'%s", key, ledger.like('tables', key, tables))
    end
    return tables[key]
  end
  return self
end

-- The anchor of an entry's row in the report; different for different keys.
function ledger.row_id(key)
  return 'r-' .. key:gsub('[^%w._-]', function(c)
    return (':%02X'):format(c:byte())
  end)
end

return ledger
