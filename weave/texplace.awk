# Says where in the chapters TeX's first error comes from. Reads the log; `source` is the TeX
# file, in which a comment "%at CHAPTER:LINE" stands before each stretch of prose. The line
# is that of the last word that TeX read, or else where its stretch begins.

function find(message, n, word,    i, line, text, at, file, from) {
    while ((getline line < source) > 0 && ++i <= n)
        if (line ~ /^%at /)
            at = substr(line, 5)
    if (at == "")
        return source ":" n
    from = at
    sub(/.*:/, "", from)
    file = substr(at, 1, length(at) - length(from) - 1)
    i = 0
    while (word != "" && (getline text < file) > 0)
        if (++i >= from && index(text, word))
            return file ":" i
    return at
}

message == "" && /^[^ ]+.*:[0-9]+: / && index($0, source) {
    rest = substr($0, index($0, source) + length(source) + 1)
    n = rest + 0
    message = substr(rest, length(n) + 3)
    next
}
message == "" && /^! / { message = substr($0, 3) }
message != "" && /^l\.[0-9]+ / {
    n = substr($1, 3) + 0
    word = match($0, /\\[A-Za-z]+ *$/) ? substr($0, RSTART) : ""
    sub(/ +$/, "", word)
    print find(message, n, word) ": TeX: " message (word == "" ? "" : " " word)
    told = 1
    exit
}
END {
    if (!told && message != "")
        print (n ? find(message, n, "") : source) ": TeX: " message
    exit message == ""
}
