#!/bin/bash
# build.sh MAKE OUT SET PORT [PDF]: builds the page, serves it, and builds it again after every
# save, until it is interrupted; with PDF, the PDF follows whenever nothing newer is to do.
# What the page is to show of a build is in OUT/.watch:
#   now        new after each build, when all else is written
#   problems   what stopped the last build, for people; not there if nothing did
#   changes    the numbers that moved with the last build (JSON; see `verify --diff`)
set -u
make=$1 out=$2 set=$3 port=$4 pdf=${5-}
state=$out/.watch
command -v inotifywait >/dev/null || {
    echo "make watch needs inotifywait: sudo apt-get install inotify-tools" >&2
    exit 1
}
mkdir -p "$state"
rm -f "$state"/*

# Each job is a process group, which can be ended as a whole.
set -m
server='' watcher='' building='' typesetting=''
end() { [ -z "$1" ] || { kill -- "-$1" && wait "$1"; } 2>/dev/null; }
finish() {
    trap '' INT TERM HUP
    trap - EXIT
    for job in "$building" "$typesetting" "$watcher" "$server"; do end "$job"; done
    rm -rf "$state"
    exit "$1"
}
trap 'finish 0' INT TERM HUP
trap 'finish 1' EXIT

# The numbers that moved; nothing if none did. What is not as expected stops the build, with
# a line of its own.
differ() {
    rm -f "$state/changes"
    tangled/verify --diff "$state/before.json" --cites "$out/.cites.tsv" \
        --changes "$state/changes" "$out/report.json" 2>/dev/null |
        sed '/^not as expected/,$d; /^[^ ]/d; /^  nothing$/d'
}

# stopped FILE WHAT: tells on the terminal and on the page what FILE says.
stopped() {
    awk -f weave/watch/explain.awk "$1" >"$state/short"
    echo "The $2 is the one before." >>"$state/short"
    cat "$state/short" >&2
    mv "$state/short" "$state/problems"
}

tell_page() {
    echo "$EPOCHREALTIME" >"$state/now.new"
    mv "$state/now.new" "$state/now"
}

typeset() {
    if $make -s pdf >/dev/null 2>"$state/typeset"; then
        printf '%(%T)T  the PDF is new\n'
    else
        stopped "$state/typeset" PDF
        tell_page
    fi
}

build() {
    end "$typesetting"
    typesetting=''
    local start=${EPOCHREALTIME/./} moved
    rm -f "$state/before.json"
    [ ! -f "$out/.shown.json" ] || cp "$out/.shown.json" "$state/before.json"
    $make -s -j "$(nproc)" html 2>"$state/said" &
    building=$!
    wait "$building"
    local status=$?
    building=''
    moved=$(differ)
    if [ $status -eq 0 ]; then
        rm -f "$state/problems"
        awk -f weave/watch/explain.awk "$state/said" >&2
        printf '%(%T)T  the page is new, after %d ms\n' -1 \
            $(((${EPOCHREALTIME/./} - start) / 1000))
    else
        printf '%(%T)T  stopped\n'
        stopped "$state/said" page
    fi
    [ -z "$moved" ] || printf 'moved (then -> now):\n%s\n' "$moved"
    tell_page
    [ -z "$pdf" ] || [ $status -ne 0 ] || { typeset & typesetting=$!; }
}

# Folders are watched, not files: many editors put a new file in place of the old one. (Where
# BUILD is elsewhere, these are links.)
mkfifo "$state/saved"
exec {saved}<>"$state/saved"
mapfile -t folders < <(dirname "$(realpath book.nw)"
    find -L chapters weave "models/$set" models/toy -type d)
inotifywait --monitor --event close_write,move,delete --format %f "${folders[@]}" \
    >"$state/saved" 2>&1 {saved}>&- &
watcher=$!
while read -ru "$saved" line; do
    case $line in
    'Watches established.') break ;;
    'Setting up watches.'*) ;;
    *)
        echo "inotifywait: $line" >&2
        exit 1
        ;;
    esac
done
/usr/bin/python3 weave/watch/serve.py "$out" "$port" "$state/url" &
server=$!
until [ -s "$state/url" ]; do
    kill -0 "$server" 2>/dev/null || exit 1
    sleep 0.05
done

echo "$(cat "$state/url") shows the page, and shows it anew after every save; Ctrl-C ends this"
build
while kill -0 "$watcher" 2>/dev/null && kill -0 "$server" 2>/dev/null; do
    read -rt 1 -u "$saved" name || continue
    case $name in
    .* | *~ | '#'* | *.new | *.sw? | 4913) continue ;; # what editors leave for a moment
    esac
    while read -rt 0.05 -u "$saved" name; do :; done # a burst is one
    build
done
