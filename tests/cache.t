#!/bin/bash
# run_with_cache, against what TransformerLens cached on the golden models, and the
# options that let the programs run on any model: --tokens, --raw, --steps.
. tests/lib.sh
copy_tree book
cd book || exit 1
runs 'the programs are built' make tangled/circuits_part2 tangled/run_with_cache
cached=tangled/run_with_cache real=tangled/circuits_part2 golden=$root/tests/golden
python=/usr/bin/python3

refuses() { # NAME REGEX COMMAND...: one line on stderr, nothing on stdout, exit status 1
    local name=$1 regex=$2
    shift 2
    run "$@"
    [ "$status" -eq 1 ] && [ -z "$out" ] && [ "$(grep -c '' <<<"$err")" -eq 1 ] &&
        has "$err" "^(run_with_cache|circuits_part2): .*($regex)"
    ok $? "$name" "expected 1 line with /$regex/; $(told)"
}

# The tokens that the golden activations were computed on.
declare -A tokens=([tiny-1l]=27,43,13,40,54,25,55,8,16,6,14 [tiny-2l]=44,46,15,18,31,15,10,47,4)
for name in "${!tokens[@]}"; do
    mkdir "$name"
    cp "$golden/$name.config.json" "$name/config.json"
    cp "$golden/$name.safetensors" "$name/model.safetensors"
done

# ---- against TransformerLens ----------------------------------------------

compare() { # NAME ARGUMENT...: prints the largest differences as comments
    if ! $python -c 'import numpy' 2>/dev/null; then
        skip "$1" 'no NumPy: apt-get install python3-numpy'
        return
    fi
    runs "$1" $python "$root/tests/compare_safetensors.py" "${@:2}"
    head -n 6 <<<"$out" | sed 's/^ */# /'
}

for name in tiny-1l tiny-2l; do
    runs "$name is run" $cached --model $name --tokens "${tokens[$name]}" -o $name.safetensors
    is "$name: without a word" "$out$err" ''
    compare "$name: weights and activations are TransformerLens's" $name.safetensors \
        "$golden/$name".{processed,activations}.safetensors
    runs "$name is run raw" $cached --model $name --tokens "${tokens[$name]}" --raw -o raw.safetensors
    compare "$name: its raw weights are those of the file" --part raw.safetensors \
        "$golden/$name.safetensors"
done
runs 'the same run once more' $cached --model tiny-2l --tokens "${tokens[tiny-2l]}" -o again.safetensors
same 'gives the same bytes' again.safetensors tiny-2l.safetensors
runs 'a prompt in place of ids' $cached --model models/mini/2l --prompt 'The whale' -o whale.safetensors
runs 'with --output' $cached --output=whale2.safetensors --prompt 'The whale' --model models/mini/2l/
same 'is the same' whale.safetensors whale2.safetensors

# A file that was written is a checkpoint like any other, but for the activations.
mkdir back; cp tiny-1l/config.json back/; cp tiny-1l.safetensors back/
refuses 'a model of activations' 'back/tiny-1l.safetensors: tokens is not a tensor' \
    $real --model back --tokens 1

# ---- bad input ------------------------------------------------------------

mkdir d; echo old >d/old
before=$(dates d/old; contents d/old)
refused() { # NAME REGEX ARGUMENT...: and the old file is kept
    refuses "$1" "$2" $cached "${@:3}"
    is "$1: the old file is kept, and nothing is beside it" \
        "$(dates d/old; contents d/old; ls -A d)" "$before"$'\n'old
}
for list in '' , 1, ,1 1,,2 1,x x -1 +1 1.5 0x1 '1 2' '1, 2' '[1]' 99999999999 1,4294967297; do
    refused "ids '$list'" 'not a token id.*such as' --model tiny-1l --tokens "$list" -o d/old
done
refused 'an id that the model lacks' 'tiny-1l: token 1 is 61, expected 0 to 60' \
    --model tiny-1l --tokens 1,61 -o d/old
refused 'more ids than it can read' 'n_ctx = 32' \
    --model tiny-1l --tokens "$(seq -s, 1 33)" -o d/old
refused 'neither prompt nor ids' '--prompt TEXT or --tokens' --model tiny-1l -o d/old
refused 'both' 'both' --model tiny-1l --tokens 1 --prompt a -o d/old
refused 'a prompt without a tokenizer' 'no tokenizer\.json.*--tokens' --model tiny-1l --prompt a -o d/old
refused 'an empty prompt' 'empty' --model models/mini/1l --prompt '' -o d/old
refused 'no model' '--model' --tokens 1 -o d/old
refused 'a model that is not there' 'none' --model none --tokens 1 -o d/old
refused 'a set of two models' 'set of 2 models.*models/mini/1l' --model models/mini --tokens 1 -o d/old
refused 'an option of another program' '--section.*--help' --model tiny-1l --section 1 -o d/old
refused 'no value' '-o.*--help' --model tiny-1l --tokens 1 -o
refuses 'no output' '-o FILE' $cached --model tiny-1l --tokens 1
refuses 'an output in no folder' 'nowhere/' $cached --model tiny-1l --tokens 1 -o nowhere/x
refuses 'an output of no name' 'cannot|name' $cached --model tiny-1l --tokens 1 -o ''
refuses 'a folder as output' '\bd\b' $cached --model tiny-1l --tokens 1 -o d
refuses "the model's own folder" 'own folder' $cached --model tiny-1l --tokens 1 -o tiny-1l/model.safetensors
same 'and its weights are kept' tiny-1l/model.safetensors "$golden/tiny-1l.safetensors"
full_disk() { (trap '' XFSZ; ulimit -f 2; "$@") | cat; return "${PIPESTATUS[0]}"; }
refuses 'a full disk' 'd/old' full_disk $cached --model tiny-1l --tokens 1 -o d/old
is 'and the old file is kept' "$(dates d/old; contents d/old; ls -A d)" "$before"$'\n'old
runs 'help' $cached --help
prints 'tells that nothing is put in front of ids' '1,5,9; nothing is put in$'
refuses 'the other program knows no -o' '-o.*--help' $real -o x

# ---- any model in the book's program --------------------------------------

runs 'ids in the book' $real --model tiny-2l --tokens "${tokens[tiny-2l]}" --steps
prints 'they are shown as ids' '\["#44", "#46", "#15",'
prints 'the steps are told' '^  model: fold_ln +applied$'
prints 'and every section is there' '^7  '
runs 'the raw weights' $real --model tiny-1l --tokens 1,2,1 --raw --steps --section 3
prints 'are not processed' 'center_unembed +left out: the raw weights'
prints 'the section is there' '^3  '
omits 'no other is' '^[124-9]  '
runs 'nothing about steps unless asked' $real --model tiny-1l --tokens 1,2,1 --section 3
omits 'so it is' '^steps'
runs 'ids with a tokenizer' $real --model models/mini/1l --tokens 300,301,300
omits 'are shown as text' '"#300"'
runs "a set on one's own ids" $real --tokens 300,301 --section 3
refuses 'both in the book' 'both' $real --tokens 1 --prompt a
for list in '' 1,,2 -1; do
    refuses "the book's ids '$list'" 'not a token id' $real --tokens "$list"
done

done_testing
