-- What stands in the book where the weights of its set are absent. Then the real
-- part was not run: a number that was published for the set is shown and marked,
-- and all else that a run would print is a dash, or a line that says why.
-- The Makefile decides when (-M absent=true).
--
-- new(set, book) returns
--   why           the reason, in few words
--   line()        inlines: what stands for an output, a table or a figure
--   note()        a block: what the reader has to know, once, in front
--   given         entries, by key, that stand in the set's description and need no run
--   known(key)    whether the book's code has what reports such a key, so that a
--                 misspelt one is told from one that was not run

local json = require 'dkjson'
local read = require 'read'

local absent = {
  mark = '†',
  published = 'published, not run here',
  claim = '(not run here)',
}

-- Every string of C in the book that could be a key, and every printf format
-- that could make one: whole, from its section's number on ("6.%s.sv.%d"), or
-- added to another ("%s.range").
local function strings(book)
  local whole, formats, endings = {}, {}, {}
  for _, chunk in ipairs(book.chunks) do
    for _, line in ipairs(chunk.lines) do
      local words = {}
      for i, run in ipairs(line) do words[i] = run[2] end
      for text in table.concat(words):gmatch '"([^"]*)"' do
        local pattern = text:gsub('[%^$()%.%[%]*+?-]', '%%%0')
          :gsub('%%[lzu]*[du]', '%%d+'):gsub('%%s', '.+')
        if not text:find '%%' then
          whole[text] = true
        elseif text:match '^%d+%.' then
          formats['^' .. pattern .. '$'] = true
        elseif text:match '^%%s%.[%w_.]+$' then
          endings['^(.+)' .. pattern:sub(#'.+' + 1) .. '$'] = true
        end
      end
    end
  end
  return whole, formats, endings
end

-- What models/SET/set.json says, under the keys that a run gives it.
local function described(set)
  local d = json.decode(read('models/' .. set .. '/set.json') or '') or {}
  local given = { ['1.set'] = { kind = 'text', text = d.name },
    ['1.head'] = { kind = 'text', text = d.head },
    ['3.moved'] = { kind = 'tokens', text = d.moved, items = { d.moved } },
    ['7.ordinary'] = { kind = 'text',
      text = d.ordinary and ('%d to %d'):format(d.ordinary[1], d.ordinary[2]) } }
  for key, entry in pairs(given) do
    entry.key, entry.verdict = key, 'given'
    if not entry.text then given[key] = nil end
  end
  return given
end

function absent.new(set, book)
  local whole, formats, endings = strings(book)
  local fetch = 'make fetch MODEL=' .. set
  local self = { given = described(set), why = ('not run here: the weights of %s are absent'):format(set) }

  local function words(list, text)
    for space, word in text:gmatch '(%s*)(%S*)' do
      if space ~= '' then list:insert(pandoc.Space()) end
      if word ~= '' then list:insert(pandoc.Str(word)) end
    end
  end

  function self.line()
    local list = pandoc.List()
    words(list, self.why:gsub('^n', 'N') .. '; ')
    list:insert(pandoc.Code(fetch))
    words(list, ' gets them.')
    return list
  end

  function self.note()
    local list = pandoc.List()
    words(list, ('The weights of the set %s are absent, so nothing was measured on its ' ..
      'models in this build. A number marked %s was published for them and was not run here; ' ..
      'a dash stands for what was neither published nor run. The toy examples were run and ' ..
      'checked as always. '):format(set, absent.mark))
    list:insert(pandoc.Code(fetch))
    words(list, ' gets the weights.')
    return pandoc.Para(list)
  end

  function self.known(key)
    key = key:gsub('%[%d+%]$', '')
    if whole[key] then return true end
    for format in pairs(formats) do
      if key:match(format) then return true end
    end
    for ending in pairs(endings) do
      local base = key:match(ending)
      if base and self.known(base) then return true end
    end
    return false
  end
  return self
end

return absent
