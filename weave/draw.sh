#!/bin/sh
# draw.sh SCRIPT DATA OUT: runs a gnuplot script twice, for OUT.svg and OUT.pdf.
# The script finds its data file in `data` and loads weave/figure.gp for the rest.
set -eu
script=$1 data=$2 out=$3
for kind in svg pdf; do
    gnuplot -e "kind='$kind'; out='$out.$kind.new'; data='$data'" "$script"
    [ -s "$out.$kind.new" ] || {
        echo "$script: gnuplot drew nothing into $out.$kind" >&2
        exit 1
    }
done
for kind in svg pdf; do mv "$out.$kind.new" "$out.$kind"; done
