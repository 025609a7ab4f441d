#!/bin/bash
# From text to a model set in miniature, by the script behind `make train`, and what the
# programs of that way do when something is wrong.
. tests/lib.sh
bin=$root/tangled

# ---- the whole way, on the book's own chapters --------------------------------

# The text is here, so nothing is fetched: every paragraph is a document.
mkdir way set
awk 'FNR == 1 { printf "\036" } !NF { printf "\n\036"; next } { print }' \
    "$root"/chapters/0*.nw >way/corpus.txt
cat >set/set.json <<'JSON'
{"name": "small", "about": "a miniature", "models": {"1l": "1l", "2l": "2l"},
 "head": "0.1", "prompt": "A head moves what it reads from one token to another", "moved": " head",
 "ov_tokens": [" head", " token"], "qk_tokens": [" the", " of"], "ordinary": [300, 500]}
JSON
printf '%s\n' ' head' ' token' ' the' ' of' >words.txt
sizes='--d_model 32 --heads 2 --d_head 16 --context 32 --windows 4 --drawn 64 --rate 0.01 --every 40'
go() { # FOLDER TOKENS OPTION...: the script, with these options of train besides
    exec env BIN="${tools-$bin}" WORDS=words.txt VOCABULARY=600 TOKENS_1L="$2" TOKENS_2L=25600 \
        PROMPTS='the head' SETTINGS="$sizes ${*:3}" "$root/training/train.sh" "${into-set}" "$1"
}
goes() { (go "$@"); }

fails 'a run that is cut' goes way 40960 --steps 100
says 'says so' '^train.sh: stopped; the same command goes on from there$'
prints 'and where' '^stopped after 100 of 320 steps'
[ ! -e set/1l ]
ok $? 'nothing is put into the set' "$(ls set)"
runs 'the same command goes on' goes way 40960
prints 'from there' '^going on after step 100$'
omits 'the tokenizer is not made again' '^tokens '
runs 'what is done' goes way 40960
is 'is not done again' "$out" ''
cut=$(sha256sum <set/1l/model.safetensors)
text=(--train way/train.bin --valid way/valid.bin --tokenizer way/tokenizer.json)
mkdir whole long
for folder in whole long; do ln way/{corpus.txt,tokenizer.json,train.bin,valid.bin} $folder/; done
touch whole/train.bin.tmp.123
runs 'a run that is not cut' goes whole 40960
[ ! -e whole/train.bin.tmp.123 ]
ok $? 'sweeps what killed programs left' "$(ls whole)"
is 'has the same bits' "$(sha256sum <whole/1l/model/model.safetensors)" "$cut"
exec 8<way
flock 8
fails 'a second run in the folder' goes way 40960
exec 8<&-
is 'is refused' "$err" 'train.sh: way: another run is at work in this folder; let it finish, or give another TRAIN_DIR'
# The first of its programs removes all of them, as a make clean would.
mkdir tools other kept
cp "$bin"/{encode_corpus,train,evaluate} tools/
printf '#!/bin/sh\nrm -r tools\nexec "%s" "$@"\n' "$bin/train_tokenizer" >tools/train_tokenizer
chmod +x tools/train_tokenizer
cp set/set.json other/
ln way/corpus.txt kept/
tools=tools into=other runs 'a run whose programs go away' goes kept 1280
[ ! -e tools ] && [ -s other/2l/model.safetensors ]
ok $? 'has taken them along' "$(ls -d tools other/*)"

# A signal, to the script alone as make sends it, or to the program.
stop() { # SIGNAL OUTPUT PID: sends it when the training has begun, and waits
    for _ in $(seq 600); do
        grep -q '^step ' "$2" && break
        sleep 0.1
    done
    kill -s "$1" "$3"
    wait "$3"
}
go long 1e9 --report 0 >out.script 2>err.script &
stop TERM out.script $!
is 'a signal stops the script' $? 1
has "$(cat out.script)" '^stopped after [0-9]+ of'
ok $? 'after the step that the program was at' "$(tail -n 3 out.script)"
is 'and it says so' "$(cat err.script)" 'train.sh: stopped; the same command goes on from there'
for signal in INT TERM; do
    "$bin/train" "${text[@]}" $sizes --layers 2 --tokens 1e9 --out $signal >out.$signal 2>&1 &
    stop $signal out.$signal $!
    is "SIG$signal ends the program with status 0" $? 0
    has "$(cat out.$signal)" '^stopped after [0-9]+ of'
    ok $? 'and words that say so' "$(tail -n 3 out.$signal)"
    [ -s $signal/checkpoint.safetensors ]
    ok $? 'and a checkpoint' "$(ls $signal)"
