#!/bin/sh
# repack.sh BOOK.epub: packs an EPUB again, so that the same content gives the same bytes:
# its files in the order of their names, `mimetype` in front and not compressed, and all
# with one date.
set -eu
export LC_ALL=C TZ=UTC0
book=$(realpath "$1")
work=$book.files
rm -rf "$work" # of a run that was killed
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/files"
unzip -q "$book" -d "$work/files"
cd "$work/files"
find . -exec touch -d '2000-01-01 00:00' {} +
zip -q -X -0 ../packed mimetype
find . -type f ! -name mimetype | sort | zip -q -X -9 -@ ../packed
mv ../packed.zip "$book"
