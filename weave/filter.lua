-- The one filter of the book: everything that pandoc's Markdown cannot say by
-- itself is resolved here, for HTML, EPUB and LaTeX. Order of work:
--   1 drop what the set or the run leaves out   (::: {.only set=mini})
--   2 number things and collect their anchors  (anchors.lua)
--   3 resolve what stands inside sentences     (values, code, links, formulas)
--   4 resolve blocks                           (figures, chunks, the report ...)
--   5 check citations; stop if anything was wrong, else hand over to pandoc
-- What an element looks like is the writer's business (html.lua, latex.lua).
--
-- Metadata read: weave (from the reader), set, results and figures (folders),
-- absent (set if the weights of the set are; see absent.lua).

local here = pandoc.path.directory(PANDOC_SCRIPT_FILE)
package.path = here .. '/?.lua;' .. package.path
local problems = require 'problems'
local latex = FORMAT:match 'latex' ~= nil
local writer = require(latex and 'latex' or 'html')

local function text_of(meta, default)
  return meta and pandoc.utils.stringify(meta) or default
end

-- True if the element is for this model set (set=mini), and for a build that ran
-- the real program, or did not (run=real).
local function wanted(element, set, ran)
  local only = element.classes:includes 'only'
  if not only and not element.classes:includes 'unless' then return true end
  local run = element.attributes.run
  if run == 'real' and not element.attributes.set then return ran == only end
  local named = false
  for name in (element.attributes.set or ''):gmatch '[^%s,]+' do
    named = named or name == set
  end
  if run or not element.attributes.set then
    problems.add(element.attributes.at, 'say which set or which run: set=%s or run=real', set)
  end
  return named == only
end

local function choose(doc, set, ran)
  local function pick(element)
    if not wanted(element, set, ran) then return {} end
    if #element.classes == 1 and element.identifier == ''
      and (element.classes[1] == 'only' or element.classes[1] == 'unless') then
      return element.content
    end
  end
  return doc:walk { Div = pick, Span = pick }
end

local function check_citations(doc, cites)
  local known = {}
  for _, reference in ipairs(pandoc.utils.references(doc)) do
    known[reference.id] = true
  end
  local present = {} -- a block for another set may cite what it likes
  doc:walk { Cite = function(c)
    for _, citation in ipairs(c.citations) do present[citation.id] = true end
  end }
  for _, cite in ipairs(cites) do
    if present[cite.id] and not known[cite.id] then
      problems.add(cite.at, "unknown citation '%s'", cite.id)
    end
  end
end

-- Attributes that only the filter needs do not reach the output.
local function strip(element)
  for _, name in ipairs { 'at', 'part', 'starts', 'number', 'set', 'run' } do
    element.attributes[name] = nil
  end
  return element
end

function Pandoc(doc)
  local set = text_of(doc.meta.set, 'mini')
  local book = require 'book'.open(text_of(doc.meta.weave))
  local absent = doc.meta.absent and require 'absent'.new(set, book)
  local results = require 'ledger'.open(text_of(doc.meta.results, 'out/' .. set), absent)
  doc.meta.weave = nil

  doc = choose(doc, set, not absent)
  local anchors
  doc, anchors = require 'anchors'.collect(doc, book)
  local context = {
    book = book, results = results, anchors = anchors, writer = writer, absent = absent,
    figures = text_of(doc.meta.figures, 'figures/' .. set),
    values = require 'values'.new(results, writer, absent), here = here, meta = doc.meta,
  }
  doc = doc:walk(require 'inlines'.filter(context))
  doc = doc:walk(require 'blocks'.filter(context))
  check_citations(doc, book.cites)
  problems.finish()

  doc = doc:walk { Header = strip, Div = strip, Span = strip, Code = strip,
    Link = strip, Image = strip }
  doc.meta = writer.metadata(context)
  if absent then
    local abstract = pandoc.List(doc.meta.abstract or {})
    if pandoc.utils.type(doc.meta.abstract) == 'Inlines' then
      abstract = pandoc.List { pandoc.Para(doc.meta.abstract) }
    end
    abstract:insert(absent.note())
    doc.meta.abstract = pandoc.MetaBlocks(abstract)
  end
  return doc
end
