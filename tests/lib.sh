# What the tests of the build and of the programs share. Such a test is a script
# that `prove` runs from the root of the project. It works in copies of the tree,
# in a folder whose name has blanks and a letter outside ASCII, and leaves the
# tree itself alone:
#
#   . tests/lib.sh
#   copy_tree book; cd book         a copy, as far built as the tree is
#   runs 'it builds' make html      the command must succeed
#   fails 'it stops' make html      it must exit with 1 or 2, not by a signal
#   says 'the reason' 'REGEX'       what the last command wrote on stderr
#   prints / omits ...              what it wrote on stdout
#   done_testing
#
# After a command: $out, $err and $status.

set -u
export LC_ALL=C.UTF-8
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL LOCKED MODEL BUILD

root=$PWD
[ -f "$root/book.nw" ] || { echo "Bail out! run from the root of the project"; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/a böok's test.XXXXXX") || exit 1
trap 'cd /; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cd "$work" || exit 1

tests=0 broken=0 out='' err='' status=0

# copy_tree FOLDER: the sources that a build reads, and what was built from them.
copy_tree() {
    copy_sources "$1"
    for folder in tangled figures out; do
        [ ! -d "$root/$folder/mini" ] || cp -a "$root/$folder/mini" "$1/$folder/"
    done
    find "$root/tangled" -maxdepth 1 -type f ! -name '.*' \
        -exec cp -a -t "$1/tangled" {} +
}

# copy_sources FOLDER: the sources alone, as a fresh checkout has them.
copy_sources() {
    mkdir -p "$1/tangled" "$1/figures" "$1/out" "$1/models"
    cp -aL "$root"/{Makefile,book.nw,chapters,weave,references.bib} "$1/"
    cp -aL "$root"/models/{mini,toy} "$1/models/"
}

# small_book: puts a small book in place of the chapters; what the real ones printed and
# drew stays. `put TEXT` sets TEXT into it, behind all that could put the count of
# lines out. Make it with -o tangled/roots.mk: the C code stays as it is.
small_book() {
    rm book.nw chapters/*
    cat >book.nw <<'NW'
---
title: Small
---

# Before {#sec:before .unnumbered}

Nothing, as in [@elhage2021mathematical].
NW
    cat >"$work/base" <<'NW'
# Small {#sec:small}

Prose of several lines, with a value `1.toy.r`{.v}, a list `1.toy.q`{.v}, one
of it `1.toy.q[2]`{.v}, a claim, `1.even`{.claim} and
quoted [[int code;]], [[<<a use>>
over two lines]], and @<<no chunk>>.

    1.toy.wrong is verbatim here, and `1.toy.wrong`{.v} too

<<small.c>>=
int small(void) {
    <<a use>>
}
@ %def small

<<a use>>=
return 0;
@

See [](#sec:small), [](#eq:one), [the chunk](#chunk:a use) and $x = \val{1.toy.r}$.

::: {#eq:one}
$$ y = x $$
:::

![A caption.](slices){#fig:one alt="It shows {1.toy.r}."}

::: {.output program=toy section=1}
:::

HERE

## The end

The last line.
NW
}

put() {
    printf '%s\n' "$1" >"$work/piece"
    sed -e "/^HERE$/{r $work/piece" -e 'd}' "$work/base" >chapters/01-small.nw
}

ok() { # STATUS NAME [EXPLANATION]: a test that passes if STATUS is 0
    tests=$((tests + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tests - $2"
        return 0
    fi
    broken=$((broken + 1))
    echo "not ok $tests - $2"
    [ -z "${3-}" ] || printf '%s\n' "$3" | head -n 40 | sed 's/^/#   /' >&2
    return 1
}

skip() { # NAME WHY
    tests=$((tests + 1))
    echo "ok $tests - $1 # SKIP $2"
}

run() { # COMMAND...: fills $out, $err and $status
    "$@" >"$work/.out" 2>"$work/.err" </dev/null
    status=$?
    out=$(tr -d '\0' <"$work/.out") err=$(tr -d '\0' <"$work/.err")
}

told() { printf 'exit %s\nstdout: %s\nstderr: %s' "$status" \
    "$(tail -n 12 <<<"$out")" "$(tail -n 20 <<<"$err")"; }

runs() { # NAME COMMAND...
    local name=$1
    shift
    run "$@"
    ok "$status" "$name" "$(told)"
}

fails() { # NAME COMMAND...
    local name=$1
    shift
    run "$@"
    [ "$status" -ge 1 ] && [ "$status" -le 2 ]
    ok $? "$name" "$(told)"
}

has() { grep -qE -e "$2" <<<"$1"; }
says() { has "$err" "$2"; ok $? "$1" "no /$2/ in stderr: $err"; }
prints() { has "$out" "$2"; ok $? "$1" "no /$2/ in stdout: $(tail -n 20 <<<"$out")"; }
omits() { ! has "$out" "$2"; ok $? "$1" "/$2/ in stdout: $out"; }
is() { [ "$2" = "$3" ]; ok $? "$1" "got '$2', expected '$3'"; }
same() { cmp -s "$2" "$3"; ok $? "$1" "$(cmp "$2" "$3" 2>&1; diff "$2" "$3" | cut -c1-200 | head -n 6)"; }

# The names, dates and contents of files, to see later whether they were touched.
dates() { stat -c '%n %y' -- "$@" 2>&1; }
contents() { cat -- "$@" 2>&1 | sha256sum; }

# line_of FILE TEXT: the number of the first line that holds TEXT.
line_of() { grep -nF -m 1 -e "$2" "$1" | cut -d: -f1; }

done_testing() {
    echo "1..$tests"
    exit $((broken > 0))
}
