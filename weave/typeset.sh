#!/bin/sh
# typeset.sh BOOK.tex BOOK.pdf: runs lualatex until the references settle. When TeX
# stops, prints its own message, with the place in the chapter, and leaves the PDF as it was;
# the whole log is in FOLDER/tex/. What TeX wrote there for its next run counts only if it
# came to its end.
set -eu
source=$1 pdf=$2
work=${pdf%/*}/tex
command -v lualatex >/dev/null && command -v latexmk >/dev/null || {
    echo "$pdf: needs LuaLaTeX and latexmk, and they are not installed: sudo make deps, then make pdf" >&2
    exit 1
}
[ -f "$work/ended" ] || rm -rf "$work"
mkdir -p "$work"
rm -f "$work/ended"
# What TeX finds out about fonts it keeps in the user's home; for a user without one, here.
fonts=$(kpsewhich -var-value TEXMFVAR)
{ mkdir -p "$fonts" && [ -w "$fonts" ]; } 2>/dev/null || export TEXMFVAR="$PWD/$work/fonts"
if ! FORCE_SOURCE_DATE=1 latexmk -lualatex -interaction=nonstopmode -halt-on-error \
    -file-line-error -silent -outdir="$work" "$source" >"$work/latexmk.out" 2>&1; then
    log=$work/$(basename "$source" .tex).log
    awk -v source="$source" -f weave/texplace.awk "$log" >&2 ||
        tail -n 5 "$work/latexmk.out" >&2
    exit 1
fi
touch "$work/ended"
cp "$work/$(basename "$source" .tex).pdf" "$pdf.new"
mv "$pdf.new" "$pdf"
