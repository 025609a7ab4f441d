#!/bin/bash
# The tangled code and the tests are as clang-format would write them. (Other versions
# than 14 disagree about details, so only that one is asked.)
. tests/lib.sh

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
