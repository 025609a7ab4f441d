# Cuts what nt printed, root after root, into files. `list` names the roots in their order;
# behind each stands the chunk @end. Those that differ from the file in the folder `old` are
# written into `new`, and their names printed.

function text_of(path,    line, text) {
    text = ""
    while ((getline line < path) > 0)
        text = text line "\n"
    close(path)
    return text
}

$0 == "#line 2 \"@end\"" { next }
$0 == "@end" {
    getline name < list
    if (text != text_of(old name)) {
        printf "%s", text > (new name)
        close(new name)
        print name
    }
    text = ""
    next
}
{ text = text $0 "\n" }
