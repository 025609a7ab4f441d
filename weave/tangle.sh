#!/bin/bash
# tangle.sh FOLDER CHAPTER...: tangles every root chunk into FOLDER, where a file
# is touched only if its text changed, and lists the files in FOLDER/roots.mk.
# Files of chunks that are gone are removed. This is what notangle -L does, its two
# halves apart, so that the chapters are read once and not once a root.
set -euo pipefail
noweb=/usr/lib/noweb
folder=$1
shift
# (What grep prints for a line that is no text is its place and that line.)
odd=$(LC_ALL=C.UTF-8 grep -Hnaxv -m 1 '.*' "$@" | cut -d: -f1,2 || true)
[ -z "$odd" ] || {
    sed 's/$/: not UTF-8 text; save the file as UTF-8/' <<<"$odd" >&2
    exit 1
}
work=$folder/.tangle
rm -rf "$work" # of a run that was killed
mkdir "$work"
trap 'rm -rf "$work" "$folder/roots.mk.new"' EXIT

# noweb does not notice a full disk; cat does.
"$noweb/markup" -t "$@" | cat >"$work/stream"
awk -f weave/chunks.awk "$work/stream" >"$work/roots"
mapfile -t roots <"$work/roots"

# All roots come out in one go, behind each a chunk of our own.
printf '%s\n' '@file @end' '@begin code 0' '@defn @end' '@nl' '@text @end' '@nl' \
    '@end code 0' >>"$work/stream"
"$noweb/nt" -t -L $(printf -- '-R%s -R@end ' "${roots[@]}") <"$work/stream" |
    awk -v list="$work/roots" -v old="$folder/" -v new="$work/" -f weave/split.awk \
        >"$work/changed"

# Code that only moved is neither compiled nor drawn again: the file has the new lines,
# for the next message about it, and its old date.
same_code() {
    [ -f "$2" ] && [ "$(grep -v '^#line' "$1")" = "$(grep -v '^#line' "$2")" ]
}

while read -r root; do
    ! same_code "$work/$root" "$folder/$root" || touch -r "$folder/$root" "$work/$root"
    mv "$work/$root" "$folder/$root"
done <"$work/changed"

for old in "$folder"/*.c "$folder"/*.h "$folder"/*.gp; do
    name=${old##*/}
    [[ -f $old && " ${roots[*]} " != *" $name "* ]] || continue
    base=${name%.*}
    rm -f "$old"
    case $name in
    *.c) rm -f "$folder"/{,san/}"$base".{o,d,o.new,o.d} ;;
    *.gp) rm -f figures/*/"$base".{svg,pdf} ;;
    esac
done
{
    printf 'ROOTS :='
    printf ' \\\n  %s' "${roots[@]}"
    printf '\n'
} >"$folder/roots.mk.new"
rm -rf "$work" # with roots.mk there, nobody comes back here
mv "$folder/roots.mk.new" "$folder/roots.mk"
