# The short of what a build said on stderr: one line a mistake. Drops what gcc draws and adds
# (the line with carets, notes, the function), what ld, make and gcc say about having failed,
# and what was said already. A mistake within a macro is told where the macro is used, and why
# a formula cannot be read, in one line with its place.

function tell(line) {
    if (line !~ /^[ \t]*$/ && !seen[line]++ && ++n <= 12)
        print line
}

/: note: in expansion of macro / && held ~ /^[^ ]*: (error|warning): / {
    message = held
    sub(/^[^ ]*: /, "", message)
    held = substr($0, 1, index($0, ": note: ") + 1) message
    next
}
/^make(\[[0-9]+\])?: \*\*\* No rule/ { sub(/^make(\[[0-9]+\])?: \*\*\* /, "") }
/^make(\[[0-9]+\])?: / || /^make \(process [0-9]+\) is at work / { next }
/^ *[0-9]* \| / || /^ *\|/ || /: note: / || /: In function / || /: At top level:/ { next }
/^In file included from/ || /^ +from / || /^compilation terminated/ { next }
/^verify: [0-9]+ of [0-9]+ keys fail, see the table/ { next } # the weaver says which
/^collect2: error: / || /^cc1: some warnings being treated as errors/ || /: in function `[^`]*':$/ { next }
/^\[WARNING\] Could not convert TeX math / {
    formula = $0
    sub(/^.* TeX math /, "", formula)
    sub(/, rendering as TeX:$/, "", formula)
    next
}
formula != "" && /^  / {
    if (/^  unexpected /)
        why[formula] = ": " substr($0, 3)
    next
}
{
    formula = ""
    sub(/^\/usr\/bin\/ld: /, "")
    if (match($0, /: pandoc cannot read the formula /))
        $0 = $0 why[substr($0, RSTART + RLENGTH)]
    tell(held)
    held = $0
}
END {
    tell(held)
    if (n > 12)
        printf "and %d more\n", n - 12
}
