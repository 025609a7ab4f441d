-- The report's rows, grouped by section and program in the ledger's order.
--
-- groups(context) -> list of {title, program (or said, for a group that no program
-- printed), section, rows}, a row being
--   {id, key, full, expected, rule, verdict, meaning, claim, chunk, name, cited, published}
-- where `chunk` is the one that defines the C function `name` that reported it, `cited`
-- the places of the book that cite the key (ledger.lua), and `published` what was
-- published under the key for another set, {set, text}, or nil.

local row_id = require 'ledger'.row_id
local absent = require 'absent'

local report = {}

-- Published values by key, from files as -M published="FILE ..." lists them; those of
-- the book's own set are what its rows expect.
local function published(context)
  local found = {}
  for path in pandoc.utils.stringify(context.meta.published or ''):gmatch '%S+' do
    local set = path:match '([^/]+)/[^/]*$'
    context.results.note('file', path)
    for line in set ~= context.set and io.lines(path) or function() end do
      local key, text = line:match '^([^#\t][^\t]*)\t([^\t]*)'
      if key then found[key] = { set = set, text = text } end
    end
  end
  return found
end

function report.groups(context)
  context.results.note('report', 'all')
  local groups, by_name, cited, known = {}, {}, {}, published(context)
  for _, place in ipairs(context.results.cited) do
    cited[place.key] = cited[place.key] or {}
    table.insert(cited[place.key], place)
  end
  for _, entry in ipairs(context.results.entries) do
    local name = tostring(entry.section) .. '\0' .. tostring(entry.program)
    local group = by_name[name]
    if not group then
      group = { section = entry.section, program = entry.program, rows = {},
        said = entry.program == '' and absent.published or nil,
        title = context.results.section_title(entry.program, entry.section) }
      by_name[name] = group
      table.insert(groups, group)
    end
    local identifier = context.book.identifier[entry['function'] or '']
    local full = entry.full or entry.text or ''
    if full == '' and entry.items then full = table.concat(entry.items, ', ') end
    table.insert(group.rows, {
      id = row_id(entry.key), key = entry.key, full = full,
      expected = entry.expected, rule = entry.rule, verdict = entry.verdict,
      meaning = entry.meaning, claim = entry.kind == 'claim',
      chunk = identifier and identifier.chunks[1] or nil,
      name = entry['function'], cited = cited[entry.key] or {},
      published = known[entry.key],
    })
  end
  -- Sections in the order of their names, the programs' order kept within.
  for i, group in ipairs(groups) do group.order = i end
  table.sort(groups, function(a, b)
    if a.section ~= b.section then return tostring(a.section) < tostring(b.section) end
    return a.order < b.order
  end)
  return groups
end

return report
