#!/bin/bash
# A set whose weights are absent: the page shows what was published for it and says
# so, and everything is made again when the weights come or go.
. tests/lib.sh
copy_tree book
cd book || exit 1
cp -a "$root/models/attn-only" models/
rm -rf models/attn-only/{1l,2l,tokenizer.json}
expected=models/attn-only/expected.tsv
rows=$(grep -cv -e '^#' -e '^$' $expected)
line='Not run here: the weights of attn-only are absent; make fetch MODEL=attn-only gets them\.'

runs 'the page of mini is built' make html
mini=$(contents out/mini/book.html)

# text FILE: the words of a page, its code left out, in one line.
text() {
    perl -0pe 's/<(script|style)\b.*?<\/\1>//gs' "$1" | tr '\n' ' ' | sed 's/<pre[^>]*>/\n<pre>/g' |
        sed 's/<pre>.*<\/pre>//; s/<[^>]*>//g' | tr '\n' ' '
}
count() { grep -oE -e "$2" <<<"$1" | grep -c .; } # TEXT REGEX

# ---- the page -------------------------------------------------------------

runs 'the page of attn-only is built without its weights' make MODEL=attn-only html
prints 'the toy part runs' '^run +circuits_part2_toy'
omits 'the real part does not' '^run +circuits_part2$'
is 'nothing is complained about' "$err" ''
html=$(<out/attn-only/book.html)
text=$(text out/attn-only/book.html)
is 'a note says it, once' "$(count "$text" 'The weights of the set attn-only are absent')" 1
[[ $html =~ 'class="abstract"'.*'The weights of the set attn-only'.*'id="sec:before"' ]]
ok $? 'in front, with the abstract'
grep -qE 'head 0\.3 of the one-layer model' <<<"$text"
ok $? 'what the description of the set says is shown'
grep -qE 'in front: – tokens' <<<"$text"
ok $? 'what was not published is a dash'
is 'the dash says why' "$(count "$html" 'class="absent" title="not run here: the weights of attn-only are absent">–<')" \
    "$(count "$html" '"absent"[^>]*>–<')"
grep -qE 'a stream of 512† numbers' <<<"$text"
ok $? 'a published number is marked'
grep -qE 'agree to within 1\.2.×.10−6†' <<<"$text"
ok $? 'and one with a power of ten'
grep -qF 'have the shapes [64, 512]†,' <<<"$text"
ok $? 'a shape reads as a run would have it'
is 'every mark has its title' "$(count "$html" '>†</span></a>')" \
    "$(count "$html" 'class="v published" title="published, not run here"')"
is 'no claim of the real part is checked' "$(count "$html" 'class="claim"')" 0
is 'each says that it was not run' "$(count "$text" '\(not run here\)')" \
    "$(cat chapters/*.nw | awk '/^::: \{\.only (set=mini|run=real)\}/ { skip = 1 } !skip; /^:::$/ { skip = 0 }' |
        perl -0pe 's/\[[^][]*\]\{\.only run=real\}//g' | grep -oE '`[0-9][^`]*`\{\.claim\}' | grep -c .)"
