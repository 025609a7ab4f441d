-- What stands inside sentences: `key`{.v}, `key`{.claim}, [[code]], links to
-- places in the book, formulas with \val{key}.

local problems = require 'problems'
local like = require 'ledger'.like

local inlines = {}

local function decode(url)
  return (url:gsub('%%(%x%x)', function(h) return string.char(tonumber(h, 16)) end))
end

-- Cuts code into runs, the identifiers that the book defines being links.
local function link_identifiers(code, book)
  local runs = {}
  for other, word in code:gmatch '([^%a_]*)([%w_]*)' do
    if other ~= '' then runs[#runs + 1] = { 'text', other } end
    local known = book.identifier[word]
    if known and known.chunks[1] then
      runs[#runs + 1] = { 'id', word, known.chunks[1].label }
    elseif word ~= '' then
      runs[#runs + 1] = { 'text', word }
    end
  end
  return runs
end

function inlines.filter(context)
  local writer, book, anchors = context.writer, context.book, context.anchors

  local function code(e)
    local at, key = e.attributes.at, e.text
    if e.classes:includes 'v' then
      return context.values.inlines(key, at, e.classes, e.attributes.section)
    elseif e.classes:includes 'claim' then
      return context.values.claim(key, at, e.attributes.section)
    elseif e.classes:includes 'c' then
      return writer.code(link_identifiers(key, book), 'c', book)
    elseif #e.classes > 0 and at then
      problems.add(at, 'inline code has the class .%s; known are .v and .claim', e.classes[1])
    end
    return writer.code({ { 'text', key } }, table.concat(e.classes, ' '))
  end

  local function link(e)
    local target, at = decode(e.target), e.attributes.at
    local chunk = target:match '^#chunk:(.*)$'
    if chunk then
      local group = book.groups[chunk]
      if group then return writer.chunk_reference(group, e.content) end
      problems.add(at, 'no chunk is named <<%s>>%s', chunk, like('chunks', chunk, book.groups))
    elseif target:match '^#' then
      local id = target:sub(2)
      local anchor = anchors[id]
      if not anchor then
        problems.add(at, "the link goes nowhere: #%s%s", id, like('places', id, anchors))
        return nil
      end
      local content = #e.content > 0 and e.content or { pandoc.Str(anchor.label) }
      return writer.link(id, content, 'x')
    elseif target == '' then
      problems.add(at, 'the link has no target')
    end
  end

  -- Every formula comes in a span that says where it stands. One that pandoc
  -- cannot turn into MathML would show as TeX in the page.
  local function formula(span)
    if not span.classes:includes 'formula-at' then return nil end
    local math, at = span.content[1], span.attributes.at
    math.text = writer.formula(context.values.math(math.text, at))
    local shown = pandoc.write(pandoc.Pandoc { pandoc.Para { math } }, 'html',
      { html_math_method = 'mathml' })
    if not shown:find('<math', 1, true) then
      problems.add(at, 'pandoc cannot read the formula %s', math.text)
    end
    return math
  end

  return { Code = code, Link = link, Span = formula, Inlines = writer.tight,
    Note = writer.note }
end

return inlines
