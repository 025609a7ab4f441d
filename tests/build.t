#!/bin/bash
# Building: what changed is done again and nothing else, what fails is not kept,
# and the same tree gives the same bytes.
. tests/lib.sh
copy_tree book
cd book || exit 1
results=(out/mini/{part2,part2_toy}{.json,_stdout.txt})

build() { # NAME [TARGET...]: must succeed; $did is what was run and drawn
    local name=$1
    shift
    runs "$name" make -j2 "${@:-html}"
    did=$(grep -oE '^(run|draw|weave|typeset) .*' <<<"$out" | sort | tr -s '\n ' ' ')
    compiled=$(grep -oE -e ' -c -o [^ ]+' <<<"$out" | sed 's/.*\///; s/\.new$//' | tr '\n' ' ')
}
prints_nothing() { is "$1" "$(grep -v -e 'Nothing to be done' -e 'up to date' <<<"$out")" ''; }
unchanged() { is "$1: the results keep their dates" "$(dates "${results[@]}")" "$results_before"; }
remember() { results_before=$(dates "${results[@]}"); drawn_before=$(dates figures/mini/*.svg); }

build 'the page is built'
[ -s out/mini/book.html ]
ok $? 'it is there'
remember
page=$(dates out/mini/book.html)
runs 'again' make html
prints_nothing 'again: nothing is done'
is 'again: the page keeps its date' "$(dates out/mini/book.html)" "$page"
runs 'and make -q knows it' make -q html
runs 'and make -n' make -n html
prints_nothing 'it would do nothing'

# ---- what runs ------------------------------------------------------------

touch models/mini/1l/* models/mini/*.json
build 'the files of the model have new dates'
is 'nothing runs' "$(grep -oE '(run|draw) [a-z0-9_]+' <<<"$did")" ''
unchanged 'new dates'

touch models/mini/{.set.json.swp,set.json~}
build 'an editor has a file of the model open'
is 'nothing runs for that' "$(grep -oE '(run|draw) [a-z0-9_]+' <<<"$did")" ''
rm models/mini/{.set.json.swp,set.json~}

echo >>models/mini/1l/config.json
build 'a file of the model has new bytes'
is 'the program that reads it runs, and no other' \
    "$(grep -oE '(run|draw) [a-z0-9_]+' <<<"$did")" 'run circuits_part2'
unchanged 'they say the same'

cp -p models/mini/2l/config.json "$work/config.json"
echo >>models/mini/2l/config.json
touch -r "$work/config.json" models/mini/2l/config.json
build 'a file of the model has new bytes and its old date' out/mini/part2.json
is 'the program that reads it runs' "$did" 'run circuits_part2 '

# Traps, 23: settings and tools. make -n tells what would be done.
would() { # [NAME=VALUE...]: with these in the environment
    env "$@" make -n html 2>&1 | grep -oE -e '^gcc .* -c|^ar|rerun.sh|echo "(draw|weave)|noweave|^pandoc' |
        sed 's/^gcc.*/gcc/; s/.*"//' | sort -u | tr '\n' ' '
}
tool() { # NAME: a program of that name that does the same
    rm -rf "$work/tool"
    mkdir "$work/tool"
    printf '#!/bin/sh\nexec %s "$@"\n' "$(type -P "$1")" >"$work/tool/$1"
    chmod +x "$work/tool/$1"
}
build 'the page of that'
is 'the same tools: nothing' "$(would A=B)" ''
tool gcc
is 'another gcc: compiled, and what follows' "$(would PATH="$work/tool:$PATH" | grep -o '^ar gcc')" 'ar gcc'
tool gnuplot
is 'another gnuplot: drawn and woven' "$(would PATH="$work/tool:$PATH")" 'draw pandoc weave '
tool pandoc
is 'another pandoc: woven' "$(would PATH="$work/tool:$PATH")" 'pandoc weave '
is 'another setting of OpenBLAS: run' "$(would OPENBLAS_NUM_THREADS=1 | grep -o rerun.sh)" rerun.sh
is 'other libraries: run' "$(would LD_LIBRARY_PATH=/lib | grep -o rerun.sh)" rerun.sh
is 'other flags: compiled' "$(make -n CFLAGS=-O1 html | grep -c '^gcc -O1 .* -c ')" \
    "$(ls tangled/*.o | grep -v -e test_ -e bench -e fetch -e http -e hub -e digest -e lock -e run_with -e train.o -e train_tok -e encode -e evaluate | grep -c .)"
build 'another setting' OPENBLAS_NUM_THREADS=1 out/mini/report.json
is 'runs both programs, on the command line too' "$did" 'run circuits_part2 run circuits_part2_toy '
build 'the one of before' out/mini/report.json
is 'runs them again' "$did" 'run circuits_part2 run circuits_part2_toy '

# What else a page is made with: if that changes, it is made again. (So that this
# is quick, pandoc and latexmk are replaced by scripts that make empty files.)
mkdir "$work/bin"
cat >"$work/bin/pandoc" <<'SH'
#!/bin/bash
while [ "$1" != -o ]; do shift; done
: >"$2"
SH
cat >"$work/bin/latexmk" <<'SH'
#!/bin/bash
for argument; do [ "${argument#-outdir=}" = "$argument" ] || : >"${argument#-outdir=}/book.pdf"; done
SH
chmod +x "$work"/bin/*
made() { PATH=$work/bin:$PATH make "$@" 2>&1 | grep -oE '^(draw|weave|typeset) ' | sort -u | tr -d '\n'; }
made html pdf >"$work/.made"
is 'without a change nothing is made' "$(made html pdf)" ''
is 'a new draw.sh: drawn and woven' "$(made -W weave/draw.sh html)" 'draw weave '
is 'a new figure.gp: drawn and woven' "$(made -W weave/figure.gp html)" 'draw weave '
for file in weave/page.html weave/book.css weave/page/theme.js weave/filter.lua weave/values.lua references.bib; do
    is "a new $file: woven" "$(made -W $file html)" 'weave '
done
made html pdf >"$work/.made"
is 'a new page.tex: woven and typeset' "$(made -W weave/page.tex pdf)" 'typeset weave '
is 'a new typeset.sh: typeset' "$(made -W weave/typeset.sh pdf)" 'typeset '
rm out/mini/book.{html,tex,pdf}
remember

# A sentence above all code moves every line that follows, in chapters with
# programs, with library code and with scripts for figures.
for chapter in chapters/*.nw; do
    sed -i '1,/^$/ s/^$/\nA new sentence in prose.\n/' "$chapter"
done
build 'a sentence is added to every chapter'
# Traps, 27.
is 'no program runs and no figure is drawn' \
    "$(grep -oE '(run|draw) [a-z0-9_]+' <<<"$did")" ''
is 'and nothing is compiled' "$compiled" ''
unchanged 'a new sentence'
is 'the figures keep their dates' "$(dates figures/mini/*.svg)" "$drawn_before"
is 'the page has it in every chapter' \
    "$(grep -o 'A new sentence in prose' out/mini/book.html | grep -c .)" \
    "$(ls chapters | grep -c .)"
head -n 1 tangled/toy_1.c | grep -qE "^#line $(($(line_of chapters/01-*.nw '<<toy_1.c>>=') + 1)) "
ok $? 'and the code knows its new lines' "$(head -n 1 tangled/toy_1.c)"

# ---- a chapter of our own -------------------------------------------------

# With a number, which stands three uses down (traps, 23), a claim and a figure; its program can be made to fail. All it
# takes besides is a line in each of the two lists of sections.
cat >chapters/99-extra.nw <<'NW'
# Extra {#sec:extra}

The answer is
`99.extra`{.v}. `99.positive`{.claim}

<<answer the question>>=
<<state the answer>>
@

<<state the answer>>=
<<count to it>>
@

<<count to it>>=
enum { ANSWER = 42 };
@

<<toy_99.c>>=
#include "toy.h"

#include "file.h"

#include <stdio.h>

<<answer the question>>

<<write the answer>>

int toy_99(ledger *l, const char *data, arena *mem, error *e) {
    double answer = ANSWER;
    if (ANSWER == 13)
        return error_set(e, "the answer is unlucky");
    ledger_value(l, "99.extra", answer, "%.0f", "exact", "the answer");
    ledger_claim(l, "99.positive", answer > 0, "the answer is positive");
    char *path = arena_printf(mem, e, "%s/extra.dat", data ? data : "");
    return path && data ? file_write(path, put_answer, &answer, e)
           : path       ? 0
                        : -1;
}
@

<<write the answer>>=
static int put_answer(FILE *f, void *data) {
    const double *answer = data;
    return fprintf(f, "0 0\n1 %g\n", *answer) < 0;
}
@

<<extra.gp>>=
load 'weave/figure.gp'
plot data using 1:2 with lines notitle
@

![An answer.](extra){#fig:extra alt="A line to {99.extra}."}
NW
lists=$(grep -l '^<<toy.h>>=' chapters/*.nw)
sed -i -e '/^int toy_1(/ a int toy_99(ledger *l, const char *data, arena *mem, error *e);' \
    -e '/, toy_1},$/ a {"99", "Extra", toy_99},' "$lists"
printf '99.extra\t42\texact\tthe answer\n' >>models/toy/expected.tsv
build 'a chapter is added'
is 'its program runs and its figure is drawn, and no other' \
    "$(grep -oE '(run|draw) [a-z0-9_]+' <<<"$did" | tr '\n' ' ')" \
    'draw extra run circuits_part2_toy '
grep -q 'A line to 42' out/mini/book.html
ok $? 'the page has its number'
runs 'and it is verified' make verify
prints 'as expected' '^99\.extra .*ok$'
runs 'which makes nothing on the page older' make -q html

page=$(contents out/mini/book.html)
edit() { sed -i "s/ANSWER = .*/ANSWER = $1 };/" chapters/99-extra.nw; }
line=$(line_of chapters/99-extra.nw '`99.extra`{.v}')

