#!/bin/sh
# fetch.sh CACHE [LIST]: downloads the packages that LIST (sources.tsv) names into
# CACHE/deb and CACHE/npm, those that are not there yet. About 1.5 GB, most of it pictures
# and sounds of games that nothing is read from. Needs apt-get and npm; a version other
# than `any` must be one that apt or npm still has.
set -eu
[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "usage: fetch.sh CACHE [LIST]" >&2; exit 1; }
cache=$1 list=${2:-$(dirname "$0")/sources.tsv}
mkdir -p "$cache/deb" "$cache/npm"
# A download that is cut leaves nothing in the cache.
work=$(mktemp -d "$cache/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
tab=$(printf '\t')

# fetch KIND NAME VERSION COMMAND...
fetch() {
    kind=$1 wanted=$2
    shift 2
    echo "fetch   $wanted"
    (cd "$work" && "$@" "$wanted") </dev/null >"$work/.said" 2>&1 || {
        echo "fetch.sh: cannot get the $kind package $wanted: $(tail -n 1 "$work/.said")" >&2
        exit 1
    }
    mv "$work"/*.* "$cache/$kind/"
}

grep -v '^#' "$list" | sed 1d | cut -f 2-4 | sort -u |
    while IFS=$tab read -r kind packages version; do
        for name in $(printf %s "$packages" | tr , ' '); do
            echo "$kind $name $version"
        done
    done | sort -u >"$work/.wanted"
while read -r kind name version; do
    stem=$(printf %s "$name" | sed 's/^@//; s,/,-,g')
    case $kind in
    deb) set -- "$cache/deb/$name"_*.deb ;;
    npm) set -- "$cache/npm/$stem"-[0-9]*.tgz ;;
    *)
        echo "fetch.sh: $list: $name is of the kind \"$kind\", expected deb or npm" >&2
        exit 1
        ;;
    esac
    [ ! -e "$1" ] || continue
    case $kind$version in
    debany) fetch deb "$name" apt-get download ;;
    deb*) fetch deb "$name=$version" apt-get download ;;
    npmany) fetch npm "$name" npm pack --silent ;;
    npm*) fetch npm "$name@$version" npm pack --silent ;;
    esac
done <"$work/.wanted"
