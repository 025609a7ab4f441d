-- read(PATH): the whole text of a file, or nil and why not.

return function(path)
  local file, why = io.open(path, 'rb')
  if not file then return nil, why end
  local text = file:read 'a'
  file:close()
  return text
end
