#!/bin/sh
# curves.sh SET: prints the loss curves that were recorded when the models of a set were
# trained (SET/*/curve.tsv), as the data of a figure: a block for each model, two blank
# lines between; first a line of headings, then millions of tokens and loss. A last
# block is the loss of bigrams on the same text. Nothing is printed if there are none.
set -eu
awk -F '\t' '
    function label(path, part) { return part[split(path, part, "/") - 1] }
    FILENAME ~ /\/evaluation\.tsv$/ {
        if ($1 == "bigrams" && !bigrams) bigrams = $2
        next
    }
    FNR == 1 { printf "%stokens\t%s\n", (n++ ? "\n\n" : ""), label(FILENAME) }
    !/^#/ {
        print $2 / 1e6 "\t" $4
        if ($2 / 1e6 > most) most = $2 / 1e6
    }
    END {
        if (n && bigrams)
            printf "\n\ntokens\tbigrams\n0\t%s\n%s\t%s\n", bigrams, most, bigrams
    }' "$1"/*/curve.tsv "$1"/*/evaluation.tsv 2>/dev/null || true