edit 43
remember
fails 'another number stops the page' make html
prints 'its program ran' '^run +circuits_part2_toy'
is 'one file was compiled' "$(grep -oE -e ' -c -o [^ ]+' <<<"$out")" ' -c -o tangled/toy_99.o.new'
is 'no other program ran' "$(grep -c '^run ' <<<"$out")" 1
says 'the place in prose, the key and both numbers are told' \
    "^chapters/99-extra.nw:$line: .*99\.extra.* 43.* 42"
is 'the page of before stays' "$(contents out/mini/book.html)" "$page"
fails 'make verify fails too' make verify
prints 'with the key' '^99\.extra .*mismatch$'
moved="^  99\.extra: 42 -> 43   chapters/99-extra.nw:$line, chapters/99-extra.nw:[0-9]+$"
runs 'make diff shows what moved since the page' make diff
prints 'then, now, and the place in prose' "$moved"
prints 'and what is not as expected' '^not as expected'
is 'twice the same line' "$(grep -cE "$moved" <<<"$out")" 2
sed -i 's/^99.extra\t42/99.extra\t43/' models/toy/expected.tsv
build 'when it is expected, the page follows'
is 'and no program runs for that' "$(grep -oE '(run) [a-z0-9_]+' <<<"$did")" ''
is 'the figure of it is new, and no other' \
    "$(diff <(echo "$drawn_before") <(dates figures/mini/*.svg) | sed -n 's/^> \([^ ]*\).*/\1/p')" figures/mini/extra.svg
