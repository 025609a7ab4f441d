-- Divs and other blocks that the book gives a meaning: see the table at the
-- end for the list. Each handler takes the div and returns blocks.

local problems = require 'problems'
local figures = require 'figures'
local tables = require 'tables'
local report = require 'report'
local explorer = require 'explorer'
local not_run = require 'ledger'.not_run

local blocks = {}

-- A div's paragraphs are its caption, the rest is what it holds.
local function split_caption(div)
  local caption, body = pandoc.List(), pandoc.List()
  for _, block in ipairs(div.content) do
    if block.t == 'Para' or block.t == 'Plain' then
      if #caption > 0 then caption:insert(pandoc.Space()) end
      caption:extend(block.content)
    else
      body:insert(block)
    end
  end
  return caption, body
end

local handle = {}

function handle.chunk(div, context)
  local chunk = context.book.chunks[tonumber(div.attributes.chunk)]
  return context.writer.chunk(chunk, context.book)
end

function handle.figure(div, context)
  local caption = split_caption(div)
  return figures.render(div, caption, context)
end

function handle.equation(div, context)
  local inlines = div.content[1] and div.content[1].content or {}
  local formula = inlines[1]
  if formula and formula.t == 'Span' then -- what the writer made of it
    formula = formula.content:find_if(function(e) return e.t == 'Math' end)
  end
  if #div.content ~= 1 or #inlines ~= 1 or not formula or formula.t ~= 'Math' then
    problems.add(div.attributes.at, 'an equation is one displayed formula')
    return nil
  end
  return context.writer.equation(div.identifier, div.attributes.number, formula)
end

function handle.table(div, context)
  local caption, body = split_caption(div)
  local key, recorded = div.attributes.key, div.attributes.recorded
  local function instead(block)
    return context.writer.captioned('Table', div.identifier, div.attributes.number,
      caption, { block })
  end
  if key or recorded then
    local found
    if recorded then
      found = context.records.table(recorded, div.attributes.part, div.attributes.at)
      if not found then return instead(pandoc.Para(context.records.line())) end
      caption:extend(context.records.source { recorded })
    else
      found = context.results.table(key, div.attributes.at)
    end
    if not found then return nil end
    if found == not_run then return instead(context.writer.absent(context.absent.line())) end
    body:extend(context.writer.table_box(tables.build(found, context.writer)))
    if #caption == 0 then caption = pandoc.List { pandoc.Str(found.meaning or key) } end
  end
  return context.writer.captioned('Table', div.identifier, div.attributes.number,
    caption, body)
end

function handle.output(div, context)
  local lines, program = context.results.lines(div.attributes.program,
    div.attributes.section, div.attributes.at)
  if not lines then return nil end
  if lines == not_run then return context.writer.absent(context.absent.line()) end
  return context.writer.output(lines, program)
end

handle.explorer = explorer.place

function handle.report(_, context)
  return context.writer.report(report.groups(context))
end

function handle.chunks(_, context)
  local groups = {}
  for i, name in ipairs(context.book.names) do groups[i] = context.book.groups[name] end
  return context.writer.chunk_index(groups)
end

function handle.identifiers(_, context)
  return context.writer.identifier_index(context.book.identifiers)
end

function blocks.filter(context)
  return {
    Div = function(div)
      for _, class in ipairs(div.classes) do
        if handle[class] then return handle[class](div, context) end
      end
      if div.classes[1] and div.attributes.at and div.identifier == '' then
        problems.add(div.attributes.at, 'a block has the class .%s, which means nothing',
          div.classes[1])
      end
    end,
    Header = context.writer.header,
    CodeBlock = context.writer.verbatim,
    Math = context.writer.display and function(m)
      return m.mathtype == 'DisplayMath' and context.writer.display(m) or nil
    end,
    Table = function(table) return context.writer.table_box(table) end,
  }
end

return blocks
