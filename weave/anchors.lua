-- Numbers and names of everything that can be referred to.
--
-- declare(doc, book) walks one chapter, in order, and returns it and a list of what it
-- declares: {id, at, kind = section, Figure, Equation, Table, chunk, block or inline; of a
-- section also level, part, title, unnumbered}. A header gets an id, and a paragraph that
-- is nothing but an image becomes a div of class `figure`.
-- number(lists) takes the lists of all chapters, sets `number` (and `starts`, where a
-- part of the book begins) in them, and returns `anchors`: id -> {label = "Figure 3",
-- number = "3", kind}. Two things with one id are a problem.
-- apply(doc, list) puts the numbers of a chapter into its elements, and into code and spans
-- the number of the section they stand in (or its title), for the places that cite a key.

local problems = require 'problems'
local slug = require 'book'.slug

local anchors = {}

-- Counts sections: 1, 2, 3 in the main part, A, B, C in the appendices, and
-- nothing in front or where the author says .unnumbered.
local function section_counter()
  local counts, part = {}, nil
  return function(section)
    if section.unnumbered then return nil end
    if section.level == 1 and section.part ~= part then
      part = section.part
      counts = {}
      section.starts = part
    end
    counts[section.level] = (counts[section.level] or 0) + 1
    for level = section.level + 1, 6 do counts[level] = nil end
    local words = {}
    for level = 1, section.level do words[level] = tostring(counts[level] or 0) end
    if part == 'appendix' then words[1] = string.char(64 + (counts[1] or 0)) end
    return table.concat(words, '.'), part == 'appendix' and 'Appendix' or 'Section'
  end
end

function anchors.declare(doc, book)
  local list, chapter = {}, ''
  local function add(element, kind)
    table.insert(list, { id = element.identifier, at = element.attributes.at, kind = kind })
    return list[#list]
  end
  local function numbered(element, kind)
    add(element, kind)
    element.attributes.declared = tostring(#list)
  end

  doc = doc:walk {
    traverse = 'topdown',
    Header = function(h)
      local title = pandoc.utils.stringify(h.content)
      if h.identifier == '' then
        h.identifier = (h.level > 1 and chapter .. '-' or '') .. slug(title)
      end
      if h.level == 1 then chapter = h.identifier end
      if h.attributes.part == 'front' then h.classes:insert 'unnumbered' end
      local section = add(h, 'section')
      section.level, section.part, section.title = h.level, h.attributes.part, title
      section.unnumbered = h.classes:includes 'unnumbered'
      h.attributes.declared = tostring(#list)
      return h
    end,
    Para = function(p)
      local image = p.content[1]
      if #p.content ~= 1 or image.t ~= 'Image' then return nil end
      local figure = pandoc.Div({ pandoc.Plain(image.caption) }, image.attr)
      figure.classes:insert 'figure'
      figure.attributes.src = image.src
      numbered(figure, 'Figure')
      return { figure }, false
    end,
    Div = function(d)
      if d.classes:includes 'chunk' then
        add(d, 'chunk').id = book.chunks[tonumber(d.attributes.chunk)].id
        return nil, false
      elseif d.classes:includes 'table' then
        numbered(d, 'Table')
      elseif d.identifier:match '^eq:' then
        d.classes:insert 'equation'
        numbered(d, 'Equation')
      else
        add(d, 'block')
      end
      return d
    end,
    Span = function(s) add(s, 'inline') end,
    Code = function(c) add(c, 'inline') end,
  }
  return doc, list
end

function anchors.number(lists)
  local all, counts, next_section = {}, { Figure = 0, Equation = 0, Table = 0 }, section_counter()
  for _, list in ipairs(lists) do
    for _, d in ipairs(list) do
      local label
      d.starts = nil
      if d.kind == 'section' then
        local word
        d.number, word = next_section(d)
        label = d.number and word .. '\u{a0}' .. d.number or d.title
      elseif counts[d.kind] then
        counts[d.kind] = counts[d.kind] + 1
        d.number = tostring(counts[d.kind])
        label = d.kind .. '\u{a0}' .. d.number
      end
      if all[d.id] then problems.add(d.at, "the id '%s' is taken already", d.id) end
      if d.id ~= '' then
        all[d.id] = { kind = d.kind, number = d.number, label = label or d.id }
      end
    end
  end
  return all
end

function anchors.apply(doc, list)
  local section
  local function number(element)
    local declared = list[tonumber(element.attributes.declared)]
    if not declared then return nil end
    element.attributes.declared = nil
    element.attributes.number, element.attributes.starts = declared.number, declared.starts
    return element
  end
  local function header(h)
    local declared = list[tonumber(h.attributes.declared)]
    section = declared.number or declared.title
    return number(h)
  end
  local function place(element)
    element.attributes.section = section
    return element
  end
  return doc:walk { traverse = 'topdown', Header = header, Div = number, Code = place,
    Span = place }
end

return anchors
