-- A table of the ledger -> a pandoc table. Columns of numbers are set flush
-- right; cells read as values do (see values.lua), and a cell that is a JSON list of
-- strings is set as tokens. A table wider than a line
-- of text gets relative column widths, so that cells wrap on paper.

local json = require 'dkjson'
local mix = require 'mix'
local values = require 'values'

local tables = {}

local widest_natural = 72 -- characters
local widest_cell = 56 -- a longer one wraps and does not press the others

local function numeric(rows, column)
  for _, row in ipairs(rows) do
    if row[column] and row[column] ~= '' and not values.number(row[column]) then
      return false
    end
  end
  return #rows > 0
end

-- The items of a cell that is a JSON list, or nil.
local function items_of(text)
  return (text or ''):match '^%[".*"%]$' and json.decode(text) or nil
end

local function length(text)
  local items = items_of(text)
  local shown = items and table.concat(items, ', ') or text or ''
  return utf8.len(shown) or #shown
end

function tables.build(t, writer)
  local aligns, widths, natural, total = {}, {}, {}, 0
  for c, name in ipairs(t.columns) do
    aligns[c] = numeric(t.rows, c) and pandoc.AlignRight or pandoc.AlignLeft
    natural[c] = utf8.len(name) or #name
    for _, row in ipairs(t.rows) do
      natural[c] = math.max(natural[c], length(row[c]))
    end
    natural[c] = math.min(natural[c], widest_cell)
    total = total + natural[c] + 4
  end
  for c in ipairs(t.columns) do
    widths[c] = total > widest_natural and (natural[c] + 4) / total or 0
  end
  local function cell(text)
    local items = items_of(text)
    local piece = items and mix(FORMAT, values.typeset({ items = items, kind = 'tokens' }, nil, writer))
      or values.piece(text or '', nil, writer)
    if pandoc.utils.type(piece) == 'Inline' then piece = { piece } end
    return { pandoc.Plain(piece) }
  end
  local head, rows = {}, {}
  for c, name in ipairs(t.columns) do
    head[c] = { pandoc.Plain(values.words(name)) }
  end
  for r, row in ipairs(t.rows) do
    rows[r] = {}
    for c in ipairs(t.columns) do rows[r][c] = cell(row[c]) end
  end
  return pandoc.utils.from_simple_table(
    pandoc.SimpleTable({}, aligns, widths, head, rows))
end

return tables
