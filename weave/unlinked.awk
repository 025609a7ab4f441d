# What ld says, with the places of the chapters: its own are those of the last time that the
# file was compiled, and lines may have moved since. Reads what ld wrote; prints a line for
# each function that is used or defined in the wrong place, and all else as it is.

# Where the C file of an object has a name last: "chapters/03-x.nw:45", or nothing.
function place(object, name,    file, line, at, chapter, found) {
    sub(/^.*[\/(]/, "", object)
    sub(/\.o.*$/, "", object)
    file = "tangled/" object ".c"
    while ((getline line < file) > 0) {
        at++
        if (line ~ /^#line /) {
            at = line
            sub(/^#line /, "", at)
            at = at - 1
            chapter = substr(line, index(line, "\"") + 1)
            sub(/"$/, "", chapter)
        } else if (line ~ "(^|[^A-Za-z0-9_])" name "([^A-Za-z0-9_]|$)")
            found = chapter ":" at
    }
    close(file)
    return found
}

match($0, /^([^ ]*ld: )?[^ :]+\.o\)?:/) { object = substr($0, RSTART, RLENGTH) }
/: in function `[^`]*':$/ && object != "" { held = $0; next }
match($0, /undefined reference to `[^']*'/) {
    name = substr($0, RSTART + 24, RLENGTH - 25)
    where = place(object, name)
    if (where != "") {
        if (!told[where, name]++)
            print where ": '" name "' is used, and no chapter defines it"
        held = ""
        next
    }
}
match($0, /multiple definition of `[^']*'; [^ ]*\.o\)?:/) {
    split(substr($0, RSTART + 24, RLENGTH - 24), part, "'; ")
    where = place(object, part[1])
    first = place(part[2], part[1])
    if (where != "" && first != "") {
        print where ": '" part[1] "' is defined here and in " first
        held = ""
        next
    }
}
held != "" { print held; held = "" }
{ print }
