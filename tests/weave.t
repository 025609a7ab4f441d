#!/bin/bash
# Weaving: whatever in the prose does not resolve is told with the chapter's file
# and line, and the page of before stays.
. tests/lib.sh
copy_tree book
cd book || exit 1
runs 'the programs run' make out/mini/report.json figures

small_book
weave() { make -o tangled/roots.mk html "$@"; }

put 'Nothing.'
runs 'a small book is woven' weave
[ -f out/mini/book.html ]
ok $? 'there is a page'
cp out/mini/book.html "$work/page"
page=$(contents out/mini/book.html)

mistake() { # NAME TEXT NEEDLE REGEX: TEXT is refused, on the line of NEEDLE
    put "$2"
    local line before
    line=$(line_of chapters/01-small.nw "$3")
    fails "$1 stops weaving" weave
    says "$1: the line and the reason" "^chapters/01-small.nw:$line: .*$4"
    is "$1: nothing else is told" \
        "$(grep -v -e '^make: \*\*\*' -e "^chapters/01-small.nw:$line: " <<<"$err")" ''
    is "$1: the page stays" "$(contents out/mini/book.html)" "$page"
}

# ---- keys -----------------------------------------------------------------

# Traps, 25; so below, what does not resolve.

mistake 'an unknown key' $'One line, and\nthen `1.toy.rr`{.v}.' 1.toy.rr "'1.toy.rr'.*'1.toy.r'"
mistake 'a key shown verbatim before' 'The value `1.toy.wrong`{.v}.' 'The value' "'1.toy.wrong'"
mistake 'an unknown claim' 'It is so. `1.evn`{.claim}' 1.evn "'1.evn'.*'1.even'"
mistake 'a value cited as a claim' $'So. \n`1.toy.r`{.claim}' '`1.toy.r`{.claim}' 'not a claim'
mistake 'an element past the end' 'It is `1.toy.q[4]`{.v}.' 'q[4]' 'no element 4 of 3'
mistake 'an unknown key in a formula' $'Let\n$a = \\val{1.toy.zz}$.' 1.toy.zz "'1.toy.zz'"
mistake 'an unknown key in a text alternative' \
    $'x\n\n![A caption.](moving){#fig:two alt="It shows {1.toy.yy}."}' '(moving)' "'1.toy.yy'"
mistake 'a misspelt class of a value' $'It is\n`1.toy.r`{.vv}.' '{.vv}' '\.vv'
mistake 'a misspelt class of a block' $'::: {.ouput program=toy section=1}\n:::' .ouput '\.ouput'
mistake 'an unknown table' $'::: {.table key=9.none}\nCaption.\n:::' 9.none "'9.none'"
mistake 'an unknown section of a program' $'::: {.output program=toy section=nine}\n:::' \
    section=nine "'nine'"

# ---- what was recorded when the models were trained -------------------------

rm -f models/mini/1l/{evaluation,curve}.tsv
shown() { sed 's/<[^>]*>//g' out/mini/book.html; }
put $'::: {.table recorded=1l/evaluation.tsv part=heads}\nHeads.\n:::\n\n![A curve.](slices){#fig:two recorded=1l/curve.tsv alt="A curve."}'
runs 'what was not recorded is no mistake' weave
is 'the page says so' "$(shown | grep -c 'Not recorded for this set')" 2
printf '# losses: of text\na\tb\nx\t1.5\n\n# heads: what they do\nhead\tshare\n0.0\t0.4321\n' \
    >models/mini/1l/evaluation.tsv
