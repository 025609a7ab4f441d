# Checks the chunks of the book. Reads the output of noweb's markup; prints the
# roots, one a line, or one line for each mistake (on stderr) and fails.
# A root is a chunk that no other uses; it must be named like a file.

$1 == "@file" { file = substr($0, 7); line = 1 }
$1 == "@nl" || /^@index nl$/ { line++ }
$1 == "@quote" { quoted = 1 }
$1 == "@endquote" { quoted = 0 }
$1 == "@defn" {
    name = current = substr($0, 7)
    if (!(name in defined)) {
        defined[name] = file ":" line
        order[++n] = name
    }
}
$1 == "@use" && !quoted {
    name = substr($0, 6)
    used[name] = 1
    inside[current] = inside[current] name "\n"
    if (!(name in first_use)) {
        first_use[name] = file ":" line
        uses[++n_uses] = name
    }
}

function smaller(a, b) { return a < b ? a : b }

# Levenshtein distance of two names.
function distance(a, b,    i, j, before, cost, row) {
    for (j = 0; j <= length(b); j++)
        row[j] = j
    for (i = 1; i <= length(a); i++) {
        before = row[0]
        row[0] = i
        for (j = 1; j <= length(b); j++) {
            cost = before + (substr(a, i, 1) != substr(b, j, 1))
            before = row[j]
            row[j] = smaller(cost, smaller(row[j], row[j - 1]) + 1)
        }
    }
    return row[length(b)]
}

function meant(name, list,    other, best, d, least) {
    least = length(name) / 2
    for (other in list)
        if (other != name && (d = distance(name, other)) < least) {
            least = d
            best = other
        }
    return best == "" ? "" : "; is @<<" best "@>> meant?"
}

# Marks a chunk and those that it uses, directly or not.
function reach(name,    list, i, n) {
    if (name in reached)
        return
    reached[name] = 1
    n = split(inside[name], list, "\n")
    for (i = 1; i < n; i++)
        reach(list[i])
}

function complain(where, text) {
    gsub(/@<</, "<<", text)
    gsub(/@>>/, ">>", text)
    print where ": " text > "/dev/stderr"
    failed = 1
}

END {
    for (i = 1; i <= n_uses; i++)
        if (!(uses[i] in defined))
            complain(first_use[uses[i]], "chunk <<" uses[i] \
                     ">> is not defined" meant(uses[i], defined))
    for (i = 1; i <= n; i++) {
        name = order[i]
        if (name in used)
            continue
        reach(name)
        if (name ~ /^[A-Za-z0-9_]+\.(c|h|gp)$/)
            print name
        else
            complain(defined[name], "chunk <<" name \
                     ">> is never used" meant(name, first_use))
    }
    for (i = 1; i <= n; i++)
        if (!(order[i] in reached))
            complain(defined[order[i]], "chunk <<" order[i] \
                     ">> is used by itself alone, directly or through others")
    exit failed
}
