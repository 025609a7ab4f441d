-- The explorer's place in a document: a div of class explorer, with part=pattern or
-- part=tokens. What stands in it is for where no script runs; on the page a script
-- (page/explorer*.js) puts the explorer there. Its data, which the real program wrote,
-- stand in the first of these places.

local problems = require 'problems'

local explorer = {}

local parts = { pattern = true, tokens = true }

-- JSON that may stand in a script element: nothing in it can end the element.
local function embed(path, at)
  local file = io.open(path, 'rb')
  if not file then
    problems.add(at, 'no such file: %s: run the programs first', path)
    return ''
  end
  local text = file:read 'a'
  file:close()
  return (text:gsub('<', '\\u003c'))
end

function explorer.place(div, context)
  local at, part = div.attributes.at, div.attributes.part
  if not parts[part] then problems.add(at, 'an explorer has part=pattern or part=tokens') end
  if context.absent then return context.writer.absent(context.absent.line()) end
  if not FORMAT:match '^html' then return div.content end
  local content = pandoc.List(div.content)
  if not context.explored then
    context.explored = true
    content:insert(pandoc.RawBlock('html', '<script type="application/json" id="explorer-data">' ..
      embed(context.data .. '/explorer.json', at) .. '</script>'))
  end
  return pandoc.Div(content, pandoc.Attr('', { 'explorer' }, { { 'data-part', part } }))
end

return explorer
