#!/bin/sh
# remember.sh FOLDER: keeps the report that the page in FOLDER is now made from, as
# .shown.json, and the last one with other contents, as .before.json, for `make diff`.
# They are history, not results: nothing is made from them.
set -eu
cd "$1"
cmp -s report.json .shown.json && exit
[ ! -f .shown.json ] || mv .shown.json .before.json
cp report.json .shown.json.new
mv .shown.json.new .shown.json
