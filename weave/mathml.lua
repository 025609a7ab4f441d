-- TeX for pandoc's MathML. A plain ( or [ does not stretch in TeX, but pandoc
-- says that it may, and browsers then set it with gaps; \lparen and the like
-- say the same as TeX does. Text inside a formula is left alone.

local plain = { ['('] = '\\lparen ', [')'] = '\\rparen ', ['['] = '\\lbrack ',
  [']'] = '\\rbrack ' }

local words = { text = true, textrm = true, textit = true, textbf = true,
  texttt = true, mbox = true, operatorname = true, begin = true, ['end'] = true }

local function sized(command)
  return command == 'left' or command == 'right' or command == 'middle'
    or command:match '^[bB]igg?[lrm]?$'
end

return function(text)
  local out, at = {}, 1
  local function take(pattern)
    local _, to = text:find(pattern, at)
    if not to then return nil end
    local piece = text:sub(at, to)
    at = to + 1
    return piece
  end
  while at <= #text do
    local command = take '^\\%a+'
    if command then
      out[#out + 1] = command
      local name = command:sub(2)
      if words[name] then
        out[#out + 1] = take '^%*?%s*%b{}'
      elseif sized(name) then
        out[#out + 1] = take '^%s*[()%[%]]'
      elseif name == 'sqrt' then
        out[#out + 1] = take '^%s*%b[]'
      end
    else
      local piece = take '^\\.' or take '^.'
      out[#out + 1] = plain[piece] or piece
      if piece == '\\\\' then out[#out + 1] = take '^%b[]' end -- \\[2pt]
    end
  end
  return table.concat(out)
end
