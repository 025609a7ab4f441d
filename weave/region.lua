-- A box that scrolls sideways by itself and can be reached by keyboard is a
-- region, and regions need names that differ: a name that is taken gets a
-- number. region(name) returns its attributes, as pandoc wants them (a list,
-- so that they come in the same order every time) and as HTML text. region.taken says
-- how often each name was given.

local taken = {}

local function escape(text)
  return (text:gsub('[&<>"]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;',
    ['"'] = '&quot;' }))
end

local function give(_, name)
  taken[name] = (taken[name] or 0) + 1
  if taken[name] > 1 then name = ('%s (%d)'):format(name, taken[name]) end
  return { { 'tabindex', '0' }, { 'role', 'region' }, { 'aria-label', name } },
    'tabindex="0" role="region" aria-label="' .. escape(name) .. '"'
end

return setmetatable({ taken = taken }, { __call = give })