done

for model in 1l 2l; do
    for file in model.safetensors config.json curve.tsv evaluation.tsv; do
        [ -s set/$model/$file ]
        ok $? "the set has $model/$file"
    done
done
runs 'the book opens the set' "$bin/circuits_part2" --model set --section 2
prints 'and both of its models' '^  2-layer model|2l'
losses() { awk -F'\t' -v name="$1" '$1 == name { print $2 }' set/1l/evaluation.tsv; }
perl -e 'exit !($ARGV[0] < $ARGV[1])' "$(losses 'the model')" "$(losses unigrams)"
ok $? 'the model beats unigrams' "$(cat set/1l/evaluation.tsv)"
is 'the curve ends with the last step' "$(tail -n 1 set/2l/curve.tsv | cut -f 1,2)" "200	25600"

# ---- what is recorded of the models that ship --------------------------------

# sheet NAME FILE: one of its tables, without the headings.
sheet() { awk -v name="# $1:" 'index($0, name) == 1 { on = 2; next } !NF { on = 0 } on && on++ > 2' "$2"; }
# near FILE FILE: the same words, and numbers that differ by at most 1 in their last place.
near() {
    perl -e 'my @t = map { local (@ARGV, $/) = $_; <> } @ARGV;
        my @w = map { [split /([-0-9.]*[0-9])/] } @t;
        my $same = $t[0] ne "" && @{$w[0]} == @{$w[1]};
        for my $i (0 .. $#{$w[0]}) {
            my ($x, $y) = ($w[0][$i], $w[1][$i]);
            next if $x eq $y;
            my $last = $x =~ /\.(\d+)$/ ? 10 ** -length $1 : 0;
            $same = 0 unless $last && abs($x - $y) < 1.01 * $last;
        }
        exit !$same' "$1" "$2"
}
# recomputed SET MODEL: what needs no text, computed anew and compared with what is recorded.
recomputed() {
    mapfile -t prompts < <(sheet prompts "$1/$2/evaluation.tsv" | tail -n +2 | cut -f 1)
    asked=()
    for prompt in "${prompts[@]}"; do asked+=(--prompt "$prompt"); done
    runs "$2 is evaluated without the text" "$bin/evaluate" --set "$1" --model "$1/$2" \
        --tsv now.tsv "${asked[@]}"
    for name in repeats heads prompts; do
        sheet $name "$1/$2/evaluation.tsv" >recorded
        sheet $name now.tsv >now
        near recorded now
        ok $? "$2: the table of $name is as recorded" "$(diff recorded now)"
    done
}
recomputed set 2l
sed -i 's/^1\.1\t0\.[0-9]/&7/' set/2l/evaluation.tsv
sheet heads set/2l/evaluation.tsv >recorded
sheet heads now.tsv >now
! near recorded now
ok $? 'a changed record is noticed' "$(diff recorded now)"
mini=$root/models/mini
if [ -e "$mini/1l/evaluation.tsv" ]; then
    recomputed "$mini" 1l
    recomputed "$mini" 2l
    shares=$(perl -0ne '/"key": "7.copy_share".*?"full": "?\[([^]]*)/s && print $1' "$root/out/mini/part2.json")
    is 'the shares of section 7 are those recorded' \
        "$(perl -e 'print join " ", map { sprintf "%.4f", $_ } split /, */, $ARGV[0]' "$shares")" \
        "$(sheet heads "$mini/1l/evaluation.tsv" | awk -F'\t' '{ printf "%s%s", s, $2; s = " " }')"
else
    skip 'the record of the models that ship' 'there is none yet'
fi

# ---- what train refuses ------------------------------------------------------

