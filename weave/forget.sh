#!/bin/sh
# forget.sh FOLDER NAME FIGURES: removes what rerun.sh kept of a program, and the figures
# drawn from it, for a program that cannot run any more.
set -eu
folder=$1 name=$2 figures=$3
[ ! -f "$folder/.$name.data" ] || while read -r file; do
    rm -f "$folder/data/$file" "$figures/${file%.dat}.svg" "$figures/${file%.dat}.pdf"
done <"$folder/.$name.data"
rm -f "$folder/$name.json" "$folder/${name}_stdout.txt" "$folder/.$name.data" "$folder/.$name.key"
