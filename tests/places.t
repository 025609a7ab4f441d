#!/bin/bash
# Any place (traps, 33 and 34): the sources in a folder that is only read, what is made in another, both with
# blanks and letters outside ASCII in their names; another locale and time zone; several
# processes, and by somebody who may write nowhere else. The same bytes come of it.
# LONG=1 makes the PDF too.
. tests/lib.sh
copy_tree book
cd book || exit 1
goals=(html)
made=(out/mini/book.html out/mini/part2{,_toy}{.json,_stdout.txt} out/mini/report.json figures/mini/*.svg)
[ -z "${LONG-}" ] || { goals=(html pdf); made+=(out/mini/book.{tex,pdf} figures/mini/*.pdf); }
runs 'the book is built in its own folder' make "${goals[@]}"
[ "${#made[@]}" -gt 10 ]
ok $? 'it has figures'

cd "$work" || exit 1
copy_sources 'soürces only read'
find 'soürces only read' -mindepth 1 -maxdepth 1 -empty -delete
chmod -R a-w 'soürces only read'
as=()
[ "$(id -u)" != 0 ] || { # root may write anywhere
    as=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent)
    chmod 755 "$work"
    mkdir -m 777 'elsewhere ß'
}
listing() { find 'soürces only read' -printf '%p %s %T@ %M\n' | sort; }
listing >"$work/before"
runs 'it is built elsewhere' "${as[@]}" env -u LC_ALL LANG=C TZ=Pacific/Kiritimati SOURCE_DATE_EPOCH=1 \
    make -j3 -C 'soürces only read' BUILD="$work/elsewhere ß/böok's" "${goals[@]}"
omits 'without a warning' 'warning'
# (Newer Fontconfig misses a home that can be written.)
is 'on stderr neither' "$(grep -v -e '^make' -e 'No writable cache directories' <<<"$err")" ''
for file in "${made[@]}"; do
    cmp -s "book/$file" "elsewhere ß/böok's/$file" || differ+=" $file"
done
is 'to the same bytes' "${differ-}" ''
listing >"$work/after"
same 'and nothing is written where it is read' before after
runs 'make -q knows that all is made' make -q -C 'soürces only read' BUILD="$work/elsewhere ß/böok's" html

fails 'a mistake there' make -C 'soürces only read' BUILD="$work/elsewhere ß/böok's" MODEL=none html
says 'is told as here' 'models/none'
fails 'a folder that has chapters is no place for it' make -C 'soürces only read' BUILD="$work/book" html
says 'and is named' "$work/book: has files that are not of a build"
is 'nothing was made of it' "$(find book -type l)" ''

# ---- cleaning up ----------------------------------------------------------

# Nothing is removed that was not made here.
mkdir -p theirs/out theirs/tangled
touch theirs/out/kept theirs/tangled/kept
for goal in clean distclean html; do
    fails "make $goal in somebody's folder" make -C book BUILD="$work/theirs" $goal
    says 'is refused' "$work/theirs: has files that are not of a build"
done
is 'which stays as it is' "$(find theirs -type f -o -type l | sort)" $'theirs/out/kept\ntheirs/tangled/kept'
mkdir -p copied/book
cp -a book/{Makefile,weave} copied/book/
mkdir copied/book/{tangled,figures,out,chapters}
touch copied/book/chapters/kept
for model in ../chapters .. . '' / 'out chapters' ../../theirs "$work/theirs"; do
    fails "make clean MODEL='$model'" make -C copied/book clean MODEL="$model"
    says 'is refused' '^Makefile:[0-9]*: \*\*\* MODEL=.*: expected the name of a folder in models/'
done
is 'and removes nothing' "$(find copied/book theirs -name kept | wc -l) $(find copied/book -maxdepth 1 -name out)" '3 copied/book/out'
runs 'a name with what a shell understands' make -C book BUILD="$work/x\"; touch 'made'; \"" help
is 'is only a name' "$(find book -name made) $(ls -d x*)" ' x"; touch '"'made'"'; "'
fails 'without BUILD' "${as[@]}" make -C 'soürces only read' html
says 'the reason and what to do' 'tangled/\.lock cannot be written; make BUILD=folder'
runs 'cleaning elsewhere' make -C 'soürces only read' BUILD="$work/elsewhere ß/böok's" distclean
is 'leaves the links' "$(find "elsewhere ß/böok's" -type l | wc -l) $(find "elsewhere ß/böok's" -type f | wc -l)" '7 0'
listing >"$work/after"
same 'and the sources as they were' before after

# ---- without TeX ----------------------------------------------------------

cd book || exit 1
mkdir "$work/bin"
for folder in /usr/bin /bin /usr/local/bin; do
    for program in "$folder"/*; do
        case ${program##*/} in
        lualatex | latexmk) ;;
        *) [ -e "$work/bin/${program##*/}" ] || ln -s "$program" "$work/bin/" ;;
        esac
    done
done
rm -f out/mini/book.pdf
runs 'without TeX the book is built' env PATH="$work/bin" make
prints 'and says how to get the PDF' '^no PDF .* out/mini/book\.pdf: sudo make deps, then make pdf$'
[ -s out/mini/book.html ] && [ ! -e out/mini/book.pdf ]
ok $? 'the page is there'
fails 'the PDF cannot be made' env PATH="$work/bin" make pdf
says 'for the same reason' '^out/mini/book\.pdf: needs LuaLaTeX and latexmk.* sudo make deps'

done_testing
