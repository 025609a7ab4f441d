#!/bin/sh
# The page in a real browser: browser/harness/run.mjs says how, each browser/*.mjs what.
# SUBJECT="links search" runs those alone.
missing() {
    echo "1..0 # SKIP $1"
    exit 0
}
folder=tests/browser
CHROMIUM=$(command -v chromium) || missing 'no chromium: apt-get install chromium'
command -v node >/dev/null || missing 'no node: apt-get install nodejs npm'
[ -d $folder/node_modules/playwright-core ] ||
    missing "the packages of $folder are not installed: npm ci --prefix $folder"
[ -f out/mini/book.html ] || missing 'the page was not built: make html'
export CHROMIUM
# shellcheck disable=SC2086
exec node $folder/harness/run.mjs out/mini/book.html ${SUBJECT-}
