-- Works cited, after citeproc. To a div of class csl-entry pandoc's HTML writer adds the
-- role doc-biblioentry, which is deprecated; so an entry gets a class of ours.

if FORMAT:match 'latex' then return {} end

return { { Div = function(div)
  if div.classes:includes 'csl-entry' then
    div.classes = { 'reference' }
    return div
  end
end } }
