#!/bin/bash
# draw.sh SCRIPT DATA OUT: runs a gnuplot script twice, for OUT.svg and OUT.pdf, makes the
# SVG small, since it stands in the page, and leaves the date of its making out of the PDF.
# The script finds its data file in `data` and loads weave/figure.gp for the rest.
set -euo pipefail
script=$1 data=$2 out=$3
trap 'rm -f "$out.svg.new" "$out.pdf.new" "$out.svg.small" "$out.pdf.bare" "$out.said"' EXIT

# What gnuplot says of a line of the script, it says of the chapter's.
explain() {
    awk -v script="$script" '
        BEGIN {
            while ((getline line < script) > 0) {
                n++
                if (split(line, word, " ") == 3 && word[1] == "#line") {
                    at = word[2] - 1
                    file = word[3]
                    gsub(/"/, "", file)
                } else
                    at++
                place[n] = file ":" at
            }
        }
        index($0, "\"" script "\" line ") == 1 {
            rest = substr($0, length(script) + 9)
            line = rest + 0
            sub(/^[0-9]+/, "", rest)
            $0 = place[line] rest
        }
        /^ *\^$/ { held = ""; next } # it points into the line before
        held ~ /[^ ]/ { print held }
        { held = $0 }
        END { if (held ~ /[^ ]/) print held }' "$out.said" >&2
}

for kind in svg pdf; do
    gnuplot -e "kind='$kind'; out='/dev/stdout'; data='$data'" "$script" \
        2>"$out.said" | cat >"$out.$kind.new" || { explain; exit 1; } # cat notices a full disk
    explain
    [ -s "$out.$kind.new" ] || {
        echo "$script: gnuplot drew nothing into $out.$kind" >&2
        exit 1
    }
done
sed -zE -f weave/svg.sed "$out.svg.new" | scour -q --set-precision=4 \
    --enable-id-stripping --shorten-ids --create-groups --strip-xml-prolog \
    --remove-descriptive-elements --indent=none --no-line-breaks >"$out.svg.small"
sed -i 's/ xml:space="preserve"//' "$out.svg.small"
mv "$out.svg.small" "$out.svg.new"
qpdf --empty --deterministic-id --pages "$out.pdf.new" -- "$out.pdf.bare"
mv "$out.pdf.bare" "$out.pdf.new"
for kind in svg pdf; do mv "$out.$kind.new" "$out.$kind"; done
