-- One stretch of prose (a documentation chunk) -> pandoc blocks.
--
-- read(text, file, line, problems) parses Markdown and gives every element
-- that can later be wrong an attribute at="file:line": references to keys,
-- links inside the book, images, divs, spans, headers. Formulas are wrapped in
-- a span (class formula-at) that carries the attribute, and citations are
-- listed in `cites` ({id, at}), since neither can carry it itself.
-- Pandoc does not tell where an element came from, so the n-th appearance of
-- an element's own text in the parse is looked up as the n-th in the source.
-- Fences that are still open at the end of the stretch are problems: a div or
-- a code block cannot contain a chunk.

local prose = {}

-- Classes of elements that the weaver makes.
local ours = { chunk = true, figure = true, equation = true, ['formula-at'] = true }

local format = 'markdown-auto_identifiers-implicit_figures-latex_macros-raw_html'

local function escape(text) return (text:gsub('[^%w%s]', '%%%0')) end

local function line_of(text, position, first)
  local _, newlines = text:sub(1, position - 1):gsub('\n', '')
  return first + newlines
end

-- Returns find(needle, ...): the place "file:line" of the next appearance of
-- the first needle that appears at all, or of the stretch itself.
local function finder(text, file, line)
  local after = {}
  return function(...)
    for _, needle in ipairs { ... } do
      local pattern = escape(needle):gsub('%s+', '%%s+')
      local from, to = text:find(pattern, after[needle] or 1)
      if from then
        after[needle] = to + 1
        return ('%s:%d'):format(file, line_of(text, from, line))
      end
    end
    return ('%s:%d'):format(file, line)
  end
end

local function decode(url)
  return (url:gsub('%%(%x%x)', function(h) return string.char(tonumber(h, 16)) end))
end

-- Complains about the innermost fence that this stretch leaves open.
local function check_fences(text, file, line, problems)
  local open, code = {}, nil
  local function complain(n, what)
    problems[#problems + 1] = { at = ('%s:%d'):format(file, n),
      text = what .. ': a fenced block must end before the next code chunk' }
  end
  local n = line
  for l in (text .. '\n'):gmatch '([^\n]*)\n' do
    local tick = l:match '^ ? ? ?(```+)' or l:match '^ ? ? ?(~~~+)'
    if code then
      if tick and tick:sub(1, 1) == code.mark and #tick >= code.length
        and l:match '^%s*[`~]+%s*$' then
        code = nil
      end
    elseif tick and not l:match '^ ? ? ?```+[^`]*`' then
      code = { mark = tick:sub(1, 1), length = #tick, line = n }
    elseif l:match '^:::+%s*$' then
      if #open == 0 then complain(n, '::: closes nothing') end
      open[#open] = nil
    elseif l:match '^:::+%s*[%w{]' then
      open[#open + 1] = n
    end
    n = n + 1
  end
  if code then complain(code.line, 'code block is not closed') end
  for i = #open, 1, -1 do complain(open[i], '::: is not closed') end
end

function prose.read(text, file, line, problems)
  check_fences(text, file, line, problems)
  local find = finder(text, file, line)
  local cites = {}
  local function mark(element, ...)
    element.attributes.at = find(...)
    return element
  end
  local function mark_container(element)
    local words = {}
    if element.identifier ~= '' then words[1] = '#' .. element.identifier end
    for name, value in pairs(element.attributes) do
      words[#words + 1] = name .. '="' .. value .. '"'
      words[#words + 1] = name .. '=' .. value
    end
    table.sort(words)
    for _, class in ipairs(element.classes) do words[#words + 1] = '.' .. class end
    for _, class in ipairs(element.classes) do words[#words + 1] = '::: ' .. class end
    for _, class in ipairs(element.classes) do words[#words + 1] = class end
    mark(element, table.unpack(words))
    local own = element.classes:find_if(function(class) return ours[class] end)
    if own then
      problems[#problems + 1] = { at = element.attributes.at,
        text = 'the class .' .. own .. ' is for the weaver alone' }
      element.classes = {}
    end
    return element
  end

  local doc = pandoc.read(text, format):walk {
    traverse = 'topdown',
    Code = function(e)
      if e.classes:includes 'c' then return nil end
      return mark(e, '`' .. e.text .. '`', e.text .. '`', e.text)
    end,
    Link = function(e)
      return mark(e, '](' .. e.target .. ')', '](' .. e.target, '](<' .. decode(e.target),
        decode(e.target), pandoc.utils.stringify(e.content))
    end,
    Image = function(e) return mark(e, '](' .. e.src .. ')', '](' .. e.src, e.src) end,
    Header = function(e)
      local title = pandoc.utils.stringify(e.content)
      if e.identifier == '' then return mark(e, '# ' .. title, title) end
      return mark(e, '{#' .. e.identifier .. '}', '{#' .. e.identifier .. ' ',
        '{#' .. e.identifier, title)
    end,
    Span = mark_container,
    Div = mark_container,
    Math = function(e)
      return pandoc.Span({ e }, { class = 'formula-at', at = find(e.text) }), false
    end,
    Cite = function(e)
      for _, citation in ipairs(e.citations) do
        cites[#cites + 1] = { id = citation.id, at = find('@' .. citation.id) }
      end
    end,
    Str = function(e)
      local note = e.text:match '%[%^[^%]]+%]'
      if note then
        problems[#problems + 1] = { at = find(note), text = 'footnote ' .. note .. ' has no definition before the next code chunk' }
      end
    end,
  }
  return doc, cites
end

return prose