grep -q 'A line to 43' out/mini/book.html
ok $? 'to the new number'
runs 'make diff now compares with the page before' make diff
prints 'with the same answer' "$moved"
prints 'and all is as expected' '^every number is as expected$'

# ---- what fails is not kept -----------------------------------------------

# Traps, 24.

page=$(contents out/mini/book.html)
before=$(contents "${results[@]}" out/mini/data/*)
remember
edit 13
fails 'a program that fails stops the build' make html
line=$(line_of chapters/99-extra.nw 'int toy_99(')
says 'with its message and its place' \
    "^chapters/99-extra.nw:$line: circuits_part2_toy: .*the answer is unlucky"
fails 'and again when nothing changed' make html
is 'the results of before stay' "$(contents "${results[@]}" out/mini/data/*)" "$before"
is 'the page too' "$(contents out/mini/book.html)" "$page"
is 'no working folder is left' "$(find out -name '.run-*' -o -name '*.new' -o -name '*.tmp*')" ''

edit "-5"
fails 'a claim that is false stops the build' make html
line=$(line_of chapters/99-extra.nw 'ledger_claim(l, "99.positive"')
says 'with its place, its key and its sentence' \
    "^chapters/99-extra.nw:$line: claim '99\.positive' is false: the answer is positive"
is 'and is no result' "$(contents "${results[@]}" out/mini/data/*)" "$before"

edit "43,, x"
fails 'code that does not compile stops the build' make html
line=$(line_of chapters/99-extra.nw 'ANSWER =')
says 'with the line of the chapter' "^chapters/99-extra.nw:$line:.* error: "

edit 43
at_answer() { sed -i "s/^    double answer.*/    double answer = ANSWER; $1/" chapters/99-extra.nw; }
lines_of() { grep -v -e '^make' -e '^collect2' <<<"$err"; }
at_answer 'anwser(\&answer);'
line=$(line_of chapters/99-extra.nw 'anwser')
fails 'a function that is nowhere stops the build' make html
says 'when it is compiled' "^chapters/99-extra.nw:$line:.* error: implicit declaration of function"
at_answer 'void anwser(double *x); anwser(\&answer);'
fails 'a function that is only declared, too' make html
is 'with its place' "$(lines_of)" "chapters/99-extra.nw:$line: 'anwser' is used, and no chapter defines it"
sed -i '2i\\nA sentence.' chapters/99-extra.nw
fails 'and when lines have moved' make html
is 'with its new place' "$(lines_of)" "chapters/99-extra.nw:$((line + 2)): 'anwser' is used, and no chapter defines it"
sed -i '2,3d' chapters/99-extra.nw
at_answer ''
for n in 96 97; do
    printf '\n<<toy_%d.c>>=\nint anwser(void);\nint anwser(void) {\n    return 1;\n}\n@\n' $n
done >chapters/99-second.nw
fails 'a function that is there twice stops the build' make html
is 'with both places' "$(lines_of)" \
    "chapters/99-second.nw:11: 'anwser' is defined here and in chapters/99-second.nw:4"
rm chapters/99-second.nw

at_answer '*(volatile int *)0 = 1;'
line=$(line_of chapters/99-extra.nw 'int toy_99(')
fails 'a program that crashes stops the build' make html
is 'and it is one line, with the place' "$(lines_of)" "chapters/99-extra.nw:$line: circuits_part2_toy: Extra: \
ended by signal SIGSEGV; a debugger shows where: gdb --args tangled/circuits_part2_toy"
at_answer ''
sed -i 's/^    ledger_claim(/    ledger_value(l, "99.extra", 1, "%g", "exact", "again");\n&/' chapters/99-extra.nw
line=$(line_of chapters/99-extra.nw '"again"')
fails 'a key that is there twice stops the build' make html
says 'with its second place' "^chapters/99-extra.nw:$line: circuits_part2_toy: 99\.extra is reported twice"
sed -i '/"again"/d' chapters/99-extra.nw
echo 'circuits_part2: What is inside one head: no' >"$work/said"
: >"$work/none.json"
is 'a section of the real program is not taken for that of the toy' \
    "$(awk -f weave/blame.awk tangled/*.c "$work/said" "$work/none.json" | cut -d: -f1,2)" \
    "chapters/01-one-head.nw:$(line_of chapters/01-one-head.nw 'int real_1(')"

sed -i "s/^plot data/plt data/" chapters/99-extra.nw
line=$(line_of chapters/99-extra.nw 'plt data')
fails 'a script that is no gnuplot stops the build' make html
is 'in one line' "$(lines_of)" "chapters/99-extra.nw:$line: invalid command"
sed -i "s/^plt data/plot data/" chapters/99-extra.nw
sed -i "s/^plot data/plot nowhere/" chapters/99-extra.nw
before_drawn=$(contents figures/mini/extra.{svg,pdf})
line=$(line_of chapters/99-extra.nw 'plot nowhere')
fails 'a script that fails stops the build' make html
says 'with its line in the chapter' "chapters/99-extra.nw:$line|chapters/99-extra.nw\", line $line"
is 'the figure of before stays' "$(contents figures/mini/extra.{svg,pdf})" "$before_drawn"
is 'and no half of one' "$(ls figures/mini | grep '\.new')" ''
sed -i "s/^plot nowhere/plot data/" chapters/99-extra.nw
build 'put right, it builds'
is 'and the results are those of before' "$(contents "${results[@]}" out/mini/data/*)" "$before"
unchanged 'put right'

# ---- what is missing comes back -------------------------------------------

cp -a figures out tangled "$work/"
for file in figures/mini/extra.svg figures/mini/extra.pdf out/mini/data/extra.dat out/mini/part2_toy_stdout.txt \
    out/mini/part2_toy.json out/mini/report.json tangled/toy_99.c tangled/circuits_part2_toy; do
    rm "$file"
    weaver=$work/bin # weaving is slow, and only a missing figure is its business
    [ "$file" != figures/mini/extra.pdf ] || weaver=/usr/bin
    runs "$file is deleted: it builds" env PATH="$weaver:$PATH" make html "$file" &&
        case $file in
        tangled/circuits*) [ -x "$file" ]; ok $? "$file comes back" ;;
        *) same "$file comes back" "$file" "$work/$file" ;;
        esac || { # so that one fault is told once
            rm -rf figures out tangled
            cp -a "$work"/{figures,out,tangled} .
        }