small=("${text[@]}" --layers 1 --tokens 40960 --out whole/1l $sizes)
fails 'no options' "$bin/train"
says 'are a reason' '^train: --train, --valid and --out are needed'
fails 'an unknown option' "$bin/train" --frobnicate 1
says 'is named' '^train: --frobnicate: no such option'
fails 'another size' "$bin/train" "${small[@]}" --d_model 48
says 'is not resumed' 'whole/1l/checkpoint.safetensors: made with --d_model 32, not 48'
fails 'another rate' "$bin/train" "${small[@]}" --rate 0.02
says 'needs a word' 'made with --rate 0.01.*--change allows it'
printf 'abcd' >odd.bin
fails 'a text of another tokenizer' "$bin/train" "${small[@]}" --train odd.bin --out odd
says 'is refused' 'odd.bin: begins with token 25185, not with 597'
fails 'a missing text' "$bin/train" "${small[@]}" --train none.bin --out odd
says 'is named' '^train: none.bin: cannot open'
[ ! -e odd ]
ok $? 'and nothing is written' "$(ls -R odd 2>&1)"

head -c 80 way/train.bin >short.bin
fails 'a text that is too short' "$bin/train" "${small[@]}" --train short.bin --out odd
says 'is named' '^train: short.bin: 40 tokens are not enough for windows of 32'
for option in '--every 0.5' '--valid_windows 0'; do
    fails "$option" "$bin/train" "${small[@]}" $option --out odd
    says 'is refused' '^train: --every and --valid_windows count from 1$'
done
fails 'more steps than can be counted' "$bin/train" "${small[@]}" --tokens 1e12 --out odd
says 'are told' '^train: --tokens 1e\+12 would take'
[ ! -e odd ]
ok $? 'again nothing is written' "$(ls -R odd 2>&1)"
: >plain
fails 'a folder that is none' "$bin/train" "${small[@]}" --out plain
says 'is told before the training' '^train: plain: cannot write into the folder: Not a directory'
omits 'which does not begin' '^step '

# ---- one run in a folder, and what is left of one that was killed ----

fails 'a second run in one folder' flock whole/1l "$bin/train" "${small[@]}"
is 'is refused' "$err" 'train: whole/1l: another train is at work in this folder; let it finish, or give another --out'
left=(whole/1l/checkpoint.safetensors.tmp.123 whole/1l/model/model.safetensors.tmp.4567)
touch "${left[@]}"
runs 'the next run' "$bin/train" "${small[@]}"
is 'removes what a killed one had begun' "$(ls "${left[@]}" 2>/dev/null)" ''

# A folder in the place of its curve stands in for whatever ends a run between two files.
rm -rf odd
mkdir -p odd/curve.tsv
last=("${small[@]}" --tokens 1280 --out odd)
fails 'a run that ends between two of its files' "$bin/train" "${last[@]}"
says 'says so' '^train: odd/curve.tsv: exists and is not a plain file'
rmdir odd/curve.tsv
runs 'the same command' "$bin/train" "${last[@]}"
is 'writes both' "$(tail -n 1 odd/curve.tsv | cut -f 1,2)" "10	1280"

# ---- make train lets other makes work ----

copy_tree book
mkdir book/training
cat >book/training/train.sh <<'SCRIPT'
#!/bin/sh
exec env -u LOCKED -u MAKEFLAGS timeout 60 make toy
SCRIPT
chmod +x book/training/train.sh
runs 'while models are trained, another make' make -C book train
prints 'works' '^1  What is inside one head'

# ---- checkpoints that are none ----

