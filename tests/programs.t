#!/bin/bash
# The programs: what they are asked wrongly or given broken is refused with exit
# status 1 and one line on stderr that names what, where and what to do.
. tests/lib.sh
copy_tree book
cd book || exit 1
ln -s "$root/tests/odd" odd
runs 'the programs are built' make tangled/circuits_part2 tangled/circuits_part2_toy tangled/verify
real=tangled/circuits_part2 toy=tangled/circuits_part2_toy

refuses() { # NAME REGEX COMMAND...: one line on stderr, exit status 1
    local name=$1 regex=$2 program
    shift 2
    run "$@"
    for program; do [[ $program != tangled/* ]] || break; done
    [ "$status" -eq 1 ] && [ "$(grep -c '' <<<"$err")" -eq 1 ] &&
        has "$err" "^${program##*/}: .*($regex)"
    ok $? "$name" "expected 1 line with /$regex/; $(told)"
}

# ---- the command line -----------------------------------------------------

for program in "$real" "$toy"; do
    name=${program##*/}
    runs "$name --help" "$program" --help
    prints "$name --help shows the options" '^  --section N '
    is "$name --help keeps stderr clean" "$err" ''
    refuses "$name: an unknown option" '--nonsense.*--help' "$program" --nonsense
    refuses "$name: an unknown letter" '-x.*--help' "$program" -x
    refuses "$name: an unknown letter among others" '-(x|xy).*--help' "$program" -xy --help
    refuses "$name: an option without its value" '--section.*--help' "$program" --section
    refuses "$name: an argument without an option" 'extra.*--help' "$program" extra
    refuses "$name: an argument behind --" 'extra.*--help' "$program" -- extra
    refuses "$name: an unknown section" 'section 99' "$program" --section 99
    refuses "$name: an empty section" 'section' "$program" --section ''
    refuses "$name: half of a section" 'section' "$program" --section 1x
    runs "$name: section 2 alone" "$program" --section 2
    prints "$name: it is there" '^2  '
    omits "$name: no other is" '^([13-9]|1[0-9])  '
done
refuses 'the toy program knows no --head' '--head' $toy --head 0.1
refuses 'a value given to --help' '--help' $real --help=yes
runs 'the last of two wins' $toy --section 1 --section 2
omits 'and it alone' '^1  '

# ---- the head and the prompt ----------------------------------------------

refuses 'a head outside the model' '9\.9.*0\.0 to 0\.7' $real --head 9.9
refuses 'a head outside the layer' '0\.8.*0\.0 to 0\.7' $real --head 0.8
for head in x '' 0 0. .0 0.-1 -1.0 0.1x '0. 1' ' 0.1' 0.1.2 +0.1 99999999999999999999.0 0.99999999999999999999; do
    refuses "the head '$head'" 'LAYER\.HEAD' $real --head "$head"
done
runs 'another head' $real --head 0.3 --section 1
prints 'is what is looked at' 'follows .* 0\.3$'
refuses 'an empty prompt' 'prompt.*empty' $real --prompt ''
refuses 'a prompt that is no UTF-8' '(byte|offset).*2|UTF-8' $real --prompt $'ab\xff\xfecd'
refuses 'a prompt with half a letter at its end' 'UTF-8' $real --prompt $'ab\xc3'
refuses 'a prompt with a surrogate' 'UTF-8' $real --prompt $'a\xed\xa0\x80'
refuses 'a prompt longer than the model can read' 'n_ctx' $real --prompt "$(printf 'the whale %.0s' {1..3000})"
runs 'a prompt of one letter' $real --prompt a
runs 'a prompt of blanks and line ends' $real --prompt $' \n\t '
runs 'a prompt in many scripts' $real --prompt $'Ünï 漢字 🐋 \\ " < & \u0301'

refuses 'a token that is two' '--token.*" whale whale".*one token' $real --token ' whale whale'
refuses 'a token of no text' '--token' $real --token ''
runs 'a token that is one byte of a letter' $real --token $'\xff'
iconv -f UTF-8 -t UTF-8 "$work/.out" >/dev/null
ok $? 'and what is printed is UTF-8 all the same'
refuses 'the toy program knows no --token' '--token' $toy --token ' whale'
runs 'another token' $real --token ' the'

# ---- folders --------------------------------------------------------------

refuses 'a model folder that is not there' 'models/none.*(set\.json|config\.json|No such)' \
    $real --model models/none
refuses 'a file in place of a folder' 'references\.bib' $real --model references.bib
refuses 'an empty name' 'model|set\.json|config\.json' $real --model ''
runs 'a model by itself' $real --model models/mini/1l --prompt 'The whale swam'
refuses 'a model by itself without a prompt' 'models/mini/1l.*--prompt' $real --model models/mini/1l
runs 'a name with a slash at its end' $real --model models/mini/ --section 1

# lone NAME: a model by itself, its weights shared with the real one.
lone() {
    mkdir -p "$1"
    cp models/mini/1l/config.json models/mini/tokenizer.json "$1/"
    ln -sf "$PWD/models/mini/1l/model.safetensors" "$1/model.safetensors"
}
broken() { # NAME REGEX: the folder m is refused
    refuses "$1" "$2" $real --model m --prompt 'The whale'
    rm -rf m
    lone m
}
lone m
runs 'a model anywhere' $real --model m --prompt 'The whale'
rm m/model.safetensors
broken 'a folder without weights' '\bm\b.*(\.safetensors|weights)'
rm m/config.json
broken 'a folder without a config' '\bm\b.*config\.json'
rm m/tokenizer.json
broken 'a folder without a tokenizer' 'tokenizer\.json'
cp m/model.safetensors m/more.safetensors
broken 'a folder with two weights files' '\bm: more than one weights file'
rm m/model.safetensors; mkdir m/model.safetensors
broken 'a folder in place of the weights' 'model\.safetensors'
rm m/model.safetensors; ln -s nowhere m/model.safetensors
broken 'weights that are a link to nowhere' 'model\.safetensors|weights'

# ---- files ----------------------------------------------------------------

for odd in body-cut empty html-page lfs-pointer not-json overlap shape-overflows; do
    rm m/model.safetensors
    cp "odd/$odd.safetensors" m/model.safetensors
    broken "weights: $odd" 'm/model\.safetensors'
done
rm m/model.safetensors
head -c 1000000 models/mini/1l/model.safetensors >m/model.safetensors
broken 'weights that were cut off' 'm/model\.safetensors.*(bytes|ends|size)'
sed -i 's/"d_model": *[0-9]*/"d_model": 256/' m/config.json
broken 'weights of another shape than the config says' 'm/model\.safetensors: .*512.*256'
sed -i 's/"n_layers": *[0-9]*/"n_layers": 2/' m/config.json
broken 'a layer fewer than the config says' 'm/model\.safetensors: .*blocks\.1\.'
rm m/model.safetensors
ln -s "$PWD/models/mini/2l/model.safetensors" m/model.safetensors
broken 'a layer more than the config says' 'm/model\.safetensors: .*blocks\.1\..*config\.json'

config() { # NAME SED REGEX
    sed -i "$2" m/config.json
    broken "config: $1" "m/config\.json.*($3)"
}
config 'not JSON' 's/,$/;/' 'JSON'
config 'a size is missing' '/"n_heads"/d' 'n_heads|JSON'
config 'a size of zero' 's/"d_head": *[0-9]*/"d_head": 0/' 'd_head'
config 'a negative size' 's/"n_ctx": *[0-9]*/"n_ctx": -5/' 'n_ctx'
config 'a huge size' 's/"d_vocab": *[0-9]*/"d_vocab": 4000000000/' 'd_vocab'
config 'a size that is text' 's/"d_model": *[0-9]*/"d_model": "512"/' 'd_model'
config 'a fraction' 's/"n_layers": *[0-9]*/"n_layers": 1.5/' 'n_layers'
config 'a model with an MLP' 's/"attn_only": *true/"attn_only": false/' 'attn_only'
config 'a normalization that is not known' 's/"normalization": *"[^"]*"/"normalization": "RMS"/' \
    'normalization'
: >m/config.json
broken 'config: empty' 'm/config\.json'
sed -i 's/"d_vocab": *[0-9]*/"d_vocab": 100/' m/config.json
broken 'a vocabulary smaller than the tokenizer' '(100.*10240|10240.*100|10,?240)'

: >m/tokenizer.json
broken 'tokenizer: empty' 'm/tokenizer\.json'
echo '{"model": []}' >m/tokenizer.json
broken 'tokenizer: not one' 'm/tokenizer\.json'
head -c 5000 models/mini/tokenizer.json >m/tokenizer.json
broken 'tokenizer: cut off' 'm/tokenizer\.json'

# A set whose description is wrong.
set_json() { # NAME SED REGEX
    mkdir -p s
    sed "$2" models/mini/set.json >s/set.json
    ln -sfn ../models/mini/1l s/1l
    ln -sfn ../models/mini/2l s/2l
    ln -sf ../models/mini/tokenizer.json s/
    refuses "set: $1" "(\bs/|set\.json).*($3)" $real --model s
}
set_json 'not JSON' 's/,$/;/' 'JSON'
set_json 'no head' '/"head"/d' 'head'
set_json 'a head that is none' 's/"head": *"[^"]*"/"head": "six"/' 'LAYER\.HEAD'
set_json 'a head that the model lacks' 's/"head": *"[^"]*"/"head": "3.0"/' '3\.0'
set_json 'a moved token that is two' 's/"moved": *"[^"]*"/"moved": " whale whale"/' 'one token'
set_json 'a model folder that is not there' 's/"2l": *"2l"/"2l": "3l"/' '3l'
set_json 'a model folder elsewhere' 's/"2l": *"2l"/"2l": "..\/2l"/' 'folder'
set_json 'no models' '/"models"/d' 'models'

full_stdout() { "$@" >/dev/full; }
closed_stdout() { "$@" >&-; }
full_disk() { # files of 2 KB at most; what would be more is an error, not a signal
    (trap '' XFSZ; ulimit -f 2; "$@") | cat
    return "${PIPESTATUS[0]}"
}

# ---- where results go -----------------------------------------------------

mkdir d
runs 'results are written' $real --section 1 --json d/r.json --data d
is 'the result alone, and whole' "$(ls -A d) $(tail -n 1 d/r.json)" 'r.json }'
before=$(dates d/r.json; contents d/r.json)
for program in "$real" "$toy"; do
    name=${program##*/}
    refuses "$name: --json into no folder" 'nowhere/r\.json' "$program" --json nowhere/r.json
    refuses "$name: --json onto a folder" '\bd\b' "$program" --json d
    refuses "$name: --json with an empty name" 'cannot|empty|No such' "$program" --json ''
    refuses "$name: --data into no folder" 'nowhere/' "$program" --data nowhere
    refuses "$name: --data onto a file" 'references\.bib' "$program" --data references.bib
    refuses "$name: a full disk behind stdout" 'print|full|space' full_stdout "$program" --json d/r.json
    refuses "$name: stdout is closed" 'print|full|closed' closed_stdout "$program" --json d/r.json
    refuses "$name: a full disk under --json" 'd/r\.json' full_disk "$program" --json d/r.json
    is "$name: the old result is kept" "$(dates d/r.json; contents d/r.json)" "$before"
    is "$name: and nothing is beside it" "$(ls -A d)" r.json
done

# A result that was refused leaves no file, and a run that fails half-way none either.
refuses 'a claim or a section that fails' 'section 99' $real --section 99 --json d/new.json
refuses 'a prompt that fails' 'empty' $real --prompt '' --json d/new.json
is 'no result is written' "$(ls -A d)" r.json

# With stdin, stdout and stderr all closed nothing must land in a file by mistake.
( exec $toy --json d/r.json <&- >&- 2>&- )
[ $? -eq 1 ]
ok $? 'everything closed: it fails'
is 'everything closed: the old result is kept' "$(contents d/r.json)" "$(tail -n 1 <<<"$before")"

runs 'without a terminal and with no environment' env -i "$PWD/$toy"
runs 'in a locale with a decimal comma' env LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 $toy --json d/r.json

done_testing
