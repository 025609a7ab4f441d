-- The EPUB: HTML as in the page, but for what a book reader does itself (a file for each
-- chapter, contents, the title) or cannot do (boxes that scroll, drawings that follow
-- its theme).

local html = require 'html'

local header = html.header

-- The title has a page of its own, so a chapter keeps its level.
function html.header(h)
  local level = h.level
  h = header(h)
  h.level = level
  return h
end

function html.picture(f)
  return pandoc.Plain { pandoc.Image({ pandoc.Str(f.alt) }, f.path .. '.svg') }
end

function html.metadata(context)
  local abstract = context.meta.abstract
  if abstract then context.meta.description = pandoc.utils.stringify(abstract) end
  return context.meta
end

return html
