-- Citations and the list of references. Pandoc's citeproc sees them alone, in a small
-- document of nothing else: that takes a tenth of the time of the whole book.
--
-- collect(doc) -> the document and its citations, in order, as text to be kept
-- open(lists, meta, kept) takes those of all chapters and returns
--   key            new when what is cited, or the bibliography, is new
--   place(doc, n)  the document of chapter n, its citations and, where they belong, the
--                  references resolved
--   check(n, cites)  cites, {id, at}, of chapter n: what is not in the bibliography is a
--                  problem
-- `kept` is the cache where the resolved ones are.

local problems = require 'problems'
local read = require 'read'

local citations = {}

-- Pandoc gives a reference of the class csl-entry a role that is no longer in use.
local function reference(div)
  if not div.classes:includes 'csl-entry' then return nil end
  div.classes = { 'entry' }
  return div
end

-- Each gets its place in the list, since blocks may change their order later on.
function citations.collect(doc)
  local found = pandoc.List()
  doc = doc:walk { Cite = function(c)
    found:insert(pandoc.Para { c })
    c.citations[1].note_num = #found
    return c
  end }
  return doc, #found > 0 and pandoc.write(pandoc.Pandoc(found), 'json') or ''
end

-- A document of the citations of all chapters; how many each has.
local function gather(lists)
  local blocks, counts = pandoc.List(), {}
  for n, text in ipairs(lists) do
    local paragraphs = text ~= '' and pandoc.read(text, 'json').blocks or {}
    blocks:extend(paragraphs)
    counts[n] = #paragraphs
  end
  return blocks, counts
end

-- Nothing can be resolved with a bibliography that cannot be read.
local function refuse(path, line, why)
  problems.add(('%s:%s'):format(path, line), why)
  problems.finish()
end

function citations.open(lists, meta, kept)
  local path, lang = pandoc.utils.stringify(meta.bibliography), meta.lang or 'en'
  local text = read(path) or ''
  local _, odd = utf8.len(text)
  if odd then
    local _, newlines = text:sub(1, odd):gsub('\n', '')
    refuse(path, newlines + 1, 'not UTF-8 text; save the file as UTF-8')
  end
  local self = { key = pandoc.utils.sha1(pandoc.utils.stringify(lang) ..
    table.concat(lists, '\n') .. text) }
  local function document(blocks)
    return pandoc.Pandoc(blocks, { bibliography = meta.bibliography, lang = lang,
      ['link-citations'] = meta['link-citations'] })
  end

  local known
  function self.check(n, cites)
    if #cites == 0 or lists[n] == '' then return end
    if not known then
      known = {}
      local good, found = pcall(pandoc.utils.references, document((gather(lists))))
      if not good then
        local why = tostring(found):gsub('\\n', '\n'):gsub('\nstack traceback.*', '')
        refuse(path, why:match 'line (%d+)' or 1, 'not BibTeX: ' ..
          why:gsub('^.*column %d+%):%s*', ''):gsub('\\"', '"'):gsub('"$', ''))
      end
      for _, reference in ipairs(found) do
        known[reference.id] = true
      end
    end
    local present = {} -- a block for another set may cite what it likes
    pandoc.read(lists[n], 'json'):walk { Cite = function(c)
      for _, citation in ipairs(c.citations) do present[citation.id] = true end
    end }
    for _, cite in ipairs(cites) do
      if present[cite.id] and not known[cite.id] then
        problems.add(cite.at, "unknown citation '%s'", cite.id)
      end
    end
  end

  local resolved, first
  local function resolve()
    local blocks, counts = gather(lists)
    local before = kept.get 'citations'
    if not before or before.key ~= self.key then
      blocks:insert(pandoc.Div({}, pandoc.Attr 'refs'))
      before = { key = self.key, text = pandoc.pipe('pandoc',
        { '--quiet', '--from=json', '--to=json', '--citeproc' },
        pandoc.write(document(blocks), 'json')) }
      kept.put('citations', before)
    end
    resolved, first = pandoc.read(before.text, 'json').blocks:walk { Div = reference }, {}
    local total = 0
    for n, count in ipairs(counts) do
      first[n] = total
      total = total + count
    end
  end

  function self.place(doc, n)
    if not resolved then resolve() end
    return doc:walk {
      Cite = function(c) return resolved[first[n] + c.citations[1].note_num].content[1] end,
      Div = function(div) return div.identifier == 'refs' and resolved[#resolved] or nil end,
    }
  end
  return self
end

return citations
