-- Links and their targets inside the book, in as few bytes as HTML allows: there are
-- thousands. EPUB's text is several files of XML; there they are pandoc's elements,
-- so that its writer finds them and puts the file's name before the #.

local mix = require 'mix'

local tags = {}
local epub = FORMAT:match 'epub' ~= nil

function tags.link(id, content, class)
  if epub then
    return pandoc.Link(mix('html', content), '#' .. id, '', pandoc.Attr('', { class }))
  end
  return { '<a ', class and 'class=' .. class .. ' ' or '', 'href=#', id, '>', content, '</a>' }
end

-- An element that can be linked to.
function tags.place(tag, id, content)
  if epub then return pandoc.Span(mix('html', content), pandoc.Attr(id, { tag })) end
  return { '<', tag, ' id=', id, '>', content, '</', tag, '>' }
end

-- Where links to a chunk go. Its id comes from its name and lasts, for links from
-- elsewhere; inside the page its number does, which is shorter (page/chunks.js shows
-- the lasting one to the reader who followed a link).
function tags.target(chunk) return epub and chunk.id or tostring(chunk.number) end
function tags.number(chunk)
  return (epub and '<small>%d</small>' or '<small id=%d>%d</small>'):format(chunk.number,
    chunk.number)
end

-- Text whose every space and newline counts. As raw HTML, because pandoc fills
-- the lines of ordinary text.
function tags.exact(text)
  return (text:gsub('[&<]', { ['&'] = '&amp;', ['<'] = '&lt;' }):gsub(']]>', ']]&gt;'))
end

return tags
