-- One chapter of the book as a pandoc document, before anything in it is resolved.
--
-- read(chapter, book, set, ran) parses the prose as Markdown and makes of each code chunk a div
-- of class `chunk`, whose attribute `chunk` is the chunk's place in the book's list; it
-- leaves out what is for other model sets, or for a run of the real program where there was
-- none (ran is false). Returns the document (the YAML block of
-- book.nw is its metadata) and
--   cites     {id, at} of each citation that the prose makes
-- part(file)  is the part of the book a file belongs to.

local prose = require 'prose'
local problems = require 'problems'

local latex = FORMAT:match 'latex' ~= nil
local chapters = {}

-- From its name: 03-heads.nw is in the main part, C-tensor.nw an appendix, and book.nw
-- stands in front.
function chapters.part(file)
  local name = file:match '[^/]*$'
  if name == 'book.nw' then return 'front' end
  return name:match '^%d' and 'main' or 'appendix'
end

-- True if the element is for this model set (set=mini), and for a build that ran the
-- real program, or did not (run=real).
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

function chapters.read(chapter, book, set, ran)
  local blocks, meta, cites, found = pandoc.List(), {}, {}, {}
  local part = chapters.part(chapter.file)
  for _, item in ipairs(chapter.items) do
    if item.code then
      local chunk = book.chunks[item.code]
      blocks:insert(pandoc.Div({}, { class = 'chunk', chunk = tostring(item.code),
        at = chunk.file .. ':' .. chunk.line }))
    else
      local doc, cited = prose.read(item.docs, chapter.file, item.line, found)
      for name, value in pairs(doc.meta) do
        meta[name] = value
        if part ~= 'front' then
          local _, above = ('\n' .. item.docs):match '^(.-)\n%-%-%-':gsub('\n', '')
          problems.add(chapter.file .. ':' .. item.line + above, "a block between lines '---' is " ..
            "metadata, here '%s', and only book.nw has that; a rule is '***'", name)
        end
      end
      for _, cite in ipairs(cited) do cites[#cites + 1] = cite end
      if latex then -- for texplace.awk
        blocks:insert(pandoc.RawBlock('latex', '%at ' .. chapter.file .. ':' .. item.line))
      end
      blocks:extend(doc.blocks:walk {
        Header = function(h)
          h.attributes.part = part
          return h
        end,
      })
    end
  end
  for _, p in ipairs(found) do problems.add(p.at, p.text) end
  return choose(pandoc.Pandoc(blocks, meta), set, ran), cites
end

return chapters