printf '# step\n%s\t%s\t5\t%s\t1\n' 10 1e6 5.5 20 2e6 4.5 >models/mini/1l/curve.tsv
runs 'a table is recorded' weave
has "$(shown)" '^0.4321$'
ok $? 'it is shown' "$(shown | grep -n -A9 Heads)"
has "$(shown)" 'Heads. Recorded in models/mini/1l/evaluation.tsv\.'
ok $? 'and where it is from'
has "$(shown)" '^1\.5$'
ok $((!$?)) 'another table of the file is not'
sed -i 's/0.4321/0.1234/' models/mini/1l/evaluation.tsv
runs 'another record' weave
has "$(shown)" '^0.1234$'
ok $? 'is woven'
omits 'and nothing is drawn' '^draw'
printf '30\t3e6\t5\t4.1\t1\n' >>models/mini/1l/curve.tsv
runs 'a longer curve' weave
is 'is drawn' "$(grep '^draw' <<<"$out")" 'draw    curve'
put 'Nothing.'
runs 'without them' weave
page=$(contents out/mini/book.html)
mistake 'a table that was not recorded' $'::: {.table recorded=1l/evaluation.tsv part=hats}\nHats.\n:::' \
    part=hats "no table 'hats'"
printf '0.1\n' >>models/mini/1l/evaluation.tsv
mistake 'a row that is cut' $'::: {.table recorded=1l/evaluation.tsv part=heads}\nHeads.\n:::' \
    part=heads 'models/mini/1l/evaluation\.tsv:8: expected 2 cells'
put 'Nothing.'
sed -i '$s/4\.1/nan/' models/mini/1l/curve.tsv
fails 'a curve with what is no number' weave
says 'is refused, not drawn' '^models/mini/1l/curve\.tsv:5: expected step, tokens, two losses and seconds'
rm models/mini/1l/{evaluation,curve}.tsv

mistake 'a class of the weaver' $'x\n\n::: chunk\nx\n:::' '::: chunk' '\.chunk is for the weaver'
mistake 'a figure that is none' $'x\n\n::: figure\nx\n:::' '::: figure' '\.figure is for the weaver'
mistake 'metadata in a chapter' $'x\n\n---\nNote: it goes\n---\n\nx' '---' "'Note'"

# ---- places ---------------------------------------------------------------

mistake 'an unknown citation' $'As\nsaid [@elhage2021mathematical; @nobody1999].' nobody1999 'nobody1999'
mistake 'a dangling cross-reference' $'See\n[](#sec:smal).' 'sec:smal)' '#sec:smal.*sec:small'
mistake 'an unknown chunk reference' $'See\n[this](#chunk:a us).' 'chunk:a us' '<<a us>>.*a use'
mistake 'an id that is there twice' $'\n\n## Again {#sec:small}' '## Again' 'sec:small'
mistake 'a title without an id that is there twice' $'\n\n## Again\n\nx\n\n## Again!\n\nx' \
    '## Again!' "the id 'sec:small-again' is taken"
mistake 'a missing figure' $'x\n\n![A caption.](nowhere){#fig:two alt="Nothing."}' '(nowhere)' \
    'nowhere'
mistake 'a figure without a text alternative' $'x\n\n![A caption.](moving){#fig:two}' '(moving)' 'alt'
mistake 'a figure that is no file of figures/' \
    $'x\n\n![A caption.](../../weave/page){#fig:two alt="No."}' 'weave/page' 'weave/page'

# ---- fences and blocks ----------------------------------------------------

mistake 'a block across a chunk' \
    $'::: {.only set=mini}\nx\n\n<<small.c>>=\nint more;\n@\n\ny' '.only set=mini' 'closed'
mistake 'a block closed behind a chunk' \
    $'x\n\n<<small.c>>=\nint more;\n@\n\ny\n\n:::::\n\nz' ':::::' 'closes nothing|not closed'
mistake 'a code block that is left open' $'```c\nint x;' '```c' 'closed'
mistake 'a conditional block without its set' $'::: {.only}\nx\n:::' '.only' 'set'
mistake 'an unknown key in a block of this set' \
    $'::: {.only set=mini}\nIt is `1.none`{.v}.\n:::' 1.none "'1.none'"

# A mistake in a chunk name is told by weaving too, whatever tangling said.
mistake 'an undefined chunk' $'<<small.c>>=\nx\n<<nowhere>>\n@' '<<nowhere>>' 'nowhere'

# ---- several at once ------------------------------------------------------

