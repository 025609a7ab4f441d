#!/bin/bash
# Typesetting: a small book as a PDF. What TeX refuses stops the build, long lines
# break, and the same tree gives the same bytes.
. tests/lib.sh
if ! command -v lualatex >/dev/null || ! command -v latexmk >/dev/null; then
    skip 'the PDF' 'no lualatex or latexmk'
    done_testing
fi
copy_tree book
cd book || exit 1
runs 'the programs run' make out/mini/report.json figures
small_book
typeset() { make -o tangled/roots.mk pdf "$@"; }
pdf=out/mini/book.pdf
rm -rf out/mini/tex $pdf

long=$(printf 'a_rather_long_name(%s); ' {1..12})
put "Words é ␣ ∑ & % # _x_ \$a_b\$.

<<small.c>>=
const char *s = \"é ␣ \\\\ # % & _ ^ ~ {} \$ <b>\"; /* and then, $long*/
int ${long//[^a-z_]/}_${long//[^a-z_]/};
@

::: {.report}
:::"
runs 'it is typeset' typeset
is 'it is a PDF' "$(head -c 5 $pdf)" '%PDF-'
runs 'again' typeset
prints 'again: nothing is done' 'Nothing to be done|up to date'
is 'no line runs off the page' "$(grep -E '^Overfull .hbox \([0-9]{2,}' out/mini/tex/book.log)" ''
is 'no character is missing' "$(grep 'Missing character' out/mini/tex/book.log)" ''

# Another place, locale and time zone, from the beginning.
cp -a . ../other
cd ../other || exit 1
rm -rf out/mini/tex out/mini/book.tex $pdf
sleep 1.1 # dates in a PDF are in seconds
runs 'it is typeset elsewhere' env LC_ALL=C TZ=America/Caracas make -o tangled/roots.mk pdf
same 'to the same bytes' $pdf "../book/$pdf"

cp $pdf "$work/first.pdf"
put $'So\n\\notdefined\nfar.'
fails 'what TeX does not know stops it' typeset
line=$(line_of chapters/01-small.nw '\notdefined')
says 'with what TeX said, and where' \
    "^chapters/01-small.nw:$line: TeX: Undefined control sequence.* .notdefined"
same 'the PDF of before stays' $pdf "$work/first.pdf"
fails 'and again when nothing changed' typeset

done_testing
