-- How a ledger entry reads in prose and in a formula.
--
-- new(ledger, writer, absent) returns
--   inlines(key, at, classes, section)   what `key`{.v} stands for, linked to its row
--   claim(key, at, section)     the mark that `key`{.claim} stands for
--   math(text, at)              a formula with its \val{key}s replaced
-- Each returns something harmless after a problem. `absent` is nil, or tells why the
-- real part was not run (absent.lua).

local ledger = require 'ledger'
local problems = require 'problems'
local words = require 'absent'
local mix = require 'mix'

local values = {}

-- Splits "-1.2e-06" into "-1.2" and -6; a plain number has no exponent, and 0.0e+00
-- is plain; text that is no number gives nil.
function values.number(text)
  if text:match '^[+-]?%d[%d,]*%.?%d*$' then return text end
  local mantissa, exponent = text:match '^([+-]?%d+%.?%d*)[eE]([+-]?%d+)$'
  if mantissa and tonumber(mantissa) == 0 then return '0' end
  if mantissa then return mantissa, math.tointeger(tonumber(exponent)) end
end

-- A whole number of five digits or more in groups of three, thin spaces between.
function values.grouped(text)
  local sign, digits = text:match '^([+-]?)(%d%d%d%d%d+)$'
  if not digits then return text end
  local groups = digits:reverse():gsub('(%d%d%d)', '%1 '):reverse():gsub('^ ', '')
  return sign .. groups:gsub(' ', '\u{202f}')
end

function values.minus(text) return (text:gsub('^-', '\u{2212}')) end

-- Text as inlines, its spaces as spaces where a line may break.
function values.words(text)
  local list = pandoc.List()
  for space, word in text:gmatch '(%s*)(%S*)' do
    if space ~= '' then list:insert(pandoc.Space()) end
    if word ~= '' then list:insert(pandoc.Str(word)) end
  end
  return list
end

-- A token with every blank and control character visible: a blank at either end
-- is ␣, a long run of blanks ␣×19, a newline \n.
function values.visible(text)
  return (text:gsub('\n', '\\n'):gsub('\t', '\\t'):gsub('\r', '\\r')
    :gsub('  +', function(run)
      return #run > 3 and '␣×' .. #run or ('␣'):rep(#run)
    end):gsub('^ ', '␣'):gsub(' $', '␣'))
end

-- One printed value: a number as a number, anything with significant spaces
-- or quotes around it as code, other text as text.
function values.piece(text, kind, writer)
  local mantissa, exponent = values.number(text)
  if kind == 'tokens' or text:match '^%s' or text:match '%s$' or text:match '%s%s'
    or text:match "^'.*'$" or text:match '^".*"$' then
    return writer.code({ { 'text', kind == 'tokens' and values.visible(text) or text } },
      'token')
  elseif exponent then
    return writer.power(values.minus(mantissa), values.minus(tostring(exponent)))
  elseif mantissa then
    return { pandoc.Str(values.minus(values.grouped(mantissa))) }
  end
  return values.words(text)
end

-- The whole list of an entry, or the one text of it.
function values.typeset(entry, element, writer)
  if element or not entry.items then
    return values.piece(element or entry.text, entry.kind, writer)
  end
  local list = {}
  for i, item in ipairs(entry.items) do
    if i > 1 then list[#list + 1] = { pandoc.Str ',', pandoc.Space() } end
    list[#list + 1] = values.piece(item, entry.kind, writer)
  end
  return list
end

local function tex(text)
  local mantissa, exponent = values.number(text)
  if exponent then return ('%s\\times 10^{%d}'):format(mantissa, exponent) end
  if mantissa then return (mantissa:gsub(',', '{,}')) end
  return '\\text{' .. text:gsub('[\\{}$&#%%_^~]', function(c)
    return c == '\\' and '\\backslash ' or '\\' .. c
  end) .. '}'
end

function values.new(results, writer, absent)
  local self, count = {}, {}

  -- Places are numbered in each chapter by itself, so that one chapter does not change
  -- the ids of another.
  local function cite(entry, at, section)
    local chapter = at:match '([^/]*)%.nw:%d+$'
    count[chapter] = (count[chapter] or 0) + 1
    local id = ('n%s-%d'):format(chapter, count[chapter])
    results.cite(entry.key, id, section)
    return id
  end

  function self.inlines(key, at, classes, section)
    local entry, element = results.get(key, at)
    if not entry then return pandoc.Str(key) end
    if entry == ledger.not_run then return writer.not_run('–', absent.why) end
    local content = values.typeset(entry, element, writer)
    if classes:includes 'code' then
      content = writer.code({ { 'text', element or entry.text } }, 'token')
    end
    if entry.verdict == 'given' then return mix(FORMAT, content) end -- it has no row
    return writer.value(ledger.row_id(entry.key), content, cite(entry, at, section),
      entry.verdict == 'published')
  end

  function self.claim(key, at, section)
    local entry = results.get(key, at)
    if entry == ledger.not_run then return writer.not_run(words.claim, absent.why) end
    if entry and entry.kind ~= 'claim' then
      problems.add(at, "'%s' is a %s, not a claim", key, entry.kind)
    end
    if not entry then return pandoc.Str(key) end
    return writer.claim(ledger.row_id(entry.key), entry.text, cite(entry, at, section))
  end

  function self.math(text, at)
    return (text:gsub('\\val%s*(%b{})', function(braced)
      local entry, element = results.get(braced:sub(2, -2), at)
      if not entry then return '?' end
      if entry == ledger.not_run then return '\\text{–}' end
      local list = {}
      for i, item in ipairs(not element and entry.items or { element or entry.text }) do
        list[i] = tex(item)
      end
      local shown = table.concat(list, ',\\; ')
      return entry.verdict == 'published' and shown .. '\\text{' .. words.mark .. '}' or shown
    end))
  end
  return self
end

return values
