#!/bin/bash
# No chunk is longer than a screen. The tangled code and the tests are as clang-format would write
# them. (Other versions than 14 disagree about details, so only that one is asked.)
. tests/lib.sh

is 'no chunk is longer than a screen of 48 lines' "$(cd "$root" && awk '
    /^<<.*>>=$/ { place = FILENAME ":" FNR; lines = 0; next }
    /^@( |$)/ && place { if (lines > 48) print place ": " lines " lines"; place = "" }
    { lines++ }' book.nw chapters/*.nw)" ''

case $(clang-format --version 2>/dev/null) in
*' 14.'*) ;;
*)
    skip 'the code is formatted' 'no clang-format 14'
    done_testing
    exit
    ;;
esac
cp "$root/.clang-format" .
mkdir code
/usr/lib/noweb/markup -t "$root/book.nw" "$root"/chapters/*.nw >stream
grep -o '[A-Za-z0-9_]*\.[ch]\( \|$\)' "$root/tangled/roots.mk" | while read -r file; do
    /usr/lib/noweb/nt -R"$file" <stream >"code/$file"
done
cp "$root"/tests/*.[ch] code/
for file in code/*; do
    runs "${file#code/} is formatted" clang-format --dry-run --Werror "$file"
done
done_testing
