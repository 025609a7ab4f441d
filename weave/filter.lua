-- The one filter of the book: it makes the book from noweb's stream of tokens, and resolves
-- everything that pandoc's Markdown cannot say by itself, for HTML, EPUB and LaTeX. Order of
-- work:
--   1 read the tokens; see what the chunks are to one another   (tokens.lua, book.lua)
--   2 read each chapter's prose                                 (chapters.lua)
--   3 number what can be referred to, resolve citations         (anchors.lua, citations.lua)
--   4 in each chapter, resolve what stands in sentences and then blocks: values, code,
--     links, formulas; figures, chunks, the report              (inlines.lua, blocks.lua)
--   5 stop if anything was wrong, else hand over to pandoc
-- What an element looks like is the writer's business (html.lua, epub.lua, latex.lua). A chapter of the
-- page that would come out as last time is taken from the cache (woven.lua).
--
-- Metadata read: tokens, results, figures and cites (files and folders), set, bibliography,
-- absent (set if the weights of the set are; see absent.lua), cache (a folder, or nothing)
-- and weaver (the weaver's files).

local here = pandoc.path.directory(PANDOC_SCRIPT_FILE)
package.path = here .. '/?.lua;' .. package.path
local problems = require 'problems'
local read = require 'read'
local anchors = require 'anchors'
local chapters = require 'chapters'
local citations = require 'citations'
local page = FORMAT:match '^html' ~= nil
local writer = require(FORMAT:match 'latex' or FORMAT:match 'epub' or 'html')

local function text_of(meta, default)
  return meta and pandoc.utils.stringify(meta) or default
end

-- Attributes that only the filter needs do not reach the output.
local function strip(element)
  for _, name in ipairs { 'at', 'part', 'starts', 'number', 'set', 'run', 'recorded',
    'section' } do
    element.attributes[name] = nil
  end
  return element
end

local function resolve(doc, context)
  doc = doc:walk(require 'inlines'.filter(context))
  doc = doc:walk(require 'blocks'.filter(context))
  return doc:walk { Header = strip, Div = strip, Span = strip, Code = strip,
    Link = strip, Image = strip }
end

-- Where the prose cites a key of the ledger: lines "key <tab> place", as verify reads them.
local function write_cites(path, list)
  local lines = {}
  for _, chapter in ipairs(list) do
    local here = {}
    for _, question in ipairs(chapter.asked) do
      if question[1] == 'value' and question[4] then table.insert(here, question) end
    end
    table.sort(here, function(a, b)
      local x, y = tonumber(a[4]:match '%d+$'), tonumber(b[4]:match '%d+$')
      if x ~= y then return x < y end
      return a[2] < b[2]
    end)
    for _, question in ipairs(here) do
      table.insert(lines, question[2] .. '\t' .. question[4] .. '\n')
    end
  end
  local file = assert(io.open(path .. '.new', 'wb'))
  file:write(table.concat(lines))
  file:close()
  os.rename(path .. '.new', path)
end

local function add_note(meta, note)
  local abstract = pandoc.List(meta.abstract or {})
  if pandoc.utils.type(meta.abstract) == 'Inlines' then
    abstract = pandoc.List { pandoc.Para(meta.abstract) }
  end
  abstract:insert(note)
  meta.abstract = pandoc.MetaBlocks(abstract)
end

function Pandoc(given)
  local meta = given.meta
  local set = text_of(meta.set, 'mini')
  local book = require 'book'.open(require 'tokens'.parse(assert(read(text_of(meta.tokens)))))
  local absent = meta.absent and require 'absent'.new(set, book)
  local results = require 'ledger'.open(text_of(meta.results, 'out/' .. set), absent)
  local kept = require 'cache'.open(page and not absent and text_of(meta.cache))
  local woven = require 'woven'.open(kept, results, book, meta)

  local declared, cited = {}, {}
  for n, chapter in ipairs(book.chapters) do
    if not woven.recall(chapter) then
      chapter.doc, chapter.cites = chapters.read(chapter, book, set, not absent)
      chapter.doc, chapter.cited = citations.collect(chapter.doc)
      chapter.doc, chapter.declared = anchors.declare(chapter.doc, book)
      for name, value in pairs(chapter.doc.meta) do meta[name] = value end
    end
    declared[n], cited[n] = chapter.declared, chapter.cited
  end
  local references = citations.open(cited, meta, kept)
  local context = {
    set = set, book = book, results = results, anchors = anchors.number(declared), writer = writer,
    absent = absent, figures = text_of(meta.figures, 'figures/' .. set), here = here,
    values = require 'values'.new(results, writer, absent), meta = meta,
    records = require 'records'.new(set, results),
  }

  woven.around(context.anchors, references.key)
  local blocks = pandoc.List()
  for n, chapter in ipairs(book.chapters) do
    if not woven.reuse(chapter) then
      local doc = chapter.doc
      if not doc then
        doc = citations.collect((chapters.read(chapter, book, set, not absent)))
        doc = anchors.declare(doc, book)
      end
      references.check(n, chapter.cites or {})
      results.asked = {}
      doc = references.place(resolve(anchors.apply(doc, chapter.declared), context), n)
      chapter.asked = results.asked
      for name, value in pairs(doc.meta) do meta[name] = value end
      chapter.blocks = page and woven.weave(chapter, doc.blocks) or doc.blocks
    end
    blocks:extend(chapter.blocks)
  end
  if meta.cites then write_cites(text_of(meta.cites), book.chapters) end
  problems.finish()
  kept.save()

  context.meta = meta
  meta = writer.metadata(context)
  if absent then add_note(meta, absent.note()) end
  for _, name in ipairs { 'tokens', 'weaver', 'cache', 'cites', 'results', 'figures' } do
    meta[name] = nil
  end
  return pandoc.Pandoc(blocks, meta)
end
