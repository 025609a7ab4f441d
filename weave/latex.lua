-- How the book's elements look in LaTeX. The macros are defined in page.tex.
-- All links inside the book go to labels, whatever pandoc's own habit is.

local mix = require 'mix'
local tex = require 'tex'
local chunks = require 'latex_chunks'
local tables = require 'latex_report'
local absent = require 'absent'

local latex = {}

local function inline(...) return mix('latex', ...) end

local function block(...) return pandoc.Plain(mix('latex', ...)) end

function latex.power(mantissa, exponent)
  return { pandoc.RawInline('latex', ('\\ensuremath{%s\\times10^{%s}}'):format(
    mantissa:gsub('\u{2212}', '-'), (exponent:gsub('\u{2212}', '-')))) }
end

function latex.link(id, content)
  return inline('\\hyperref[' .. id .. ']{', content, '}')
end

function latex.value(id, content, _, published)
  return inline('\\vlink{' .. id .. '}{', content, '}', published and
    '{\\footnotesize\\textcolor{quiet}{' .. absent.mark .. '}}' or '')
end

-- What stands for a value or a claim that was not run.
function latex.not_run(text) return inline('\\textcolor{quiet}{' .. text .. '}') end

function latex.absent(line)
  return block('\\par\\addvspace{8pt}\\noindent{\\small\\color{quiet}', line,
    '\\par}\\addvspace{8pt}')
end

function latex.claim(id) return inline('\\claimmark{' .. id .. '}') end

function latex.code(runs, _, book)
  return inline('\\code{' .. chunks.runs(runs, book) .. '}')
end

function latex.chunk_reference(group, words)
  if #words > 0 then return latex.link(group.id, words) end
  return inline(chunks.name_link(group.chunks[1]) .. ' (page~\\pageref{' .. group.id .. '})')
end

function latex.formula(text) return text end

latex.chunk = chunks.chunk
latex.report = tables.report
latex.chunk_index = tables.chunk_index
latex.identifier_index = tables.identifier_index

-- LaTeX counts the sections itself; it only has to know where A begins, and
-- what to print above the pages of a chapter without a number.
function latex.header(h)
  if h.attributes.starts == 'main' then
    return { pandoc.RawBlock('latex', '\\bookmain'), h }
  elseif h.attributes.starts == 'appendix' then
    return { pandoc.RawBlock('latex', '\\bookappendix'), h }
  elseif h.level == 1 and h.classes:includes 'unnumbered' then
    local title = tex.text(pandoc.utils.stringify(h.content))
    return { h, pandoc.RawBlock('latex', '\\markboth{' .. title .. '}{}') }
  end
end

local function lines_of(text)
  local out = {}
  for line in (text .. '\n'):gmatch '([^\n]*)\n' do
    out[#out + 1] = chunks.line { { 'text', line } }
  end
  return table.concat(out)
end

function latex.verbatim(b)
  return pandoc.RawBlock('latex', '\\begin{codelines}\n' .. lines_of(b.text) ..
    '\\end{codelines}')
end

function latex.output(lines, program)
  return pandoc.RawBlock('latex', ('\\begin{printed}{%s}\n%s\\end{printed}'):format(
    tex.code(program), lines_of(table.concat(lines, '\n'))))
end

function latex.equation(id, number, formula)
  local text = formula.text:gsub('^%s+', ''):gsub('%s+$', '')
  return pandoc.RawBlock('latex', ('\\begin{formula}{%s}\\begin{equation}\\tag{%s}' ..
    '\\label{%s}\n%s\n\\end{equation}\\end{formula}'):format(tex.pdf_string(text), number, id,
    text))
end

-- A listener hears what was typed.
function latex.display(formula)
  return pandoc.Span(inline('\\begin{formula}{' .. tex.pdf_string(formula.text) .. '}', formula,
    '\\end{formula}'))
end

function latex.table_box(t)
  return { pandoc.RawBlock('latex', '\\begin{tablebox}'), t,
    pandoc.RawBlock('latex', '\\end{tablebox}') }
end

local function anchor(id)
  return id ~= '' and '\\phantomsection\\label{' .. id .. '}' or ''
end

-- A table that fits on a page is not begun where only a part of it has room.
local function rows_of(body)
  local rows = 0
  for _, b in ipairs(body) do
    if b.t == 'Table' then
      for _, part in ipairs(b.bodies) do rows = rows + #part.body end
    end
  end
  return rows
end

function latex.captioned(word, id, number, content, body)
  local rows = rows_of(body)
  local out = pandoc.List { block(('\\needlines{%d}'):format(rows <= 24 and rows + 5 or 8) ..
    '\\abovecaption{' .. anchor(id) .. '\\captionname{' ..
    word .. '~' .. number .. '.} ', content, '}') }
  out:extend(body)
  return out
end

function latex.figure(f)
  return block('\\begin{figure}[htbp]\\centering' .. anchor(f.id) .. '\n',
    ('\\altpicture{%s}{%s}\n'):format(tex.pdf_string(f.alt), f.path .. '.pdf'),
    '\\belowcaption{\\captionname{Figure~' .. f.number .. '.} ', f.caption,
    f.script and ' Drawn by ' .. chunks.name_link(f.script.chunks[1]) .. '.' or '',
    '}\n\\end{figure}')
end

-- Title, authors and abstract as an XMP packet, in hexadecimal.
function latex.metadata(context)
  local function text(meta)
    return (pandoc.utils.stringify(meta):gsub('[&<>]', { ['&'] = '&amp;', ['<'] = '&lt;',
      ['>'] = '&gt;' }))
  end
  local function field(name, kind, meta, attribute)
    return meta and ('<dc:%s><rdf:%s><rdf:li%s>%s</rdf:li></rdf:%s></dc:%s>'):format(name,
      kind, attribute or '', text(meta), kind, name) or ''
  end
  local meta, default = context.meta, ' xml:lang="x-default"'
  local packet = '<?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>' ..
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">' ..
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' ..
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">' ..
    field('title', 'Alt', meta.title, default) .. field('creator', 'Seq', meta.author) ..
    field('description', 'Alt', meta.abstract, default) ..
    field('language', 'Bag', meta.lang) ..
    '</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>'
  meta.xmp = pandoc.MetaInlines { pandoc.RawInline('latex', (packet:gsub('.', function(c)
    return ('%02x'):format(c:byte())
  end))) }
  return meta
end

return latex
