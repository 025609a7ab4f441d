#!/bin/bash
# What an edit costs, as ratios to one bare run of pandoc over the same text in the same
# minute: the chapters as Markdown, chunks as code blocks, to one HTML page with MathML, contents
# and citations. In a copy of the tree, which is to be built.
. tests/lib.sh
copy_tree book
cd book || exit 1
runs=${1-5}

seconds() { # COMMAND...: how long it took; a failure ends all
    local start=$EPOCHREALTIME
    "$@" >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
    awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }'
}
median() { sort -n "$1" | sed -n "$(((runs + 1) / 2))p"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

awk 'FNR == 1 && code { print "````\n"; code = 0 }
    /^<<.*>>=$/ { print (code ? "````\n" : "") "\n````"; print; code = 1; next }
    code && /^@( |$)/ { print "````\n"; code = 0; next }
    !code { gsub(/\[\[|\]\]+/, "`") }
    { gsub(/@<</, "<<"); print }
    END { if (code) print "````" }' book.nw chapters/*.nw >"$work/book.md"
bare() {
    pandoc --from markdown --to html5 --mathml --standalone --toc --toc-depth=3 --citeproc \
        --bibliography references.bib --wrap=none --quiet -o "$work/bare.html" "$work/book.md"
}
make=(make -s -j "$(nproc)")
chapter=chapters/06-new-form.nw # the longest of the exposition
prose() { sed -i "$(line_of $chapter '{#sec:') a\\\\nSentence number $1.\\n" $chapter; }
chunk() { sed -i "/^<<toy_6.c>>=/ a /* Edit number $1. */ enum { EDIT_$1 = $1 };" $chapter; }

"${make[@]}" html >/dev/null || exit 1
for ((n = 1; n <= runs; n++)); do
    seconds bare >>"$work/bare"
    prose "$n"
    seconds "${make[@]}" html >>"$work/prose"
    grep -q "Sentence number $n" out/mini/book.html || exit 1
    chunk "$n"
    seconds "${make[@]}" out/mini/report.json >>"$work/compile"
    seconds "${make[@]}" html >>"$work/chunk"
    grep -q "Edit number $n" out/mini/book.html || exit 1
done
bare=$(median "$work/bare")
echo "an edit, in times of a bare pandoc run over the same text ($bare s)"
echo "  a sentence to the new page      $(ratio "$(median "$work/prose")" "$bare")"
echo "  a chunk: compiled and run       $(ratio "$(median "$work/compile")" "$bare")"
echo "           then to the new page   $(ratio "$(median "$work/chunk")" "$bare")"
