-- The report's rows, grouped by section and program in the ledger's order.
--
-- groups(context) -> list of {title, program (or said, for a group that no program
-- printed), section, rows}, a row being
--   {id, key, shown, full, expected, rule, verdict, meaning, chunk}
-- where `chunk` is the one that defines the C function that reported it.

local row_id = require 'ledger'.row_id
local absent = require 'absent'

local report = {}

function report.groups(context)
  context.results.note('report', 'all')
  local groups, by_name = {}, {}
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
      name = entry['function'],
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