done

# ---- what is removed goes -------------------------------------------------

# Traps, 28.

sed -e 's/toy_99\.c/toy_98.c/; s/extra\.gp/other.gp/; s/(extra)/(other)/; s/extra\.dat/other.dat/' \
    -i chapters/99-extra.nw
printf '\n<<surplus.c>>=\nint surplus(void);\nint surplus(void) {\n    return 0;\n}\n@\n' >>chapters/99-extra.nw
made html >"$work/.made"
is 'a chunk and a figure are renamed: the new names are there' \
    "$(find tangled figures out -name 'toy_98*' -o -name 'other*' | sed 's/.*\///' | sort | tr '\n' ' ')" \
    'other.dat other.gp other.pdf other.svg toy_98.c toy_98.d toy_98.o '
is 'and no old one' "$(find tangled figures out -name 'toy_99*' -o -name 'extra*')" ''
ar t tangled/libbook.a | grep -q '^surplus.o'
ok $? 'a file of the library is added'
sed -i 's/^<<surplus.c>>/<<superfluous.c>>/' chapters/99-extra.nw
made html >"$work/.made"
is 'and renamed' "$(ar t tangled/libbook.a | grep -E '^(surplus|superfluous)')" superfluous.o

rm chapters/99-extra.nw
sed -i '/toy_99/d' "$lists"
sed -i '/^99\.extra/d' models/toy/expected.tsv
build 'the chapter is removed'
is 'nothing of it stays in tangled/' "$(ls tangled | grep -E '_98|other|superfluous')" ''
is 'nor in the library' "$(ar t tangled/libbook.a | grep superfluous)" ''
is 'nor in out/ and figures/' "$(find out figures -name 'other*')" ''
grep -qi 'toy_99\|extra\.gp' out/mini/book.html
ok $((! $?)) 'nor on the page'

# ---- the rest -------------------------------------------------------------

touch book.nw
build 'after this, all is as it was'

cp chapters/08-*.nw 'chapters/08 copy.nw'
fails 'a chapter whose name has a blank stops the build' make html
is 'and is named' "$(sed 's/^.*\*\*\* //' <<<"$err")" \
    'chapters/08 copy.nw: expected a name of letters, digits, - and _; rename the file.  Stop.'
rm 'chapters/08 copy.nw'

fails 'a model set that is not there stops the build' make MODEL=none html
says 'and is named' 'models/none'
runs 'make help needs nothing built' make help
prints 'and lists the targets' '^html: '

run make CFLAGS='-std=c17 -O1' tangled/error.o
prints 'with other flags the compiler runs again' '^gcc -std=c17 -O1 '

done_testing
