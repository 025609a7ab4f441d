-- Numbers and names of everything that can be referred to.
--
-- collect(doc, book, writer) walks the document once, in order, and gives
-- numbers to sections, figures, equations and tables and an id to each header;
-- a paragraph that is nothing but an image becomes a div of class `figure`.
-- It returns the new document and `anchors`: id -> {label = "Figure 3",
-- number = "3", kind}. Code and spans get the section they stand in as an
-- attribute, for the places that cite a key. Two things with one id are a problem.

local problems = require 'problems'
local slug = require 'book'.slug

local anchors = {}

-- Counts sections: 1, 2, 3 in the main part, A, B, C in the appendices, and
-- nothing in front or where the author says .unnumbered.
local function section_counter()
  local counts, part = {}, nil
  return function(header)
    if header.attributes.part == 'front' then
      header.classes:insert 'unnumbered'
    end
    if header.classes:includes 'unnumbered' then return nil end
    if header.level == 1 and header.attributes.part ~= part then
      part = header.attributes.part
      counts = {}
      header.attributes.starts = part
    end
    counts[header.level] = (counts[header.level] or 0) + 1
    for level = header.level + 1, 6 do counts[level] = nil end
    local words = {}
    for level = 1, header.level do words[level] = tostring(counts[level] or 0) end
    if part == 'appendix' then words[1] = string.char(64 + (counts[1] or 0)) end
    return table.concat(words, '.'), part == 'appendix' and 'Appendix' or 'Section'
  end
end

function anchors.collect(doc, book)
  local all, counts = {}, { Figure = 0, Equation = 0, Table = 0 }
  local function add(id, at, kind, number, label)
    if id == '' then return end
    if all[id] then problems.add(at, "the id '%s' is taken already", id) end
    all[id] = { kind = kind, number = number, label = label or id }
  end
  local function numbered(element, kind)
    counts[kind] = counts[kind] + 1
    local n = tostring(counts[kind])
    element.attributes.number = n
    add(element.identifier, element.attributes.at, kind, n, kind .. '\u{a0}' .. n)
  end
  local next_section, chapter, section = section_counter(), '', nil

  local function place(element)
    add(element.identifier, element.attributes.at, 'inline')
    element.attributes.section = section
    return element
  end

  doc = doc:walk {
    traverse = 'topdown',
    Header = function(h)
      local title = pandoc.utils.stringify(h.content)
      if h.identifier == '' then
        h.identifier = (h.level > 1 and chapter .. '-' or '') .. slug(title)
      end
      if h.level == 1 then chapter = h.identifier end
      local number, word = next_section(h)
      h.attributes.number = number
      add(h.identifier, h.attributes.at, 'section', number,
        number and word .. '\u{a0}' .. number or title)
      section = number or title
      return h
    end,
    Para = function(p)
      local image = p.content[1]
      if #p.content ~= 1 or image.t ~= 'Image' then return nil end
      local figure = pandoc.Div({ pandoc.Plain(image.caption) }, image.attr)
      figure.classes:insert 'figure'
      figure.attributes.src = image.src
      numbered(figure, 'Figure')
      return { figure:walk { Code = place, Span = place } }, false
    end,
    Div = function(d)
      if d.classes:includes 'chunk' then
        local chunk = book.chunks[tonumber(d.attributes.chunk)]
        add(chunk.id, d.attributes.at, 'chunk')
        return nil, false
      elseif d.classes:includes 'table' then
        numbered(d, 'Table')
      elseif d.identifier:match '^eq:' then
        d.classes:insert 'equation'
        numbered(d, 'Equation')
      else
        add(d.identifier, d.attributes.at, 'block')
      end
      return d
    end,
    Span = place,
    Code = place,
  }
  return doc, all
end

return anchors
