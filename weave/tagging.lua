-- Tags of the PDF, for those who listen to it: what is a heading, a paragraph, code, a
-- figure with its text alternative. Packages that do this want other classes than ours
-- or are not where the book must build, and LuaTeX needs little help.
--
-- An element is a number; what is typeset while the attribute `mark` holds it belongs to
-- it. page.tex opens elements:
--   open(kind, alt) ... close()   an element that holds others
--   leaf(kind, alt)               one that holds what is typeset from here to the group's end
--   paragraph(kind)               a leaf, unless a page is being put together
--   item() ... end_list()         the next item of the list that is open; the end of it
--   off()                         what follows to the group's end is in no element
-- Rows and cells of a table are found where the page is shipped. What belongs to no
-- element (page heads) is an artifact. At the end, finish() writes the tree.

local tagging = {}

local mark = luatexbase.new_attribute 'tagging'
local none = -0x7FFFFFFF
local elements = { { kind = 'Document', kids = {} } }
local stack = { 1 } -- the elements that are open
local pages = {} -- for each page, the element of each piece of it

local function new(kind, parent, alt)
  local n = #elements + 1
  elements[n] = { kind = kind, parent = parent, kids = {}, alt = alt ~= '' and alt or nil }
  table.insert(elements[parent].kids, n)
  return n
end

