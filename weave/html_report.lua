-- The report and the two indexes in HTML.

local mix = require 'mix'
local values = require 'values'
local chunks = require 'html_chunks'
local region = require 'region'

local report = {}

local function str(text) return pandoc.Str(text or '') end

local function box(label, ...)
  return pandoc.Div({ pandoc.Plain(mix('html', ...)) }, pandoc.Attr('', { 'scroll' },
    (region(label))))
end

-- One entry: what it is in the first column, what came out in the others.
local function row(r)
  local by = ''
  if r.chunk then
    by = { ' <span class="by">Computed by ', pandoc.Link(
      { pandoc.Code(r.name) }, '#' .. r.chunk.id), '.</span>' }
  end
  local meaning = (r.claim and r.full or r.meaning or ''):gsub('[^.]$', '%0.')
  return { '<tr id="' .. r.id .. '" class="' .. r.verdict .. '"><th scope="row">',
    pandoc.Code(r.key), '<div class="meaning">', values.words(meaning), by, '</div>',
    '</th><td class="full">', str(r.claim and 'holds' or r.full),
    '</td><td class="expected">', str(r.claim and 'holds' or r.expected),
    '</td><td class="rule">', str(r.rule), '</td><td class="verdict">',
    str(r.verdict), '</td></tr>\n' }
end

function report.report(groups)
  local out = pandoc.List()
  for _, group in ipairs(groups) do
    local rows = {}
    for i, r in ipairs(group.rows) do rows[i] = row(r) end
    local title = 'Section ' .. group.section .. (group.title and ': ' .. group.title or '')
    out:insert(box('Report, ' .. title,
      '<table class="report"><caption>', values.words(title), ' (', group.said or pandoc.Code(group.program),
      ')</caption><thead><tr>',
      '<th scope="col">Key and meaning</th><th scope="col">Value</th>',
      '<th scope="col">Expected</th><th scope="col">Rule</th>',
      '<th scope="col">Verdict</th></tr></thead><tbody>\n', rows, '</tbody></table>'))
  end
  return out
end

function report.chunk_index(groups)
  local items = {}
  for _, group in ipairs(groups) do
    local used = ''
    if #group.used > 0 then used = { ', used in ', chunks.numbers(group.used) } end
    items[#items + 1] = { '<li>', chunks.reference(group, { str('⟨' .. group.name .. '⟩') }),
      ' ', chunks.numbers(group.chunks), used, '</li>\n' }
  end
  return pandoc.Plain(mix('html', '<ul class="index">', items, '</ul>'))
end

function report.identifier_index(identifiers)
  local items = {}
  for _, identifier in ipairs(identifiers) do
    local used = ''
    if #identifier.used > 0 then used = { ', used in ', chunks.numbers(identifier.used) } end
    items[#items + 1] = { '<li>', pandoc.Code(identifier.name), ' ',
      chunks.numbers(identifier.chunks), used, '</li>\n' }
  end
  return pandoc.Plain(mix('html', '<ul class="index identifiers">', items, '</ul>'))
end

return report
