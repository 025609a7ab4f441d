#!/bin/sh
# versions.sh PROGRAM...: prints, for each program that is here, NAME=SUM, where SUM tells one
# version from another: it is made of the sizes and dates of the program's file
# and of the libraries that this loads.
set -eu
for program; do
    file=$(command -v "$program") || continue
    sum=$({
        printf '%s\n' "$file"
        ldd "$file" 2>/dev/null | awk '$3 ~ /^\// { print $3 }'
    } | xargs -d '\n' stat -L -c '%s %Y' | cksum)
    printf '%s=%s\n' "$program" "${sum%% *}"
done
