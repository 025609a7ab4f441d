-- How the book's elements look in HTML and EPUB. Links are pandoc links, not
-- raw tags, so that the EPUB writer can follow them from file to file.

local mix = require 'mix'
local read = require 'read'
local tags = require 'tags'
local chunks = require 'html_chunks'
local tables = require 'html_report'
local absent = require 'absent'

local html = {}

local function attr(id, class, more) return pandoc.Attr(id, { class }, more or {}) end

function html.power(mantissa, exponent)
  return { pandoc.Str(mantissa .. '\u{a0}×\u{a0}10'),
    pandoc.Superscript { pandoc.Str(exponent) } }
end

function html.link(id, content, class)
  return pandoc.Link(mix('html', content), '#' .. id, '', attr('', class))
end

-- `own` is the id of the place that cites the row `id` of the report.
function html.value(id, content, own, published)
  local link = html.link(id, content, 'v')
  link.identifier = own
  if published then
    link.classes:insert 'published'
    link.title = absent.published
    link.content:insert(pandoc.Span({ pandoc.Str(absent.mark) }, attr('', 'absent')))
  end
  return link
end

-- What stands for a value or a claim that was not run.
function html.not_run(text, why)
  return pandoc.Span({ pandoc.Str(text) }, attr('', 'absent', { { 'title', why } }))
end

function html.absent(line)
  return pandoc.Div({ pandoc.Para(line) }, attr('', 'absent'))
end

function html.claim(id, sentence, own)
  return pandoc.Link({ pandoc.Str '✓' }, '#' .. id, '',
    attr(own, 'claim', { { 'aria-label', 'checked: ' .. sentence } }))
end

function html.code(runs, class, book)
  if not book then
    local words = {}
    for i, run in ipairs(runs) do words[i] = run[2] end
    local classes = {}
    for c in class:gmatch '%S+' do classes[#classes + 1] = c end
    return pandoc.Code(table.concat(words), pandoc.Attr('', classes))
  end
  return mix('html', '<code class="' .. class .. '">', chunks.runs(runs, book), '</code>')
end

html.formula = require 'mathml'
html.chunk_reference = chunks.reference
html.chunk = chunks.chunk
html.report = tables.report
html.chunk_index = tables.chunk_index
html.identifier_index = tables.identifier_index

function html.header(h)
  if h.attributes.number then
    h.content:insert(1, pandoc.Str '\u{2002}')
    h.content:insert(1, pandoc.Span({ pandoc.Str(h.attributes.number) }, attr('', 'number')))
  end
  h.level = math.min(h.level + 1, 6) -- h1 is the book's title
  return h
end

local function preformatted(text, class)
  return pandoc.Plain(mix('html', '<pre class="', class, '"><samp>', tags.exact(text),
    '</samp></pre>'))
end

function html.verbatim(block) return preformatted(block.text, 'verbatim') end

function html.output(lines, program)
  local caption = pandoc.Plain { pandoc.Code(program), pandoc.Str ' prints:' }
  return pandoc.Div({ pandoc.Div({ caption }, attr('', 'output-head')),
    preformatted(table.concat(lines, '\n'), 'printed') }, attr('', 'output'))
end

function html.equation(id, number, formula)
  return pandoc.Div({ pandoc.Div({ pandoc.Plain { formula } }, attr('', 'formula')),
    pandoc.Plain { pandoc.Span({ pandoc.Str('(' .. number .. ')') }, attr('', 'eqno')) } },
    attr(id, 'equation'))
end

-- A displayed formula scrolls in a box of its own.
function html.display(formula) return pandoc.Span({ formula }, attr('', 'formula')) end

-- A line breaks neither between a formula and the comma behind it nor after a
-- parenthesis before it.
function html.tight(list)
  local out = pandoc.List()
  for _, element in ipairs(list) do
    local last = out[#out]
    local behind = element.t == 'Str' and element.text:match '^[%p]' and last
      and last.t == 'Math' and last.mathtype == 'InlineMath'
    local before = element.t == 'Math' and element.mathtype == 'InlineMath' and last
      and last.t == 'Str' and last.text:match '[(%[]$'
    if behind or before then
      out[#out] = pandoc.Span({ last, element }, attr('', 'tight'))
    elseif element.t == 'Str' and element.text:match '^%p' and last and last.t == 'Span'
      and last.classes:includes 'tight' then
      last.content:insert(element)
    else
      out:insert(element)
    end
  end
  return out
end

-- A note stands in the margin, or where that is too narrow under the line. Numbers and
-- place are the style sheet's. (In EPUB it is pandoc's.)
html.note = not FORMAT:match 'epub' and function(note)
  local content = pandoc.List()
  for i, block in ipairs(note.content) do
    if i > 1 then content:insert(pandoc.Space()) end
    content:extend(block.content)
  end
  return mix('html', '<sup class="mark"></sup><small class="note" role="note">', content,
    '</small>')
end or nil

function html.table_box(table) return { pandoc.Div({ table }, attr('', 'scroll')) } end

local function caption(word, number, content)
  return pandoc.Plain(mix('html', '<figcaption><b>', word, ' ', number, '.</b> ',
    content, '</figcaption>'))
end

local function figure_tag(id, class)
  return pandoc.RawBlock('html', ('<figure%s class="%s">'):format(
    id ~= '' and ' id="' .. id .. '"' or '', class))
end

-- The caption stands above.
function html.captioned(word, id, number, content, body)
  local out = pandoc.List { figure_tag(id, 'table'), caption(word, number, content) }
  out:extend(body)
  out:insert(pandoc.RawBlock('html', '</figure>'))
  return out
end

-- The drawing itself, in a box that scrolls.
function html.picture(f)
  local box = ('<div class="picture"><div style="--width:%gpx">'):format(f.width or 640)
  return pandoc.RawBlock('html', box .. f.svg .. '</div></div>')
end

function html.figure(f)
  local content = mix('html', f.caption)
  if f.script then
    content = mix('html', content, ' <span class="source">Drawn by ',
      chunks.reference(f.script), '.</span>')
  end
  return { figure_tag(f.id, 'figure'), html.picture(f),
    caption('Figure', f.number, content), pandoc.RawBlock('html', '</figure>') }
end

-- The style sheets and the scripts (-M page="FILE ...", in that order) go into the
-- page itself. Each script is a function and an element of its own: what one names
-- or breaks is not the others'. Data for them come along as JSON, in which nothing can
-- end the element.
function html.metadata(context)
  local style, scripts = assert(read(context.here .. '/book.css')), ''
  for file in pandoc.utils.stringify(context.meta.page or ''):gmatch '%S+' do
    if file:match '%.css$' then
      style = style .. assert(read(file))
    elseif file:match '%.json$' then
      scripts = ('%s<script type="application/json" id="%s-data">%s</script>\n'):format(scripts,
        file:match '([^/]*)%.json$', (assert(read(file)):gsub('<', '\\u003c')))
    else
      scripts = ("%s<script>\n(() => {\n'use strict';\n%s})();\n</script>\n"):format(scripts,
        assert(read(file)))
    end
  end
  if context.absent then
    style = style .. '.absent { color: var(--quiet); }\n.v .absent { font-size: .8em; }\n' ..
      'div.absent p { font-size: .88rem; max-width: none; }\n'
  end
  local function raw(text) return pandoc.MetaInlines { pandoc.RawInline('html', text) } end
  context.meta.style, context.meta.script = raw(style), raw(scripts)
  return context.meta
end

return html
