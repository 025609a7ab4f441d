-- The report and the two indexes in LaTeX. A row of the report is a small
-- paragraph rather than a row of a table, so that nothing is too wide.

local tex = require 'tex'
local chunks = require 'latex_chunks'

local report = {}

local function raw(text) return pandoc.RawBlock('latex', text) end

local function row(r)
  local by = ''
  if r.chunk then
    by = ('Computed by %s, page~\\pageref{%s}.'):format(
      ('\\idlink{%s}{\\code{%s}}'):format(r.chunk.id, tex.code(r.name)), r.chunk.id)
  end
  local function or_dash(text) return text and text ~= '' and tex.code(text) or '--' end
  if r.claim then
    return ('\\reportclaim{%s}{%s}{%s}{%s}{%s}\n'):format(r.id, tex.code(r.key),
      r.verdict, tex.text(r.full or '') .. '.', by)
  end
  local meaning = r.meaning and r.meaning ~= '' and tex.text(r.meaning) .. '. ' or ''
  return ('\\reportrow{%s}{%s}{%s}{%s}{%s}{%s}{%s}\n'):format(r.id, tex.code(r.key),
    r.verdict, or_dash(r.full), or_dash(r.expected), or_dash(r.rule),
    meaning .. by)
end

function report.report(groups)
  local out = pandoc.List()
  for _, group in ipairs(groups) do
    local rows = {}
    for i, r in ipairs(group.rows) do rows[i] = row(r) end
    local title = 'Section ' .. group.section .. (group.title and ': ' .. group.title or '')
    out:insert(raw(('\\begin{reportgroup}{%s}{%s}\n%s\\end{reportgroup}'):format(
      tex.text(title), group.said and '\\normalfont ' .. group.said or
        tex.code(group.program or ''), table.concat(rows))))
  end
  return out
end

local function entry(name, list, used)
  return ('\\indexline{%s, %s%s}\n'):format(name, chunks.pages(list),
    #used > 0 and '; used on ' .. chunks.pages(used) or '')
end

function report.chunk_index(groups)
  local out = {}
  for i, group in ipairs(groups) do
    out[i] = entry(chunks.name_link(group.chunks[1]), group.chunks, group.used)
  end
  return raw('\\begin{bookindex}\n' .. table.concat(out) .. '\\end{bookindex}')
end

function report.identifier_index(identifiers)
  local out = {}
  for i, identifier in ipairs(identifiers) do
    out[i] = entry('\\code{' .. tex.code(identifier.name) .. '}', identifier.chunks,
      identifier.used)
  end
  return raw('\\begin{bookindex}\n' .. table.concat(out) .. '\\end{bookindex}')
end

return report
