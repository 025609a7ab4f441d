-- Text for LaTeX: escaping, and code that can break anywhere sensible.

local tex = {}

local special = {
  ['\\'] = '\\textbackslash{}', ['{'] = '\\{', ['}'] = '\\}', ['$'] = '\\$',
  ['&'] = '\\&', ['#'] = '\\#', ['%'] = '\\%', ['_'] = '\\_',
  ['^'] = '\\textasciicircum{}', ['~'] = '\\textasciitilde{}',
}

-- Prose: specials escaped, nothing else changed.
function tex.text(text) return (text:gsub('[\\{}$&#%%_^~]', special)) end

-- Code: every space is kept (\cs, where a line may break), and a word too long
-- for a line may break (\cb) after punctuation, or anywhere in the end.
function tex.code(text)
  local out = {}
  local function word(w)
    local long, run = utf8.len(w) and utf8.len(w) > 18, 0
    for c in w:gmatch(utf8.charpattern) do
      if c:match '["\'`<>-]' then -- no ligatures and no smart quotes
        out[#out + 1] = ('\\char%d{}'):format(c:byte())
      elseif c:match '%c' then
        out[#out + 1] = '\\cs{}'
      else
        out[#out + 1] = special[c] or c
      end
      run = run + 1
      if long and (c:match '[,;:/_.|=)%]-]' and run > 3 or run >= 24) then
        out[#out + 1] = '\\cb{}'
        run = 0
      end
    end
  end
  for space, w in text:gmatch '([ \t]*)([^ \t]*)' do
    out[#out + 1] = ('\\cs{}'):rep(#space)
    if w ~= '' then word(w) end
  end
  return table.concat(out)
end

-- A PDF text string in hexadecimal, for text alternatives.
function tex.pdf_string(text)
  local out = { 'FEFF' }
  for _, c in utf8.codes(text) do
    if c < 0x10000 then
      out[#out + 1] = ('%04X'):format(c)
    else
      c = c - 0x10000
      out[#out + 1] = ('%04X%04X'):format(0xD800 + (c >> 10), 0xDC00 + (c & 0x3FF))
    end
  end
  return table.concat(out)
end

-- Macros named here are defined in page.tex.
function tex.link(id, content) return ('\\hyperref[%s]{%s}'):format(id, content) end

return tex
