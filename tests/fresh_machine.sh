#!/bin/bash
# fresh_machine.sh [RELEASE...]: what the README promises, on machines that have nothing. For each
# release of Debian (bookworm and trixie, if none is named) it debootstraps a minimal one, puts
# a clone of the last commit there, and runs `make deps && make` and `make check`. Not a part of
# `make check`: it needs root, debootstrap, a Debian mirror, 3 GB for each and half an hour.
# A machine where something failed is left for a look; the others are removed.
#   MIRROR=http://deb.debian.org/debian   where the packages come from
#   TMPDIR=/tmp                           where the machines are
set -euo pipefail
cd "$(dirname "$0")/.."
mirror=${MIRROR:-http://deb.debian.org/debian}
say() { printf '%s: %s\n' "$release" "$*"; }

# inside SHELL-COMMAND: in the machine, with its own /proc, terminals and shared memory, and
# a bare environment.
inside() {
    unshare --mount --pid --fork --kill-child sh -c '
        mount -t proc proc "$0/proc" && mount -t devpts -o newinstance,ptmxmode=0666 pts "$0/dev/pts" &&
        mount --bind "$0/dev/pts/ptmx" "$0/dev/ptmx" &&
        mkdir -p "$0/dev/shm" && mount -t tmpfs tmpfs "$0/dev/shm" &&
        exec env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
            chroot "$0" sh -c "cd /root/book 2>/dev/null; $1"' "$machine" "$1" </dev/null
}
step() { # COMMAND: runs it in the machine and says how long it took
    local begin=$SECONDS
    echo "=== $1" >>"$log"
    inside "$1" >>"$log" 2>&1 || {
        tail -n 30 "$log" >&2
        say "$1: FAILED after $((SECONDS - begin)) s; all it said: $log; the machine: $machine" >&2
        return 1
    }
    say "$1: $((SECONDS - begin)) s"
}
megabytes() { # EXCLUDED...: how much is on the machine
    du -smx "${@/#/--exclude=$machine/}" "$machine" | cut -f1
}

machine_of() {
    release=$1
    machine=$(mktemp -d "${TMPDIR:-/tmp}/fresh-$release.XXXXXX")
    log=$machine.log
    chmod 755 "$machine" # other users than root reach their / there
    debootstrap --variant=minbase "$release" "$machine" "$mirror" >"$log" 2>&1 || {
        tail -n 5 "$log" >&2
        return 1
    }
    step 'apt-get install --yes make gcc git' # what the README takes for granted
    git clone --quiet --no-hardlinks . "$machine/root/book"
    inside 'apt-get clean'
    local before after
    before=$(megabytes var/cache/apt var/lib/apt)
    step 'make deps'
    after=$(megabytes var/cache/apt var/lib/apt)
    say "make deps: $(du -sm "$machine/var/cache/apt/archives" | cut -f1) MB fetched," \
        "$((after - before)) MB installed"
    inside "dpkg-query -W -f '\${Package} \${Version}\n' gcc libopenblas0-pthread gnuplot-nox noweb pandoc texlive-base" |
        sed "s/^/$release: /"
    step make
    step 'make check'
    grep -a '^Result:\|^Files=\|# SKIP\|skipped' "$log" | sed "s/^/$release: /" || true
    rm -rf --one-file-system "$machine" "$log"
}

failed=0
[ "$#" -gt 0 ] || set -- bookworm trixie
for name; do
    machine_of "$name" & # behind ||, a failed step would not end it
    wait $! || failed=1
done
exit $failed
