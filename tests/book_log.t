#!/bin/sh
# What TeX said of the whole book: no line too wide, nothing undefined, no glyph missing.
log=out/mini/tex/book.log
echo 1..3
[ -f "$log" ] || {
    for n in 1 2 3; do echo "ok $n # SKIP the PDF was not built"; done
    exit 0
}
none() { # N NAME PATTERN
    if said=$(grep -aE "$3" "$log"); then
        echo "not ok $1 - $2"
        printf '%s\n' "$said" | head -n 5 | sed 's/^/# /'
    else
        echo "ok $1 - $2"
    fi
}
none 1 'no line is more than a point too wide' '^Overfull .hbox \(([1-9]|[0-9]{2,})'
none 2 'no reference is undefined' 'undefined on|There were undefined'
none 3 'no glyph is missing' 'Missing character'