put $'`9.a`{.v} and\n`9.b`{.v}, and\n[](#sec:none) and\n`9.a`{.v} again [@nobody1999].'
first=$(line_of chapters/01-small.nw 9.a)
fails 'four mistakes stop weaving' weave
is 'all are told in the order of the lines' \
    "$(sed -n 's/^chapters.01-small.nw:\([0-9]*\): .*/\1/p' <<<"$err" | tr '\n' ' ')" \
    "$first $((first + 1)) $((first + 2)) $((first + 3)) $((first + 3)) "

# ---- what the results say -------------------------------------------------

put 'Nothing.'
cp -p out/mini/report.json "$work/report.json"
sed '/"key": "1.even"/,/}/ { s/"holds": true/"holds": false/; s/"verdict": "ok"/"verdict": "false"/ }' \
    "$work/report.json" >out/mini/report.json
line=$(line_of chapters/01-small.nw '`1.even`{.claim}')
fails 'a false claim stops weaving' weave
says 'its line, key and sentence are told' \
    "^chapters/01-small.nw:$line: .*1\.even.*heads times d_head is d_model"
cp -p "$work/report.json" out/mini/report.json

cp -p models/toy/expected.tsv "$work/expected.tsv"
sed -i 's/^1.toy.r\t[^\t]*/1.toy.r\t0.777/' models/toy/expected.tsv
line=$(line_of chapters/01-small.nw '`1.toy.r`{.v}')
fails 'a value that was not expected stops weaving' weave
says 'its line, key, value and expectation are told' \
    "^chapters/01-small.nw:$line: .*1\.toy\.r.*0\.8.*0\.777"
cp "$work/expected.tsv" models/toy/expected.tsv
is 'the page stays through all this' "$(contents out/mini/book.html)" "$page"
is 'and no half of one' "$(ls out/mini | grep '\.new')" ''
runs 'put right, the book is woven' weave
same 'to the same page' out/mini/book.html "$work/page"

sed -i '/^1.toy.r\t/d' models/toy/expected.tsv
fails 'a value of which nothing is expected stops weaving' weave
says 'and it is said how to accept it' \
    "^chapters/01-small.nw:$line: '1\.toy\.r' is 0\.8.*, and no value is expected for it: make bless"
cp "$work/expected.tsv" models/toy/expected.tsv

cp references.bib "$work/references.bib"
printf '@article{x,\n  title = {y},\n' >>references.bib
fails 'a bibliography that is left open stops weaving' weave
is 'and is told in one line' "$(grep -v '^make' <<<"$err")" \
    "references.bib:$(($(wc -l <references.bib) + 1)): not BibTeX: unexpected end of input"
cp "$work/references.bib" references.bib
printf '%% caf\xe9\n' >>references.bib
fails 'one that is not UTF-8, too' weave
is 'with its line' "$(grep -v '^make' <<<"$err")" \
    "references.bib:$(wc -l <references.bib): not UTF-8 text; save the file as UTF-8"
cp "$work/references.bib" references.bib

echo 'BACKUP' >'weave/page/theme.js~'
runs 'an editor leaves a copy of a script' weave
! grep -q BACKUP out/mini/book.html
ok $? 'the page does not have it'
rm 'weave/page/theme.js~'

# ---- conditional blocks ---------------------------------------------------

put '::: {.only set=mini}
ONLY-MINI
:::

