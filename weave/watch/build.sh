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

# The folder is made, and is ours alone.
own_state() {
    mkdir -p "$state"
    exec {only}<"$state"
    flock --nonblock "$only" || {
        echo "make watch: another make watch is at work on $out; end that one first" >&2
        exit 1
    }
}
own_state
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
    if $make -s pdf </dev/null >/dev/null 2>"$state/typeset"; then
        printf '%(%T)T  the PDF is new\n'
    else
        stopped "$state/typeset" PDF
        tell_page
    fi
}

# What editors leave for a moment is no save.
is_source() {
    case $1 in
    '' | / | .* | *~ | '#'* | *.new | *.sw? | 4913) return 1 ;;
    esac
}

# Waits for the end of the build, or until it is needless: it is long at work (it may never
# end), and something was saved since. Each time that this happens a build gets more time.
patience=10 again=''
await() {
    local limit=$((SECONDS + patience)) name='' waits=''
    again=''
    until [ "$name" = / ] || ! kill -0 "$building" 2>/dev/null; do
        read -rt 1 -u "$saved" name || name=''
        ! is_source "$name" || again=1
        [ -n "$waits" ] || ! waits=$(grep -s -m 1 '^make (process' "$state/said") || echo "$waits" >&2
        if [ -n "$again" ] && [ $SECONDS -ge $limit ]; then
            patience=$((2 * patience))
            end "$building"
            return 1
        fi
    done
    patience=10
}

build() {
    end "$typesetting"
    typesetting=''
    local start=${EPOCHREALTIME/./} moved
    [ -d "$state" ] || own_state # `make clean` removes it
    rm -f "$state/before.json"
    [ ! -f "$out/.shown.json" ] || cp "$out/.shown.json" "$state/before.json"
    { $make -s -j "$(nproc)" html </dev/null 2>"$state/said"
      status=$?
      echo / >&"$saved"
      exit $status; } &
    building=$!
    if ! await; then
        building=''
        printf '%(%T)T  ended, for what was saved since\n'
        return
    fi
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
# BUILD is elsewhere, or somebody keeps a chapter in another place, these are links.)
mkfifo "$state/saved"
exec {saved}<>"$state/saved"
sources=(book.nw references.bib chapters weave "models/$set" models/toy)
mapfile -t folders < <({
    find -L "${sources[@]}" -type d
    find -L "${sources[@]}" -type f -exec realpath {} + | xargs -d '\n' dirname
} | sort -u)
inotifywait --monitor --event close_write,move,delete --format %f "${folders[@]}" \
    >"$state/saved" 2>&1 {saved}>&- {only}<&- &
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
/usr/bin/python3 weave/watch/serve.py "$out" "$port" "$state/url" {only}<&- &
server=$!
until [ -s "$state/url" ]; do
    kill -0 "$server" 2>/dev/null || exit 1
    sleep 0.05
done

echo "$(cat "$state/url") shows the page, and shows it anew after every save; Ctrl-C ends this"
build
while kill -0 "$watcher" 2>/dev/null && kill -0 "$server" 2>/dev/null; do
    if [ -z "$again" ]; then
        read -rt 1 -u "$saved" name && is_source "$name" || continue
    fi
    while read -rt 0.05 -u "$saved" name; do :; done # a burst is one
    build
done
