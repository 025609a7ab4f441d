#!/bin/bash
# The PDF of the whole book: what it says of itself, its fonts, and its tags.
. tests/lib.sh
cd "$root" || exit 1
pdf=out/mini/book.pdf
if [ ! -f $pdf ]; then
    skip 'the PDF' 'it was not built: make pdf'
    done_testing
elif ! command -v pdfinfo >/dev/null; then
    skip 'the PDF' 'no pdfinfo: apt-get install poppler-utils'
    done_testing
fi

runs 'it can be read' pdfinfo $pdf
is 'and is no damaged file' "$err" ''
prints 'it has its title' '^Title: +One attention head, taken apart$'
prints 'its author' '^Author: +[A-Z]'
prints 'metadata' '^Metadata Stream: +yes$'
prints 'and tags' '^Tagged: +yes$'
runs 'the metadata can be read' pdfinfo -meta $pdf
prints 'and has the title too' '<dc:title>.*One attention head, taken apart'
runs 'the fonts can be read' pdffonts $pdf
is 'each is embedded' "$(tail -n +3 <<<"$out" | grep -vE ' yes +(yes|no) +(yes|no) +[0-9]+ +[0-9]+ *$')" ''

pdfinfo -struct-text $pdf >"$work/tree" 2>"$work/said"
is 'the tree of tags can be read' "$(head -n 3 "$work/said")" ''
count() { grep -acE "^ *$1( |\$)" "$work/tree"; }
is 'it has a heading for each chapter, and one for the contents' "$(count H1)" \
    "$(($(grep -c '^\\chapter' out/mini/book.tex) + 1))"
is 'one for each section' "$(count H2)" "$(grep -c '^\\section' out/mini/book.tex)"
is 'an element for each figure' "$(count Figure)" "$(grep -c '^\\altpicture' out/mini/book.tex)"
is 'one for each table' "$(count Table)" "$(grep -c '^\\begin{tablebox}' out/mini/book.tex)"
is 'one for each piece of code' "$(count Code)" \
    "$(grep -cE '^\\begin\{(chunk|printed|codelines)\}' out/mini/book.tex)"
grep -qa '"The book is written in noweb (Ramsey 1994), after an idea of' "$work/tree"
ok $? 'a paragraph is read with the spaces between its words' "$(grep -a -m 1 noweb "$work/tree")"
is 'the heads of the pages are not read: a title is there in the contents and in its place' \
    "$(grep -acE '^ *"1 ?What is inside one head ?[0-9]* ?"$' "$work/tree")" 2

# The objects themselves, for what pdfinfo does not show.
/usr/bin/python3 - $pdf >"$work/objects" <<'PY'
import re, sys, zlib
data = open(sys.argv[1], 'rb').read()
for stream in re.finditer(rb'stream\r?\n', data):
    try:
        text = zlib.decompressobj().decompress(data[stream.end():])
    except zlib.error:
        continue
    if b'/StructElem' in text or b'/Outlines' in text:
        sys.stdout.buffer.write(text.replace(b'/Type/StructElem', b'\n/Type/StructElem') + b'\n')
PY
grep -a '/S/Figure' "$work/objects" >"$work/figures"
is 'each figure has a text alternative' "$(grep -avc '/Alt<FEFF[0-9A-F]\{40\}' "$work/figures")" 0
grep -a '/S/Formula' "$work/objects" >"$work/formulas"
[ -s "$work/formulas" ]
ok $? 'there are formulas'
is 'each of them too' "$(grep -avc '/Alt<FEFF' "$work/formulas")" 0
grep -qa '/Outlines' "$work/objects"
ok $? 'there are bookmarks'

done_testing