::: {.only set=other}
ONLY-OTHER `9.no.such`{.v} [](#sec:nowhere) [@olah2020zoom]

![A caption.](nowhere){#fig:nowhere alt="{9.none}"}
:::

::: {.only set="other mini"}
ONLY-BOTH
:::

::: {.unless set=mini}
UNLESS-MINI `9.no.such`{.v}
:::

::: {.unless set=other}
UNLESS-OTHER
:::

A word [INLINE-MINI]{.only set=mini} [INLINE-OTHER `9.no`{.v}]{.only set=other} here.

[INLINE-RAN]{.only run=real} [INLINE-NOT-RAN]{.unless run=real}'
runs 'blocks for other sets may say what holds there' weave
is 'the page has what is for this set' \
    "$(grep -oE '(ONLY|UNLESS|INLINE)-[A-Z]+' out/mini/book.html | sort -u | tr '\n' ' ')" \
    'INLINE-MINI INLINE-RAN ONLY-BOTH ONLY-MINI UNLESS-OTHER '
put $'::: {.only set=other}\n## Hidden {#sec:hidden}\n:::\n\nSee\n[](#sec:hidden).'
line=$(line_of chapters/01-small.nw '[](#sec:hidden)')
fails 'a reference into a block that is left out stops weaving' weave
says 'with its line' "^chapters/01-small.nw:$line: .*#sec:hidden"

# ---- characters -----------------------------------------------------------

# Traps, 35.

put $'Words é ␣ 𝒲 <b>&amp; "q" \\\\ _x_.\n\n<<small.c>>=\nconst char *s = "é ␣ 𝒲 <b>&amp; \\\\";\n@'
runs 'characters of all kinds are woven' weave
grep -qF '"é ␣ 𝒲 &lt;b>&amp;amp; \\"' <(sed 's/<[^>]*>//g; s/&quot;/"/g' out/mini/book.html)
ok $? 'code reads as it was typed' "$(grep -n '𝒲' out/mini/book.html)"
grep -qF 'and &lt;&lt;no chunk&gt;&gt;' out/mini/book.html
ok $? 'two angle brackets in prose are shown' "$(grep -n 'no chunk' out/mini/book.html)"

# ---- what was woven before ------------------------------------------------

# Whatever changes, the page is the one that is woven from nothing.
cat >chapters/02-second.nw <<'NW'
# Second {#sec:second}

See [](#sec:small), [](#eq:two), [the chunk](#chunk:a use), [[small]] and [@elhage2021mathematical].
A value is `1.toy.r`{.v}.

::: {#eq:two}
$$ y = \val{1.toy.r} x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x $$
:::

<<second.c>>=
int second(void) {
    return small();
}
@
NW
woven=out/mini/.woven/chapters-02-second-nw.lua
changed() { # NAME SECOND: weaves; SECOND is `again` if the second chapter is to be woven too
    local before after
    before=$(dates $woven)
    runs "$1: it is woven" weave
    cp out/mini/book.html "$work/quick"
    after=again
    [ "$before" != "$(dates $woven)" ] || after=kept
    is "$1: the other chapter is $2" "$after" "$2"
    rm -rf out/mini/.woven
    weave -W book.nw >"$work/.made" 2>&1
    same "$1: as from nothing" out/mini/book.html "$work/quick"
}
put 'Nothing.'
changed 'another chapter' again
put 'A sentence, [[second()]].'
changed 'a sentence' kept
printf '# More {#sec:more}\n\n`1.toy.r`{.v}\n' >chapters/02-third.nw
weave >"$work/.made" 2>&1
put 'Another sentence, [[second()]].'
changed 'two chapters have names that begin alike' kept
sed -i 's/`1.toy.r`/Now `1.toy.r`/' chapters/02-third.nw
changed 'and one of these is edited' kept
rm chapters/02-third.nw
weave >"$work/.made" 2>&1
put $'<<small.c>>=\n/* more */\n@'
changed 'a chunk goes on' again
put $'<<small.c>>=\n/* less */\n@'
changed 'a line of a chunk' kept
put $'\n## New {#sec:new}\n\nx\n\n::: {#eq:three}\n$$ x $$\n:::'
changed 'a section and an equation before it' again
put $'\n## New {#sec:new}\n\nx [@olah2020zoom]\n\n::: {#eq:three}\n$$ x $$\n:::'
changed 'another work is cited' again
cp -p out/mini/report.json "$work/report.json"
sed '/"key": "1.toy.r"/,/}/ s/"text": "0.820"/"text": "0.819"/' "$work/report.json" >out/mini/report.json
changed 'a number that it cites' again
grep -q '0\.819 x\|0\.819</mn>' out/mini/book.html
ok $? 'the page has it'
sed '/"key": "1.toy.q"/,/}/ s/"meaning": "/&really /' "$work/report.json" >out/mini/report.json
weave >"$work/.made" 2>&1
changed 'a number that it does not cite' kept
cp -p "$work/report.json" out/mini/report.json
echo '-- A remark.' >>weave/tables.lua
changed 'the weaver' again
echo 'return {' >$woven
put 'After damage.'
changed 'what was kept is damaged' again
mv chapters/02-second.nw chapters/03-third.nw
runs 'a chapter is renamed: it is woven' weave
is 'nothing is kept under its old name' "$(ls out/mini/.woven | grep -c second)" 0
rm chapters/03-third.nw

# ---- what the page links ----------------------------------------------------

put $'So `1.toy.r`{.v} again, so $1$, and $x$.

<<small.c>>=
enum { SMALL_MANY = 3 };
struct small_pair {
    int a, b;
};
static int twice(struct small_pair *p) {
    return SMALL_MANY * p->a;
}
int thrice(void) {
    struct small_pair p = {small(), 2};
    return twice(&p);
}
@ %def SMALL_MANY small_pair

::: {.report}
:::

::: {#refs}
:::'
runs 'a chunk that goes on is woven' weave
html=$(<out/mini/book.html)
has "$html" '<p class="head"><a href=#c-small-c>⟨small.c.<small id=1>1</small>⟩</a>≡ <span>01-small.nw:[0-9]+</span>'
ok $? 'a chunk has its name, number, file and line'
has "$html" '<span>01-small.nw:[0-9]+ → small.c</span>'
ok $? 'and the file that it ends in'
has "$html" '^    <a class=u href=#2>⟨a use.<small>2</small>⟩</a>$'
ok $? 'a use leads to the definition'
has "$html" 'Continued in <a href=#3>3</a>\.'
ok $? 'the first part says where it goes on'
has "$html" 'Continues <a href=#1>1</a>\. Defines'
ok $? 'and the other whence'
has "$html" '<b>static</b> <b>int</b> <dfn id=i-twice>twice</dfn>'
ok $? 'the word that is defined can be linked to'
has "$html" 'small_pair p = \{<a href=#i-small>small</a>\(\), 2\};'
ok $? 'and what is used in another part is a link'
has "$html" '<a href="#r-1.toy.r" id="n01-small-[0-9]+" class="v">0.820</a>'
ok $? 'a value leads to its row'
row=$(grep '<tr id="r-1.toy.r"' out/mini/book.html)
is 'and the row back to each place' "$(grep -oE 'href=#n[0-9a-z-]+' <<<"$row" | sed 's/href=#//')" \
    "$(grep -oE '<a href="#r-1.toy.r" id="[^"]*' out/mini/book.html | sed 's/.*"//')"
is 'every link goes somewhere' "$(grep -oE ' href="?#[^" >]*' <<<"$html" | sed 's/ href="*#//' | sort -u |
    comm -23 - <(grep -oE ' id="?[^" >]*' <<<"$html" | sed 's/ id="*//' | sort -u))" ''
is 'no id is there twice' "$(grep -oE ' id="?[^" >]*' <<<"$html" | sed 's/ id="*//' | sort | uniq -d)" ''
is 'nothing is fetched' "$(grep -oE '<(script|img|iframe|link)[^>]*(src|href)=|@import|url\(["'\'']?[^#]' <<<"$html")" ''
is 'each script of the page is in it' "$(grep -c '^<script>' <<<"$html")" \
    $((1 + $(ls weave/page/*.js | wc -l)))
has "$html" 'class="tight"><math.*</math>,</span>'
ok $? 'a comma stays with the formula before it'

# ---- the same for the PDF -------------------------------------------------

put 'A value `1.toy.rr`{.v}.'
line=$(line_of chapters/01-small.nw 1.toy.rr)
fails 'an unknown key stops the PDF too' make -o tangled/roots.mk out/mini/book.tex
says 'with its line' "^chapters/01-small.nw:$line: .*'1.toy.rr'"

done_testing