function tagging.open(kind, alt)
  stack[#stack + 1] = new(kind, stack[#stack], alt)
end

function tagging.close() stack[#stack] = nil end

function tagging.leaf(kind, alt)
  tex.setattribute(mark, new(kind, stack[#stack], alt))
end

function tagging.off() tex.setattribute(mark, none) end

function tagging.paragraph(kind)
  if status.output_active then
    tagging.off()
  else
    tagging.leaf(kind)
  end
end

local function end_item()
  if elements[stack[#stack]].kind == 'LI' then tagging.close() end
end

-- (TeX has other uses for \item than in lists.)
function tagging.item()
  end_item()
  if elements[stack[#stack]].kind == 'L' then tagging.open 'LI' end
end

function tagging.end_list()
  end_item()
  tagging.close()
end

-- ---- a page -----------------------------------------------------------------

local id = {}
for number, name in pairs(node.types()) do id[name] = number end
local literal = node.subtype 'pdf_literal'
local row, cell = 4, 5 -- subtypes of a list: those of an alignment

local function operator(text)
  local n = node.new(id.whatsit, literal)
  n.mode, n.data = 1, text -- 1: outside of lines of text
  return n
end

-- A space between words is a distance in TeX, or the end of a line; a reader aloud wants
-- a character. One that takes no room is put there, in the font of the last letter that
-- has it.
local skip, right_skip, least = 0, 9, 2 * 65536 -- subtypes of glue; two points
local between = { [13] = true, [14] = true }

local function is_space(n)
  return between[n.subtype] or n.subtype == right_skip or
    n.subtype == skip and n.width >= least
end

local function width_of_space(letter)
  local shape = font.getfont(letter.font)
  shape = shape and shape.characters and shape.characters[32]
  return shape and shape.width
end

local function space(list, at, letter)
  local character, back = node.copy(letter), node.new(id.kern)
  character.char, back.kern = 32, -width_of_space(letter)
  list = node.insert_before(list, at, character)
  return (node.insert_before(list, at, back))
end

local drawn = { [id.glyph] = true, [id.rule] = true, [id.disc] = true }

local function holds(n)
  for _, kid in ipairs(elements[n].kids) do
    if type(kid) == 'table' or holds(kid) then return true end
  end
end

-- Whether no row before this one holds anything.
local function is_first(tr)
  for _, other in ipairs(elements[elements[tr].parent].kids) do
    if other == tr then return true end
    if holds(other) then return false end
  end
end

local function shipped(box)
  local pieces, current = {}, nil -- current: the element of the piece that is open
  pages[#pages + 1] = pieces

  local function begin(list, at, element)
    if element == current then return list end
    if current ~= nil then list = node.insert_before(list, at, operator 'EMC') end
    current = element
    if not element then return (node.insert_before(list, at, operator '/Artifact BMC')) end
    pieces[#pieces + 1] = element
    local kids = elements[element].kids
    kids[#kids + 1] = { page = #pages, piece = #pieces - 1 }
    return (node.insert_before(list, at, operator(('/%s <</MCID %d>> BDC'):format(
      elements[element].kind, #pieces - 1))))
  end

  -- `inside` is the row or the cell in which the list stands, if any.
  local function walk(parent, inside)
    local list, n, letter = parent.list, parent.list, nil
    while n do
      if n.id == id.hlist or n.id == id.vlist then
        local within = inside
        local of = node.get_attribute(n, mark)
        if n.id == id.hlist and n.subtype == row and of and elements[of]
          and elements[of].kind == 'Table' then
          within = new('TR', of)
        elseif n.subtype == cell and inside and elements[inside].kind == 'TR' then
          within = new(is_first(inside) and 'TH' or 'TD', inside)
        end
        walk(n, within)
      elseif drawn[n.id] and not (n.id == id.rule and n.subtype ~= 2
          and (n.width == 0 or n.height + n.depth == 0)) then
        local element = node.get_attribute(n, mark)
        if element and elements[element].kind == 'Table' then element = inside or element end
        list = begin(list, n, element or false)
        if n.id == id.glyph and width_of_space(n) then letter = n end
      elseif n.id == id.glue and letter and not n.leader and is_space(n) then
        list = space(list, n, letter)
      elseif n.id == id.glue and n.leader then
        list = begin(list, n, false)
      end
      n = n.next
    end
    parent.list = list
  end

  walk(box)
  if current ~= nil then
    local last = node.tail(box.list)
    node.insert_after(box.list, last, operator 'EMC')
  end
  pdf.setpageattributes(('/StructParents %d/Tabs/S'):format(#pages - 1))
  return box
end

luatexbase.add_to_callback('pre_shipout_filter', shipped, 'tagging')

-- ---- the tree ---------------------------------------------------------------

local function reference(number) return number .. ' 0 R' end

-- Elements without anything in them are left out.
local function used(n)
  local e = elements[n]
  local kids = {}
  for _, kid in ipairs(e.kids) do
    if type(kid) == 'table' or used(kid) then kids[#kids + 1] = kid end
  end
  e.kids = kids
  if #kids > 0 then e.object = pdf.reserveobj() end
  return #kids > 0
end

function tagging.finish()
  used(1)
  local root, parents = pdf.reserveobj(), {}
  for _, e in ipairs(elements) do
    if e.object then
      local kids = {}
      for i, kid in ipairs(e.kids) do
        kids[i] = type(kid) == 'number' and reference(elements[kid].object) or
          ('<</Type/MCR/Pg %s/MCID %d>>'):format(reference(pdf.getpageref(kid.page)),
            kid.piece)
      end
      pdf.immediateobj(e.object, ('<</Type/StructElem/S/%s/P %s%s/K[%s]>>'):format(e.kind,
        reference(e.parent and elements[e.parent].object or root),
        e.alt and '/Alt<' .. e.alt .. '>' or '', table.concat(kids, ' ')))
    end
  end
  for i, pieces in ipairs(pages) do
    local list = {}
    for j, element in ipairs(pieces) do list[j] = reference(elements[element].object) end
    parents[i] = ('%d %s'):format(i - 1,
      reference(pdf.immediateobj('[' .. table.concat(list, ' ') .. ']')))
  end
  local tree = pdf.immediateobj('<</Nums[' .. table.concat(parents, ' ') .. ']>>')
  pdf.immediateobj(root, ('<</Type/StructTreeRoot/K[%s]/ParentTree %s/ParentTreeNextKey %d' ..
    '/RoleMap<</Title/P>>>>'):format(reference(elements[1].object), reference(tree), #pages))
  pdf.setcatalog((pdf.getcatalog() or '') ..
    ('/MarkInfo<</Marked true>>/StructTreeRoot %s'):format(reference(root)))
end

return tagging
