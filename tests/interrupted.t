#!/bin/bash
# Any time: a build that is killed, twenty times at a random moment, and run again; a program's
# results and the tangled code at each moment that matters; two builds at once; a full disk. What
# comes of it is, byte by byte, what an undisturbed build makes, and nothing else is left.
# LONG=1 makes the PDF too.
. tests/lib.sh
copy_tree wanted
cd wanted || exit 1
goals=(html)
files=(out/mini/book.html out/mini/part2{,_toy}{.json,_stdout.txt} out/mini/report.json out/mini/data/* figures/mini/*.svg)
[ -z "${LONG-}" ] || { goals=(html pdf); files+=(out/mini/book.pdf); }
runs 'a build that nothing disturbs' make "${goals[@]}"
files=(out/mini/book.html out/mini/part2{,_toy}{.json,_stdout.txt} out/mini/report.json out/mini/data/* figures/mini/*.{svg,pdf})
[ -z "${LONG-}" ] || files+=(out/mini/book.pdf)

as_wanted() { # NAME
    local file differ=
    for file in "${files[@]}"; do cmp -s "$file" "$work/wanted/$file" || differ+=" $file"; done
    is "$1: the same bytes" "$differ" ''
    is "$1: no other file" "$(diff <(made_in .) <(made_in "$work/wanted"))" ''
}
made_in() { # what is there of these goals and what they need
    (cd "$1" && find out figures tangled -type f ! -path '*/tex/*' ! -name '.lock' ! -name '.*.json' \
        ! -path 'tangled/san/*' ! -name '*.[od]' ! -path 'tangled/test_*' ! -path tangled/bench ! -path tangled/fetch \
        ! -path tangled/run_with_cache ! -path tangled/train ! -path tangled/train_tokenizer ! -path tangled/evaluate ! -path tangled/encode_corpus \
        ! -path 'out/*/book.tex' ! -path 'out/*/book.pdf' ! -path 'out/*/book.epub' \
        ! -name '.tex' ! -name '.print' ! -name '.epub' | sort)
}

# ---- killed at a random moment --------------------------------------------

cd "$work" || exit 1
cp -a wanted book
cd book || exit 1
RANDOM=${SEED:=$((SRANDOM % 32768))}
echo "# SEED=$SEED"
# Some of what was made is missing, and the build dies at a random moment after it came to what
# makes that. STEP:MISSING, the name of the step as the build says it.
steps=('tangle:tangled -name *.[ch]' 'gcc.* -c:tangled -name [a-e]*.o' 'gcc.* -o:tangled -executable'
    'run:out' 'draw:figures' 'weave:out -name .*' 'weave:out -name book.html')
