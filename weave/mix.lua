-- mix(format, ...) makes a list of inlines from pieces: a string is raw text
-- in the output format, an element of pandoc is itself, a list is its pieces.
-- So that a writer can put tags or macros around text that pandoc escapes.

local function flatten(format, piece, out)
  local kind = pandoc.utils.type(piece)
  if type(piece) == 'string' then
    local last = out[#out]
    if type(last) == 'table' then
      last[#last + 1] = piece
    else
      out[#out + 1] = { piece }
    end
  elseif kind == 'Inlines' or kind == 'List' or type(piece) == 'table' and not piece.t
    and not piece.tag then
    for _, p in ipairs(piece) do flatten(format, p, out) end
  elseif piece then
    out[#out + 1] = piece
  end
end

return function(format, ...)
  local out, list = {}, pandoc.List()
  flatten(format, { ... }, out)
  for _, piece in ipairs(out) do
    if type(piece) == 'table' and not piece.t and not piece.tag then
      piece = table.concat(piece)
      piece = piece ~= '' and pandoc.RawInline(format, piece) or nil
    end
    if piece then list:insert(piece) end
  end
  return list
end
