-- The chapters of the page as HTML, so that a chapter in which nothing is new is not woven
-- again. It is taken as it was last time if all is the same that it is made from: its own
-- tokens and places; the weaver, the set and how the chunks of the book hang together; the
-- numbers of what can be referred to, and the citations; and what it asked the results for.
-- Where one of these is new, it is woven.
--
-- open(kept, results, book, meta) returns, `kept` being a cache,
--   recall(chapter)        true if its tokens are those of last time: then the chapter has
--                          `declared` and `cited` without being parsed
--   around(anchors, key)   to be called when everything is numbered
--   reuse(chapter)         true if it can be taken as it was: it has `blocks` and `asked`
--   weave(chapter, blocks) -> its blocks as HTML, and remembers them
-- Headers stay pandoc's, which makes the table of contents from them.

local cache = require 'cache'
local read = require 'read'
local part = require 'chapters'.part
local sha1 = pandoc.utils.sha1

local woven = {}

-- The text of all files that weave.
local function weaver(files)
  local texts = { tostring(PANDOC_VERSION) }
  for name in files:gmatch '%S+' do
    texts[#texts + 1] = assert(read(name))
  end
  return table.concat(texts, '\n')
end

local function html(blocks)
  return pandoc.write(pandoc.Pandoc(blocks), 'html5', { html_math_method = 'mathml',
    wrap_text = PANDOC_WRITER_OPTIONS.wrap_text })
end

-- Pieces of HTML, true where a header stands between them, and the headers as JSON.
local function cut(blocks)
  local pieces, headers, open = {}, pandoc.List(), pandoc.List()
  local function close()
    if #open > 0 then pieces[#pieces + 1] = html(open) end
    open = pandoc.List()
  end
  for _, block in ipairs(blocks) do
    if block.t == 'Header' then
      close()
      pieces[#pieces + 1] = true
      headers:insert(block)
    else
      open:insert(block)
    end
  end
  close()
  return pieces, pandoc.write(pandoc.Pandoc(headers), 'json')
end

local function join(pieces, headers)
  headers = pandoc.read(headers, 'json').blocks
  local blocks, n = pandoc.List(), 0
  for _, piece in ipairs(pieces) do
    if piece == true then n = n + 1 end
    blocks:insert(piece == true and headers[n] or pandoc.RawBlock('html', piece))
  end
  return blocks
end

function woven.open(kept, results, book, meta)
  local self, around = {}, nil
  local function said(name) return pandoc.utils.stringify(meta[name] or '') end
  local general = sha1(cache.serial { weaver(said 'weaver'), said 'set', said 'figures',
    require 'book'.structure(book) })

  local function key(chapter) return sha1(general .. chapter.tokens) end

  function self.recall(chapter)
    local last = part(chapter.file) ~= 'front' and kept.get(chapter.file)
    if not last or last.key ~= key(chapter) then return false end
    chapter.last, chapter.declared, chapter.cited = last, last.declared, last.cited
    return true
  end

  function self.around(anchors, citations)
    around = sha1(cache.serial(anchors) .. citations)
  end

  function self.reuse(chapter)
    local last = chapter.last
    if not last or last.around ~= around or results.answers(last.asked) ~= last.answers then
      return false
    end
    results.recall(last.asked)
    chapter.blocks, chapter.asked = join(last.pieces, last.headers), last.asked
    return true
  end

  function self.weave(chapter, blocks)
    local pieces, headers = cut(blocks)
    kept.put(chapter.file, { key = key(chapter), declared = chapter.declared,
      cited = chapter.cited, around = around, asked = chapter.asked,
      answers = results.answers(chapter.asked), pieces = pieces, headers = headers })
    return join(pieces, headers)
  end
  return self
end

return woven
