# Says where in the chapters a failed run comes from. Reads, in this order, the C files that
# the book is tangled to, what the program wrote on stderr (a file named said) and its results
# as JSON; prints a line for each message and each false claim. A section that fails is
# found by its title in the program's list, a claim or another key by its text in the code.

FNR == 1 {
    place = ""
    program = FILENAME
    gsub(/^.*\/|\.c$/, "", program)
}
FILENAME ~ /\.c$/ && /^#line / {
    line = $2 - 1
    file = substr($0, index($0, "\"") + 1)
    sub(/"$/, "", file)
    next
}
FILENAME ~ /\.c$/ {
    line++
    place = file ":" line
    if (match($0, /^int [a-z_0-9]+\(/))
        function_at[substr($0, 5, RLENGTH - 5)] = place
    if (match($0, /\{"[^"]*", "[^"]*", [a-z_0-9]+\},/)) {
        split(substr($0, RSTART, RLENGTH), piece, "\"")
        work[program ": " piece[4] ": "] = substr(piece[5], 3, length(piece[5]) - 4)
    }
    rest = $0
    while (match(rest, /"[^"]*"/)) {
        text = substr(rest, RSTART + 1, RLENGTH - 2)
        if (!(text in text_at))
            text_at[text] = place
        last_at[text] = place
        rest = substr(rest, RSTART + RLENGTH)
    }
    next
}
FILENAME ~ /said$/ {
    where = ""
    for (title in work)
        if (index($0, title) == 1 && work[title] in function_at)
            where = function_at[work[title]] ": "
    key = $2
    sub(/:$/, "", key)
    if (where == "" && key in text_at)
        where = (/ is reported twice/ ? last_at[key] : text_at[key]) ": "
    print where $0
    next
}
/^ *"key": / { key = value($0) }
/^ *"text": / { sentence = value($0) }
/^ *"holds": false/ {
    print (key in text_at ? text_at[key] ": " : "") "claim '" key "' is false: " sentence
}

function value(text) {
    sub(/^[^:]*: "/, "", text)
    sub(/",?$/, "", text)
    return text
}
