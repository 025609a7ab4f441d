-- Figures: ![caption](name){#fig:name alt="text alternative"} stands for
-- <figures>/name.svg and <figures>/name.pdf. The text alternative is required
-- and may cite {key}s of the ledger. recorded=FILE,...: drawn only if the set has one of
-- these files (records.lua).

local problems = require 'problems'
local read = require 'read'
local ledger = require 'ledger'
local absent = require 'absent'

local figures = {}

local function escape(text)
  return (text:gsub('[&<>"]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;',
    ['"'] = '&quot;' }))
end

-- The svg element of a drawing, fit to stand in a page: its ids and the
-- references to them prefixed with `prefix`, its size left to the page, named by
-- `alt`. Returns it and its natural width, or nil if it is no SVG.
function figures.inline(svg, prefix, alt)
  local attributes, body = svg:match '<svg%f[%s]([^>]*)>(.*)</svg>'
  local box = attributes and attributes:match 'viewBox="([^"]*)"'
  if not box then return nil end
  local width = box:match '^%S+%s+%S+%s+(%S+)'
  body = body:gsub('(%sid=)(["\'])', '%1%2' .. prefix)
    :gsub('(href=)(["\'])#', '%1%2#' .. prefix)
    :gsub('url%((["\']?)#', 'url(%1#' .. prefix)
  return ('<svg xmlns="http://www.w3.org/2000/svg" ' ..
    'xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="%s" role="img" ' ..
    'aria-label="%s">%s</svg>'):format(box, escape(alt), body), tonumber(width)
end

local function alternative(div, context)
  local at = div.attributes.at
  local alt = div.attributes.alt or ''
  if alt == '' then
    problems.add(at, "figure '%s' has no text alternative: alt=\"...\"",
      div.attributes.src)
  end
  return (alt:gsub('{([^{}]*)}', function(key)
    local entry, element = context.results.get(key, at)
    if not entry then return '?' end
    if entry == ledger.not_run then return absent.claim end
    return element or entry.text or table.concat(entry.items, ', ')
  end))
end

function figures.render(div, caption, context)
  local name, at = div.attributes.src, div.attributes.at
  local path = context.figures .. '/' .. name
  local script = context.book.groups[name .. '.gp']
  local figure = {
    id = div.identifier, number = div.attributes.number, caption = caption,
    alt = alternative(div, context), path = path, at = at,
    script = script and script.is_root and script or nil,
    classes = div.classes,
  }
  local braced = pandoc.utils.stringify(caption):match '{[%w_.]+%.[%w_.]+}'
  if braced then
    problems.add(at, 'a caption cites %s as `%s`{.v}; braces are for alt', braced,
      braced:sub(2, -2))
  end
  local ending = FORMAT:match 'latex' and '.pdf' or '.svg'
  local function instead(block)
    return context.writer.captioned('Figure', figure.id, figure.number, caption,
      { block })
  end
  if div.attributes.recorded then
    local found = {}
    for file in div.attributes.recorded:gmatch '[^,]+' do
      if context.records.has(file) then found[#found + 1] = file end
    end
    if #found == 0 then return instead(pandoc.Para(context.records.line())) end
    caption:extend(context.records.source(found))
  end
  context.results.note('file', path .. ending)
  figure.svg = read(path .. ending)
  if not figure.svg and context.absent and figure.script then
    return instead(context.writer.absent(context.absent.line()))
  end
  if not figure.svg then problems.add(at, 'no such figure: %s%s', path, ending) end
  if figure.svg and ending == '.svg' then
    local prefix = 'f-' .. require 'book'.slug(name) .. '-'
    figure.svg, figure.width = figures.inline(figure.svg, prefix, figure.alt)
    if not figure.svg then problems.add(at, '%s.svg is not an SVG drawing', path) end
  end
  return figure.svg and context.writer.figure(figure) or nil
end

return figures
