#!/bin/sh
# curves.sh SET: prints the loss curves that were recorded when the models of a set were
# trained (SET/*/curve.tsv), as the data of a figure: a block for each model, two blank
# lines between; first a line of headings, then millions of tokens and loss. A last
# block is the loss of bigrams on the same text. Nothing is printed if there are none; a
# line that is no point of a curve is an error.
set -eu
folder=$1
set --
for file in "$folder"/*/curve.tsv "$folder"/*/evaluation.tsv; do
    [ ! -f "$file" ] || set -- "$@" "$file"
done
[ $# -gt 0 ] || exit 0
awk -F '\t' '
    function label(path, part) { return part[split(path, part, "/") - 1] }
    function number(text) { return text ~ /^[0-9]+([.][0-9]+)?(e[+]?[0-9]+)?$/ }
    function refuse(expected) {
        printf "%s:%d: expected %s\n", FILENAME, FNR, expected >"/dev/stderr"
        exit broken = 1
    }
    FILENAME ~ /\/evaluation\.tsv$/ {
        if ($1 == "bigrams" && !number($2)) refuse("a number for bigrams")
        if ($1 == "bigrams" && !bigrams) bigrams = $2
        next
    }
    FNR == 1 { printf "%stokens\t%s\n", (n++ ? "\n\n" : ""), label(FILENAME) }
    /^#/ { next }
    NF != 5 || !number($2) || !number($4) {
        refuse("step, tokens, two losses and seconds, with tabs between")
    }
    {
        print $2 / 1e6 "\t" $4
        if ($2 / 1e6 > most) most = $2 / 1e6
    }
    END {
        if (!broken && n && bigrams)
            printf "\n\ntokens\tbigrams\n0\t%s\n%s\t%s\n", bigrams, most, bigrams
        exit broken
    }' "$@"
