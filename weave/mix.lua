-- mix(format, ...) makes a list of inlines from pieces: a string is raw text
-- in the output format, an element of pandoc is itself, a list is its pieces.
-- So that a writer can put tags or macros around text that pandoc escapes.

local function add(list, format, piece)
  if type(piece) == 'string' then
    if piece ~= '' then list:insert(pandoc.RawInline(format, piece)) end
  elseif type(piece) == 'table' and not piece.t and not piece.tag then
    for _, p in ipairs(piece) do add(list, format, p) end
  elseif pandoc.utils.type(piece) == 'Inlines' or pandoc.utils.type(piece) == 'List' then
    for _, p in ipairs(piece) do add(list, format, p) end
  elseif piece then
    list:insert(piece)
  end
end

return function(format, ...)
  local list = pandoc.List()
  for _, piece in ipairs { ... } do add(list, format, piece) end
  return list
end
