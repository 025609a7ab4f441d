#!/bin/bash
# rerun.sh STAMP FOLDER NAME PROGRAM [ARGUMENT...]: runs a program and keeps what
# it printed and wrote as FOLDER/NAME.json, FOLDER/NAME_stdout.txt and
# FOLDER/data/*, unless nothing that its results depend on has changed since
# the last time. A result that is the same as before is not touched; a program
# that fails changes nothing. Then STAMP is touched.
set -euo pipefail
stamp=$1 folder=$2 name=$3 program=$4
shift 4
work=$folder/.run-$name
rm -rf "$work" # of a run that was killed
mkdir -p "$folder/data" "$work"
trap 'rm -rf "$work"' EXIT

# What the results depend on: the program without line numbers, its arguments and the
# model's files (but not what is recorded or told of it, nor an editor's), the libraries, and what chooses
# the BLAS kernel.
objcopy --strip-all "$program" "$work/program"
{
    sha256sum <"$work/program"
    printf '%s\n' "$@"
    for argument; do
        [ ! -d "$argument" ] ||
            find "$argument" -type f ! -name '*.tsv' ! -name '*.md' \
                ! -name '.*' ! -name '*~' ! -name '#*' -exec sha256sum {} +
    done | sort
    ldd "$program" | awk '$3 ~ /^\// { print $3 }' |
        xargs -r stat -L -c '%n %s %Y'
    env | { grep -E '^(OPENBLAS|OMP|LD)_' || true; } | sort
} >"$work/key"

complete() {
    [ -s "$folder/$name.json" ] && [ -f "$folder/${name}_stdout.txt" ] &&
        [ -f "$folder/.$name.data" ] &&
        while read -r file; do
            [ -f "$folder/data/$file" ] || return 1
        done <"$folder/.$name.data"
}
if cmp -s "$work/key" "$folder/.$name.key" && complete; then
    touch "$stamp"
    exit 0
fi
echo "run     ${program##*/}"
mkdir "$work/data"
status=0
# (Of a program that a signal ends, this shell would speak too.)
{ stdbuf -oL "$program" "$@" --json "$work/$name.json" --data "$work/data" \
    >"$work/${name}_stdout.txt" 2>"$work/said"; } 2>/dev/null || status=$?
if [ $status -ne 0 ]; then
    if [ $status -gt 128 ]; then
        section=$(grep -B 1 -x -e '-\+' "$work/${name}_stdout.txt" | grep . | tail -n 2 | head -n 1 || true)
        echo "${program##*/}: ${section:+${section#*  }: }ended by signal SIG$(kill -l $status);" \
            "a debugger shows where: gdb --args $program${*:+ $*}" >>"$work/said"
    fi
    touch "$work/$name.json"
    awk -f weave/blame.awk "${program%/*}"/*.c "$work/said" "$work/$name.json" >&2
    exit "$status"
fi
cat "$work/said" >&2

# From here on the results are not those of the old key, wherever this is killed.
rm -f "$folder/.$name.key"
keep() { cmp -s "$1" "$2" || mv "$1" "$2"; }
[ ! -f "$folder/.$name.data" ] || while read -r old; do
    [ -f "$work/data/$old" ] || rm -f "$folder/data/$old"
done <"$folder/.$name.data"
ls "$work/data" >"$folder/.$name.data"
for file in "$work"/data/*; do
    [ ! -f "$file" ] || keep "$file" "$folder/data/${file##*/}"
done
keep "$work/${name}_stdout.txt" "$folder/${name}_stdout.txt"
keep "$work/$name.json" "$folder/$name.json"
mv "$work/key" "$folder/.$name.key"
touch "$stamp"
