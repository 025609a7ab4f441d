-- The explorer's place in a document: a div of class explorer, with part=pattern or
-- part=tokens. What stands in it is for where no script runs; on the page a script
-- (page/explorer*.js) puts the explorer there.

local problems = require 'problems'

local explorer = {}

local parts = { pattern = true, tokens = true }

function explorer.place(div, context)
  local part = div.attributes.part
  if not parts[part] then
    problems.add(div.attributes.at, 'an explorer has part=pattern or part=tokens')
  end
  if context.absent then return context.writer.absent(context.absent.line()) end
  if not FORMAT:match '^html' then return div.content end
  return pandoc.Div(div.content, pandoc.Attr('', { 'explorer' }, { { 'data-part', part } }))
end

return explorer