begin=${EPOCHREALTIME/./}
rm tangled/roots.mk
make -s tangled/roots.mk
span=$(((${EPOCHREALTIME/./} - begin) / 1000))
killed() { # STEP:MISSING: the build's status; what it said last is in $last
    set -f
    find ${1#*:} -type f -delete
    set +f
    : >"$work/.out"
    setsid make -j2 "${goals[@]}" >"$work/.out" 2>"$work/.err" &
    local builder=$! moment=$((RANDOM * span / 32768)) status
    until grep -q "^${1%%:*}" "$work/.out" || ! kill -0 $builder; do sleep 0.01; done 2>/dev/null
    sleep $((moment / 1000)).$(printf %03d $((moment % 1000)))
    kill -KILL -- -$builder 2>/dev/null
    wait $builder 2>/dev/null
    status=$?
    last=$(tail -n 1 "$work/.out" | sed 's/^gcc.* -c .*/compile/; s/^gcc.*/link/')
    return $status
}
kills=0
for step in "${steps[@]}"{,,}; do
    for try in 1 2 3 4 5; do # it may be faster
        killed "$step" && continue
        [ $? -eq 137 ] || break 2
        kills=$((kills + 1))
        echo "# killed at: $last"
        break
    done
done
is 'it is killed twenty times and once, and fails by nothing else' $kills 21 || cat "$work/.err"
runs 'at last it may end' make "${goals[@]}"
as_wanted 'killed'
runs 'and then nothing is to do' make -q "${goals[@]}"

# ---- killed between two files ---------------------------------------------

# The n-th `mv` kills all that runs. The code or the program is then made what it was before;
# what the killed run had put in place must not count as its result.
mkdir "$work/bin"
cat >"$work/bin/mv" <<'SH2'
#!/bin/bash
n=$(($(<"$COUNT") - 1))
echo $n >"$COUNT"
[ $n -gt 0 ] || kill -KILL 0
exec /bin/mv "$@"
SH2
chmod +x "$work/bin/mv"
export COUNT=$work/count
dying() { # N COMMAND...
    echo "$1" >"$COUNT"
    { PATH="$work/bin:$PATH" setsid -w "${@:2}" >"$work/.out" 2>&1; } 2>/dev/null
    [ "$(<"$COUNT")" = 0 ]
}

cat >"$work/program.c" <<'C'
#include <stdio.h>
#include <string.h>
int main(int n, char **word) {
    for (int i = 1; i + 1 < n; i++) {
        char path[999] = "";
        if (!strcmp(word[i], "--json"))
            snprintf(path, sizeof path, "%s", word[i + 1]);
        else if (!strcmp(word[i], "--data"))
            snprintf(path, sizeof path, "%s/" WHAT ".dat", word[i + 1]);
        FILE *f = *path ? fopen(path, "w") : NULL;
        if (f) {
            fputs(WHAT, f);
            fclose(f);
        }
    }
    puts(WHAT);
}
C
for what in a b; do gcc -DWHAT="\"$what\"" -o "$work/$what" "$work/program.c"; done
results() { (cd "$work/r" && cat p.json p_stdout.txt data/* && ls -A . data); }
rerun() { "${@:2}" weave/rerun.sh "$work/r/.p" "$work/r" p "$work/$1"; }
rerun a >/dev/null
first=$(results)
for n in 1 2 3 4; do
    rerun b dying $n
    ok $? "a program's results, killed at file $n"
    runs "at file $n: the program of before" rerun a
    is "at file $n: its results" "$(results)" "$first"
done

tangled() { cat tangled/*.{c,h,gp}; }
first=$(tangled | sha256sum)
cp -p chapters/A-errors-and-memory.nw "$work/before.nw"
for n in 1 2 3; do
    sed 's/int error_set(/int error_put(/' "$work/before.nw" >chapters/A-errors-and-memory.nw
    dying $n make tangled/roots.mk
    ok $? "tangling, killed at file $n"
    cp -p "$work/before.nw" chapters/A-errors-and-memory.nw
    runs "at file $n: the chapter of before" make tangled/roots.mk
    is "at file $n: its code" "$(tangled | sha256sum)" "$first"
done

# ---- two at once ----------------------------------------------------------

rm -r out/mini
make "${goals[@]}" >"$work/first.out" 2>&1 &
builder=$!
until [ "$(cut -d' ' -f1 tangled/.lock)" = $builder ]; do sleep 0.02; done
runs 'two builds at once: the second ends well' make "${goals[@]}"
says 'it said that it waits, and for whom' "^make \(process $builder\) is at work in .*: waiting for its end$"
is 'it found all made' "$(grep -v -e 'Nothing to be done' -e 'up to date' <<<"$out")" ''
wait $builder
ok $? 'and so does the first' "$(<"$work/first.out")"
as_wanted 'two at once'

# ---- a full disk ----------------------------------------------------------

# A file system of our own, with some kilobytes left; then there is room again.
mkdir "$work/small"
if ! unshare -rm mount -t tmpfs tmpfs "$work/small" 2>/dev/null; then
    skip 'a full disk' 'no file system can be mounted here'
    done_testing
fi
cat >"$work/full.sh" <<'SH3'
mount -t tmpfs -o size=400M tmpfs "$1" && cp -a . "$1/book" && cd "$1/book" || exit 9
hold() { stat -f -c '%a %S' . | { read -r blocks size; head -c $((blocks * size - 8192)) /dev/zero >../filler; }; }
whole() { # nothing that the first build made is shorter than it was or otherwise half
    for file in "${files[@]}" tangled/*.{c,h,gp} tangled/book.tokens; do
        [ ! -e "$file" ] || cmp -s "$file" "$wanted/$file" || echo "$1: $file"
    done
}
wanted=$2 said=$2/../said # not on the full disk
files=("${@:3}")
while read -r removed target; do
    rm $removed
    hold
    make $target >"$said" 2>&1
    echo "$removed: exit $?, $(grep -ciE 'space|full|cannot' "$said")" >>"$wanted/../full.log"
    whole "$removed"
    rm ../filler
    make $target >"$said" 2>&1 || cat "$said"
done <<'LIST'
tangled/forward.c out/mini/report.json
tangled/forward.o out/mini/report.json
tangled/circuits_part2 out/mini/report.json
out/mini/part2.json out/mini/report.json
figures/mini/circuits.svg figures
tangled/book.tokens html
out/mini/book.html html
LIST
make html >"$said" 2>&1 || cat "$said"
whole 'all'
SH3
runs 'a disk is full' unshare -rm bash "$work/full.sh" "$work/small" "$work/wanted" "${files[@]}"
is 'what is there is whole, and as wanted when there is room' "$out$err" ''
is 'the builds without room fail, and say why' "$(grep -c 'exit 2, [1-9]' "$work/full.log")" 7 || sed 's/^/# /' "$work/full.log"

done_testing
