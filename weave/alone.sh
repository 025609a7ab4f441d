#!/bin/bash
# alone.sh LOCK PROCESS: waits until no other make is at work in this tree, and writes into LOCK
# that PROCESS now is. That ends with the process, however it ends.
set -euo pipefail
lock=$1 process=$2 told=

# When a process started, which tells it from a later one of the same number; nothing if
# there is none, or only what is left for its parent.
started() {
    local fields
    read -ra fields < <(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) || return 0
    [ "${fields[0]}" = Z ] || echo "${fields[19]}"
}

mkdir -p "${lock%/*}" 2>/dev/null && (: >>"$lock") 2>/dev/null || {
    echo "$PWD: $lock cannot be written; make BUILD=folder builds in another place" >&2
    exit 1
}
me="$process $(started "$process")"
while :; do
    exec 9>>"$lock"
    flock 9
    holder=$(<"$lock")
    other=${holder%% *}
    if [ -z "$holder" ] || [ "$holder" = "$me" ] || [ "$holder" != "$other $(started "$other")" ]; then
        echo "$me" >"$lock"
        exit
    fi
    exec 9>&-
    [ -n "$told" ] || echo "make (process $other) is at work in $PWD: waiting for its end" >&2
    told=1
    sleep 0.1
done
