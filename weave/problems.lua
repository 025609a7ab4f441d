-- The problems found while weaving. Nothing stops at the first one: they are
-- collected, and finish() prints each on a line of its own, in the order of
-- the book's files, and ends pandoc before it writes anything.

local problems = { list = {} }

-- `at` is "file:line" or nil, for what has no place in the book.
function problems.add(at, format, ...)
  local text = select('#', ...) > 0 and format:format(...) or format
  table.insert(problems.list, { at = at or 'weave', text = text })
end

local function place(at)
  local file, line = at:match '^(.*):(%d+)$'
  return file or at, tonumber(line) or 0
end

function problems.finish()
  if #problems.list == 0 then return end
  for i, p in ipairs(problems.list) do p.order = i end
  table.sort(problems.list, function(a, b)
    local file_a, line_a = place(a.at)
    local file_b, line_b = place(b.at)
    if file_a ~= file_b then return file_a < file_b end
    if line_a ~= line_b then return line_a < line_b end
    return a.order < b.order
  end)
  local last
  for _, p in ipairs(problems.list) do
    local message = p.at .. ': ' .. p.text:gsub('%c', ' ')
    if message ~= last then io.stderr:write(message, '\n') end
    last = message
  end
  os.exit(1)
end

return problems
