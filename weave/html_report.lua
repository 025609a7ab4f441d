-- The report and the two indexes in HTML.

local mix = require 'mix'
local tags = require 'tags'

local report = {}

-- "Cited in 6.2 and 6.3", each a link to the very place.
local function cited(places)
  local out = {}
  for i, place in ipairs(places) do
    out[i] = { i == 1 and ' Cited in ' or i == #places and ' and ' or ', ',
      tags.link(place.id, tags.exact(place.section)) }
  end
  return #out > 0 and { '<span class="cited">', out, '.</span>' } or ''
end

-- One entry: what it is in the first column, what came out in the others.
local function row(r)
  local function cell(class, text)
    return { '<td class="', class, '">', tags.exact(text or ''), '</td>' }
  end
  local by, other = '', ''
  if r.chunk then
    by = { ' Computed by ', tags.link(r.chunk.places[r.name] or tags.target(r.chunk),
      { '<code>', tags.exact(r.name), '</code>' }), '.' }
  end
  if r.published then
    other = { ' Published for ', tags.exact(r.published.set), ': <samp>',
      tags.exact(r.published.text), '</samp>.' }
  end
  local meaning = (r.claim and r.full or r.meaning or ''):gsub('[^.]$', '%0.')
  return { '<tr id="', r.id, '" class="', r.verdict, '"><th scope="row"><code>',
    tags.exact(r.key), '</code><div>', tags.exact(meaning), by, cited(r.cited), other,
    '</div></th>', cell('full', r.claim and 'holds' or r.full),
    cell('expected', r.claim and 'holds' or r.expected), cell('rule', r.rule),
    cell('verdict', r.verdict), '</tr>\n' }
end

-- One table, in which each section of a program is a body.
function report.report(groups)
  local bodies = {}
  for i, group in ipairs(groups) do
    local rows = {}
    for j, r in ipairs(group.rows) do rows[j] = row(r) end
    bodies[i] = { '<tbody><tr class="section"><th scope="rowgroup" colspan="5">Section ',
      group.section, group.title and { ': ', tags.exact(group.title) } or '', ' (',
      group.said or { '<code>', tags.exact(group.program), '</code>' }, ')</th></tr>\n',
      rows, '</tbody>\n' }
  end
  return pandoc.Plain(mix('html', '<div class="scroll">',
    '<table class="report" id="ledger"><thead><tr>',
    '<th scope="col">Key and meaning</th><th scope="col">Value</th>',
    '<th scope="col">Expected</th><th scope="col">Rule</th>',
    '<th scope="col">Verdict</th></tr></thead>\n', bodies, '</table></div>'))
end

-- The numbers of chunks: where something is defined stands out, where it is used follows.
local function numbers(defined, used, name)
  local out = {}
  for i, chunk in ipairs(defined) do
    out[i] = { i > 1 and ' ' or '', tags.link(chunk.places[name] or tags.target(chunk),
      tostring(chunk.number), 'd') }
  end
  for _, chunk in ipairs(used) do
    out[#out + 1] = { ' ', tags.link(tags.target(chunk), tostring(chunk.number)) }
  end
  return out
end

-- A list of what entry(item) makes of each, with a letter where the next one begins.
local function index(list, class, entry)
  local out, letter = {}, ''
  for i, item in ipairs(list) do
    local first = (item.name:match '^%a' or ''):upper()
    if first ~= letter and first ~= '' then
      out[#out + 1] = { '<li class="letter">', first, '</li>\n' }
      letter = first
    end
    out[#out + 1] = { '<li>', entry(item), '</li>\n' }
  end
  return pandoc.Plain(mix('html', '<ul class="index ', class, '">\n', out, '</ul>'))
end

function report.chunk_index(groups)
  return index(groups, 'chunks', function(group)
    return { '⟨', tags.exact(group.name), '⟩ ', numbers(group.chunks, group.used) }
  end)
end

function report.identifier_index(identifiers)
  return index(identifiers, 'identifiers', function(identifier)
    return { '<code>', tags.exact(identifier.name), '</code> ',
      numbers(identifier.chunks, identifier.used, identifier.name) }
  end)
end

return report
