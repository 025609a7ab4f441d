#!/bin/bash
# Tangling: mistakes in chunk names are errors, files change only with their text,
# and the compiler speaks of the chapter's lines.
. tests/lib.sh
copy_tree book
cd book || exit 1

# A book of one chapter, tangled by itself into the folder t.
mkdir t
tangle() { weave/tangle.sh t "$@"; }

cat >small.nw <<'NW'
# Small

Prose that quotes [[<<no chunk at all>>]] and says @<<nothing>>.

<<one.c>>=
int one(void) {
    <<give the number>>
}
int after_the_chunk;
@

<<give the number>>=
return 1;
@

<<two.h>>=
int one(void);
@
NW
runs 'a small book is tangled' tangle small.nw
is 'its roots are listed' "$(tr -d '\\\n' <t/roots.mk)" 'ROOTS :=   one.c   two.h'
is 'nothing else is there' "$(ls -A t | tr '\n' ' ')" 'one.c roots.mk two.h '

# ---- names ----------------------------------------------------------------

# Traps, 25.

mistake() { # NAME SED-COMMAND REGEX: an edit that must not be tangled
    cp small.nw wrong.nw
    sed -i "$2" wrong.nw
    local before
    before=$(dates t/*)
    fails "$1 is an error" tangle wrong.nw
    says "$1: the place and the name are told" "$3"
    is "$1: nothing is written" "$(dates t/*)" "$before"
}
mistake 'a misspelt use' 's/^    <<give the number/    <<give teh number/' \
    '^wrong.nw:7: chunk <<give teh number>> is not defined; is <<give the number>> meant\?$'
mistake 'a misspelt definition' 's/^<<give the number/<<give the nunber/' \
    '^wrong.nw:12: chunk <<give the nunber>> is never used; is <<give the number>> meant\?$'
mistake 'a chunk that is never used' '$a <<lonely>>=\nx\n@' \
    '^wrong.nw:19: chunk <<lonely>> is never used$'
mistake 'a chunk that is never defined' 's/^return 1;/<<something else>>/' \
    '^wrong.nw:13: chunk <<something else>> is not defined$'
mistake 'a line that is not UTF-8' $'s/^return 1;/return 1; \/* \xe9 *\//' \
    '^wrong.nw:13: not UTF-8 text'
mistake 'a chunk that uses itself' 's/^return 1;/<<give the number>>/' \
    'give the number'
mistake 'a pair of chunks that only use each other' \
    '$a <<this>>=\n<<that>>\n@\n\n<<that>>=\n<<this>>\n@' \
    '^wrong.nw:(19|20|23|24): .*<<(this|that)>>'
is 'no working folder is left' "$(ls -A t | tr '\n' ' ')" 'one.c roots.mk two.h '

# ---- dates ----------------------------------------------------------------

tangle small.nw
touch -d '2001-01-01' t/one.c t/two.h
sed -i 's/^int one(void);/int one(void); \/* 1 *\//' small.nw
runs 'one chunk is edited' tangle small.nw
is 'the file of other text keeps its date' "$(date -r t/one.c +%Y)" 2001
prints_text() { grep -qF -e "$2" "$3"; ok $? "$1" "$(cat "$3")"; }
prints_text 'the edited one is new' '/* 1 */' t/two.h

sed -i 's/^<<two.h>>=/<<three.h>>=/' small.nw
runs 'a root is renamed' tangle small.nw
is 'the file of the old name is gone' "$(ls t | tr '\n' ' ')" 'one.c roots.mk three.h '

mkdir "$work/bin"
printf '#!/bin/sh\n/bin/mv "$@"\ncase $2 in */roots.mk) kill -KILL $PPID ;; esac\n' >"$work/bin/mv"
chmod +x "$work/bin/mv"
PATH=$work/bin:$PATH tangle small.nw 2>"$work/.made"
is 'killed when the list is there, it leaves nothing else' "$(ls -A t | tr '\n' ' ')" 'one.c roots.mk three.h '

# ---- characters -----------------------------------------------------------

# (@@ stands for an at-sign in the first column; a tab is a tab.)
printf '%s\n' 'const char *s = "é ␣ ∑ 𝒲 \\ \" %d {} $x #1 &amp; <b>";' \
    $'\tint tab; /* [[not quoted]] */' '@ at' 'a << b >> c;' >wanted
{
    printf '<<chars.c>>=\n'
    sed 's/^@/@@/; s/<</@&/; s/>>/@&/' wanted
    printf '@\n'
} >chars.nw
runs 'code of many characters is tangled' tangle chars.nw
sed 1d t/chars.c | grep -v '^#line' >got
same 'it survives byte by byte' got wanted

# ---- lines, as make and the compiler tell them ----------------------------

# Traps, 26.

runs 'the chapters are tangled' make tangled/roots.mk
cat >chapters/99-lines.nw <<'NW'
# Lines

<<lines_1.c>>=
int lines_1(void);
<<twice>>
int after_1 = mistaken_1;
@

<<lines_2.c>>=
int lines_2(void);
static int twice(int x) {
    <<twice>>
    int y = 1; /* unused */
    return x;
}
@

<<twice>>=
int in_it = mistaken_2;
@
NW
fails 'a mistake in a chapter stops make' make tangled/lines_1.o
says 'the line is that of the chapter' '^chapters/99-lines.nw:6:.*mistaken_1'
says 'also in a chunk' '^chapters/99-lines.nw:19:.*mistaken_2'
fails 'a chunk that is used twice, in its second place' make tangled/lines_2.o
says 'names the same line there' '^chapters/99-lines.nw:19:.*mistaken_2'
says 'a warning after the chunk names its line' \
    '^chapters/99-lines.nw:13:.*warning: unused variable'

sed -i 's/^    <<twice>>/    <<twoce>>/' chapters/99-lines.nw
fails 'a misspelt use stops make' make tangled/lines_2.o
says 'with the line and the name' '^chapters/99-lines.nw:12: chunk <<twoce>> is not defined'

rm chapters/99-lines.nw
runs 'a chapter is removed' make tangled/roots.mk
is 'nothing of it is left in tangled/' "$(ls tangled | grep lines_)" ''

done_testing