shown=$(grep -c '\.dat$' out/mini/.part2.data)
is 'a line stands for each output, table and figure' "$(count "$text" "$line")" \
    $((shown + $(cat chapters/*.nw | grep -cE '^::: \{\.(output program=real|table key=7\.|explorer )')))
# But for the last, the loss curve of models that were trained here.
is 'and they keep their numbers' "$(count "$text" 'Figure [0-9]+\. ')" \
    $(($(count "$(text out/mini/book.html)" 'Figure [0-9]+\. ') - 1))
is 'the figures of the toy part are drawn, and no other' "$(ls figures/attn-only/*.svg | sed 's/.*\///; s/\.svg/.dat/')" \
    "$(<out/attn-only/.part2_toy.data)"
is 'every link goes somewhere' "$(grep -oE ' href="?#[^" >]*' <<<"$html" | sed 's/ href="*#//' | sort -u |
    comm -23 - <(grep -oE ' id="?[^" >]*' <<<"$html" | sed 's/ id="*//' | sort -u))" ''
runs 'again' make MODEL=attn-only html
is 'again: nothing is done' "$(grep -v -e 'Nothing to be done' -e 'up to date' <<<"$out")" ''

# ---- the report -----------------------------------------------------------

verdicts() { grep -c "\"verdict\": \"$1\"" out/attn-only/report.json; }
is 'all published numbers are in the report' "$(verdicts published)" "$rows"
is 'there are 73' "$rows" 73
is 'none is missing' "$(verdicts missing)" 0
is 'those of the toy part are ok' "$(verdicts ok)" "$(grep -cv -e '^#' -e '^$' models/toy/expected.tsv)"
is 'the page has them' "$(count "$html" '<tr id="[^"]*" class="published">')" "$rows"
grep -qF 'What is inside one head (published, not run here)' <<<"$text"
ok $? 'under a heading that says so'
runs 'they are verified' make MODEL=attn-only verify
prints 'in the table' '^1\.d_model +512 +512 +exact +published$'
prints 'and in the sum' ' 0 mismatches, 0 missing, 0 unexpected, 73 published, not run; '

fails 'the real part cannot be shown' make MODEL=attn-only real
says 'the reason and what to do' '^the weights of attn-only are absent: make fetch MODEL=attn-only gets them$'
is 'in one line' "$(grep -vc '^make' <<<"$err")" 1
runs 'the toy part can' make MODEL=attn-only toy
before=$(contents models/*/expected.tsv)
runs 'blessing looks at the toy part' make MODEL=attn-only bless YES=1
is 'and touches no published number' "$(contents $expected)" "$(contents "$root/$expected")"
is 'nor any other' "$(contents models/*/expected.tsv)" "$before"

runs 'the LaTeX file is made' make MODEL=attn-only out/attn-only/book.tex
grep -qF '{512}{\footnotesize\textcolor{quiet}{†}}' out/attn-only/book.tex
ok $? 'with marks'
grep -qF '\textcolor{quiet}{(not run here)}' out/attn-only/book.tex
ok $? 'and claims that were not run'

# ---- mistakes -------------------------------------------------------------

cp chapters/01-one-head.nw "$work/chapter"
good='`7.split.bias`{.v} `6.W_OV.sv.7`{.v} `7.qk.'"' x'"'.range[2]`{.v} `2.9l.L4.sum_minus_model`{.v} `1.even`{.claim} $\val{5.cost.ratio} = \val{1.d_head}$'
printf '\n%s\n' "$good" >>chapters/01-one-head.nw
runs 'keys that a run would have are accepted' make MODEL=attn-only html
has "$(text out/attn-only/book.html)" '– – – – \(not run here\)'
ok $? 'and are dashes'
cat >>chapters/01-one-head.nw <<'NW'

`7.split.bais`{.v}
`6.W_OV.vs.7`{.v}
`1.evne`{.claim}
`3.tokens[99]`{.v}
`1.d_head`{.claim}
$\val{1.toy.zz}$

![A caption.](nowhere){#fig:nowhere alt="x"}

![A caption.](pattern){#fig:two alt="{7.split.bais}"}

::: {.table key=7.vo}
x
:::

::: {.output program=real section=nine}
:::
NW
fails 'mistakes are still told' make MODEL=attn-only html
for needle in '`7.split.bais`' 6.W_OV.vs.7 1.evne '3.tokens[99]' '`1.d_head`{.claim}' 1.toy.zz \
    '(nowhere)' '{7.split.bais}' key=7.vo section=nine; do
    says "$needle: with its line" "^chapters/01-one-head.nw:$(line_of chapters/01-one-head.nw "$needle"): "
done
is 'and nothing else' "$(grep -c '^chapters' <<<"$err")" 10
cp "$work/chapter" chapters/01-one-head.nw

# ---- weights that come and go ---------------------------------------------

# The weights of mini under another name, as if somebody else had published its numbers.
cp -a models/mini models/lent
sed -i '1i # published, to see what becomes of it' models/lent/expected.tsv
mkdir -p weights/{1l,2l}
move() { for m in 1l 2l; do mv "$1/$m/model.safetensors" "$2/$m/"; done; }
move models/lent weights
make_lent() { make -j2 MODEL=lent html figures; }
runs 'without weights it is built' make_lent
omits 'by no run of the real part' '^run +circuits_part2$'
cp out/lent/book.html "$work/absent.html"
move weights models/lent
runs 'the weights come: it is built' make_lent
prints 'the real part runs' '^run +circuits_part2$'
omits 'the toy part need not' '^run +circuits_part2_toy'
has "$(<out/lent/book.html)" '>†<|\(not run here\)|class="absent"'
is 'nothing is marked any more' $? 1
is 'all is ok' "$(grep -c '"verdict": "ok"' out/lent/report.json)" "$(grep -c '"key"' out/lent/report.json)"
is 'every figure is drawn' "$(ls figures/lent)" "$(ls figures/mini)"
runs 'and the real part can be shown' make MODEL=lent real
move models/lent weights
runs 'the weights go: it is built' make_lent
same 'to the page of before' out/lent/book.html "$work/absent.html"
is 'nothing of the run is left' "$(find out/lent figures/lent -name 'part2[._]*' -not -name '*toy*' -o -name 'pattern.*')" ''
fails 'and the real part cannot be shown' make MODEL=lent real
says 'nor what it printed' '^the weights of lent are absent'

sed -i 1d models/lent/expected.tsv
fails 'where nothing was published, absent weights stop the build' make MODEL=lent html
says 'with what is absent' 'models/lent/1l: no weights file'

# ---- others ---------------------------------------------------------------

touch book.nw
runs 'the page of mini is made again' make html
is 'it is what it was' "$(contents out/mini/book.html)" "$mini"
has "$(<out/mini/book.html)" '>†<|\(not run here\)|class="absent"'
is 'and marks nothing' $? 1

done_testing
