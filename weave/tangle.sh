#!/bin/sh
# tangle.sh FOLDER CHAPTER...: tangles every root chunk into FOLDER, where a file
# is touched only if its text changed, and lists the files in FOLDER/roots.mk.
# Files of chunks that are gone are removed. This is what notangle -L does, its two
# halves apart, so that the chapters are read once and not once a root.
set -eu
noweb=/usr/lib/noweb
folder=$1
shift
work=$(mktemp -d "$folder/.tangle.XXXXXX")
trap 'rm -rf "$work"' EXIT

"$noweb/markup" -t "$@" >"$work/stream"
awk -f weave/chunks.awk "$work/stream" >"$work/roots"
# A script that only moved is not drawn again: it keeps its date.
same_script() {
    [ -f "$2" ] && [ "$(grep -v '^#line' "$1")" = "$(grep -v '^#line' "$2")" ]
}

while read -r root; do
    "$noweb/nt" -t -L -R"$root" <"$work/stream" >"$work/$root"
    cmp -s "$work/$root" "$folder/$root" && continue
    case $root in
    *.gp) same_script "$work/$root" "$folder/$root" &&
        touch -r "$folder/$root" "$work/$root" ;;
    esac
    mv "$work/$root" "$folder/$root"
done <"$work/roots"

for old in "$folder"/*.c "$folder"/*.h "$folder"/*.gp; do
    [ -f "$old" ] || continue
    name=${old##*/}
    grep -qxF "$name" "$work/roots" && continue
    case $name in
    *.c) rm -f "$old" "${old%.c}.o" "${old%.c}.d" ;;
    *.gp) rm -f "$old" figures/*/"${name%.gp}".svg figures/*/"${name%.gp}".pdf ;;
    *) rm -f "$old" ;;
    esac
done
{
    printf 'ROOTS :='
    while read -r root; do printf ' \\\n  %s' "$root"; done <"$work/roots"
    printf '\n'
} >"$work/roots.mk"
mv "$work/roots.mk" "$folder/roots.mk"
