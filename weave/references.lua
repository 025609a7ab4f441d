-- After the citations are resolved: pandoc gives entries of class csl-entry a role that
-- is no longer in use, so they have another class.

function Div(div)
  if not div.classes:includes 'csl-entry' then return nil end
  div.classes = { 'entry' }
  return div
end
