# The short of what a build said on stderr: one line a mistake. Drops what gcc draws and adds
# (the line with carets, notes, the function), what ld, make and gcc say about having failed,
# and what was said already.

/^make(\[[0-9]+\])?: \*\*\* No rule/ { sub(/^make(\[[0-9]+\])?: \*\*\* /, "") }
/^make(\[[0-9]+\])?: / { next }
/^ *[0-9]* \| / || /^ *\|/ || /: note: / || /: In function / || /: At top level:/ { next }
/^In file included from/ || /^ +from / || /^compilation terminated/ { next }
/^verify: [0-9]+ of [0-9]+ keys fail, see the table/ { next } # the weaver says which
/^collect2: error: / || /: in function `[^`]*':$/ { next }
{ sub(/^\/usr\/bin\/ld: /, "") }
NF && !seen[$0]++ && ++n <= 12
END { if (n > 12) printf "and %d more\n", n - 12 }
