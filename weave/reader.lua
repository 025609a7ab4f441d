-- Pandoc reader for noweb's token stream:
--   noweave -n -autodefs c -index -backend cat book.nw chapters/*.nw |
--     pandoc --from weave/reader.lua --lua-filter weave/filter.lua ...
--
-- The document it makes is the prose as Markdown, and for each code chunk a
-- div of class `chunk` with the chunk's plain text, so that it makes sense
-- without the filter too. What noweb knows about the chunks, and the problems
-- found so far, travel to the filter as JSON in the metadata field `weave`;
-- the div's attribute `chunk` is the chunk's place in that list.
-- The YAML block of book.nw becomes the document's metadata.

package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. '/?.lua;' .. package.path
local json = require 'dkjson'
local tokens = require 'tokens'
local prose = require 'prose'

-- The part of the book a file belongs to, from its name: 03-heads.nw is in
-- the main part, C-tensor.nw an appendix, and book.nw stands in front.
local function part_of(file)
  local name = file:match '[^/]*$'
  if name == 'book.nw' then return 'front' end
  return name:match '^%d' and 'main' or 'appendix'
end

local function plain(chunk)
  local lines = {}
  for i, line in ipairs(chunk.lines) do
    local words = {}
    for j, run in ipairs(line) do
      words[j] = run[1] == 'use' and '<<' .. run[2] .. '>>' or run[2]
    end
    lines[i] = table.concat(words)
  end
  return table.concat(lines, '\n')
end

function Reader(input)
  local book = tokens.parse(tostring(input))
  local blocks, meta, cites, problems = pandoc.List(), {}, {}, {}
  for _, item in ipairs(book.items) do
    if item.code then
      local chunk = book.chunks[item.code]
      blocks:insert(pandoc.Div({ pandoc.CodeBlock(plain(chunk)) },
        { class = 'chunk', chunk = tostring(item.code), name = chunk.name,
          at = chunk.file .. ':' .. chunk.line }))
    else
      local doc, found = prose.read(item.docs, item.file, item.line, problems)
      for name, value in pairs(doc.meta) do meta[name] = value end
      for _, cite in ipairs(found) do cites[#cites + 1] = cite end
      local part = part_of(item.file)
      blocks:extend(doc.blocks:walk {
        Header = function(h)
          h.attributes.part = part
          return h
        end,
      })
    end
  end
  meta.weave = pandoc.MetaString(json.encode {
    chunks = book.chunks, identifiers = book.identifiers,
    cites = cites, problems = problems })
  return pandoc.Pandoc(blocks, meta)
end
