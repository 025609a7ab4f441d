#!/bin/bash
# elsewhere.sh FOLDER: makes FOLDER, which is new, empty, or was made so before, a place to
# build the book of this folder in: what is read is a link to here, what is made will be a
# file there. Whatever cleans up there finds nothing that anybody else has made.
set -euo pipefail
folder=$1
sources=(book.nw Makefile chapters models references.bib tests weave)
mkdir -p "$folder"
# book.nw is the first link, so that a folder whose making was cut is known again.
[ -L "$folder/book.nw" ] || [ -z "$(ls -A "$folder")" ] || {
    echo "$folder: has files that are not of a build; BUILD needs a folder that is new or empty" >&2
    exit 1
}
for name in "${sources[@]}"; do
    [ -L "$folder/$name" ] || [ ! -e "$folder/$name" ] || {
        echo "$folder: has a $name of its own; BUILD needs a folder that is new or empty" >&2
        exit 1
    }
    ln -sfn "$PWD/$name" "$folder/$name"
done
mkdir -p "$folder"/{tangled,figures,out}
