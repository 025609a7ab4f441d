#!/bin/bash
# elsewhere.sh FOLDER: makes FOLDER a place to build the book of this folder in: what is
# read is a link to here, what is made will be a file there.
set -euo pipefail
folder=$1
sources=(Makefile book.nw chapters models references.bib tests weave)
mkdir -p "$folder"/{tangled,figures,out}
for name in "${sources[@]}"; do
    [ -L "$folder/$name" ] || [ ! -e "$folder/$name" ] || {
        echo "$folder: has a $name of its own; BUILD needs a folder that is not the book's" >&2
        exit 1
    }
    ln -sfn "$PWD/$name" "$folder/$name"
done