# broken NAME CODE: the checkpoint of `whole` with a change in Python to `t`, the bytes of its
# parts by name, or to `all`, its bytes.
broken() {
    rm -rf odd
    mkdir odd
    /usr/bin/python3 - "$2" <<'PYTHON'
import json, re, struct, sys
data = open("whole/1l/checkpoint.safetensors", "rb").read()
n = 8 + struct.unpack("<Q", data[:8])[0]
head = json.loads(data[8:n])
t = {k: data[n + h["data_offsets"][0]:n + h["data_offsets"][1]] for k, h in head.items()}
all = None
nan, minus = struct.pack("<f", float("nan")), struct.pack("<f", -1)
def state(old, new):
    t["state"] = re.sub(old, new, t["state"].decode(), flags=re.M).encode()
exec(sys.argv[1])
at = 0
for k in t:
    size = {"F32": 4, "F64": 8, "U8": 1}[head[k]["dtype"]]
    head[k] |= {"shape": [len(t[k]) // size], "data_offsets": [at, at + len(t[k])]}
    at += len(t[k])
text = json.dumps({k: head[k] for k in t}).encode()
text += b" " * (-len(text) % 8)
open("odd/checkpoint.safetensors", "wb").write(
    all if all is not None else struct.pack("<Q", len(text)) + text + b"".join(t.values()))
PYTHON
    before=$(sha256sum odd/checkpoint.safetensors)
    fails "a checkpoint with $1" "$bin/train" "${small[@]}" --out odd
    says 'is named' "^train: odd/checkpoint.safetensors: $3"
    is 'and stays as it is' "$(sha256sum odd/*)" "$before"
}
broken 'a part cut off' 'all = data[:-1]' '.*is it cut short'
broken 'no bytes' 'all = b""' 'is 0 bytes long'
broken 'no weights' 'del t["weights"]' 'has no list of F32 named "weights"'
broken 'fewer weights' 't["mean"] = t["mean"][4:]' '"mean" has another size'
broken 'a weight that is no number' 't["weights"] = nan + t["weights"][4:]' '"weights" is nan at index 0'
broken 'a negative square' 't["square"] = minus + t["square"][4:]' '"square" is -1 at index 0'
broken 'half a point' 't["curve"] = t["curve"][8:]' '"curve" has [0-9]+ numbers'
broken 'a step before the first' 'state("^step .*", "step -5")' 'made after step -5, which cannot be'
broken 'a step past all' 'state("^step .*", "step 1e300")' 'made after step 1e\+300, which cannot be'
broken 'half a step' 'state("^step .*", "step 2.5")' 'made after step 2.5, which cannot be'
broken 'a step that is no number' 'state("^step .*", "step x")' 'the state says "step x", expected a number'
broken 'seconds that are none' 'state("^seconds .*", "seconds nan")' 'the state says "seconds nan"'
broken 'another text' 'state("^train .*", "train 1")' 'made from another --train file'

# ---- what the makers of tokens refuse ----

fails 'two words for one token' "$bin/train_tokenizer" way/corpus.txt 600 new.json 'two words'
says 'are refused' '^train_tokenizer: "two words" cannot be a single token'
[ ! -e new.json ]
ok $? 'and the file does not stay, or make train would go on with it'
printf '\036\036' >nothing
fails 'a corpus of no text' "$bin/train_tokenizer" nothing 600 new.json
says 'is refused' '^train_tokenizer: nothing: has no text to learn from'
[ ! -e new.json ]
ok $? 'and nothing is written'

# ---- what evaluate refuses ---------------------------------------------------

fails 'evaluate without a model' "$bin/evaluate" --set set --model none
says 'says so' '^evaluate: none/config.json'
fails 'without a set' "$bin/evaluate" --model set/1l
says 'says so' '^evaluate: --set and --model are needed'
fails 'with half of the text' "$bin/evaluate" --set set --model set/1l --valid way/valid.bin
says 'says so' '--train and --valid go together'
fails 'with the tokenizer of another model' "$bin/evaluate" --set set --model set/1l \
    --tokenizer "$mini/tokenizer.json"
says 'says so' 'tokenizer.json: has 10240 tokens.*the model has 600'
fails 'results that cannot be printed' sh -c '"$@" >/dev/full' sh "$bin/evaluate" --set set --model set/1l
says 'are an error' '^evaluate: cannot print the results: is the disk full\?$'
fails 'an evaluation that cannot be written' "$bin/evaluate" --set set --model set/1l --tsv none/x.tsv
says 'is an error' '^evaluate: none/x.tsv'
is 'and nothing is said' "$out" ''

# The numbers of the book come from programs without the fast loops of the training.
for program in circuits_part2 circuits_part2_toy run_with_cache verify evaluate; do
    is "$program has none of the training's loops" \
        "$(nm "$bin/$program" | grep -cE ' T (layer_|optimizer_)')" 0
done
nm "$bin/train" | grep -qE ' T layer_norm$'
ok $? 'and train has them'
done_testing
