#!/bin/bash
# Every odd checkpoint, as the weights of a model, with the program, and with the one
# under sanitizers if it was built: what tests/odd/expected.tsv says must happen, and
# a refusal must be one line that names the file, exit with 1 and write nothing.
. tests/lib.sh

# A tokenizer of 61 tokens, as many as the golden model has.
mkdir m
{
    printf '{"version": "1.0", "normalizer": null, "added_tokens": [{"id": 60,'
    printf ' "content": "<|BOS|>", "special": true, "single_word": false,'
    printf ' "lstrip": false, "rstrip": false, "normalized": false}],'
    printf ' "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false,'
    printf ' "trim_offsets": true, "use_regex": true},'
    printf ' "decoder": {"type": "ByteLevel"}, "model": {"type": "BPE",'
    printf ' "unk_token": "a", "merges": [], "vocab": {'
    id=0
    for letter in {a..z} {A..Z} {0..7}; do
        printf '%s"%s": %d' "${sep-}" "$letter" $id
        sep=', ' id=$((id + 1))
    done
    printf '}}}\n'
} >m/tokenizer.json
cp "$root/tests/golden/tiny-1l.config.json" m/config.json

try() { # FILE RESULT TEXT PROGRAM
    cp "$root/tests/odd/$1" m/
    run "$root/$4" --model m --prompt whales --json result.json
    rm "m/$1"
    if [ "$2" = ok ]; then
        [ "$status" -eq 0 ] && [ -s result.json ] &&
            [ "$err" = "${3:+circuits_part2: warning: m/$1: $3}" ]
    else
        [ "$status" -eq 1 ] && [ ! -e result.json ] &&
            [ "$(grep -c '' <<<"$err")" -eq 1 ] &&
            [[ $err == "circuits_part2: m/$1: "*"$3"* ]]
    fi
    ok $? "$1 is $2 ($4)" "$(told)"
    rm -f result.json
}

for program in tangled/circuits_part2 tangled/san/circuits_part2; do
    [ -x "$root/$program" ] || continue
    [ ! "$root/tangled/circuits_part2" -nt "$root/$program" ] || continue # stale
    while IFS=$'\t' read -r file result text; do
        [[ $file == \#* ]] || try "$file" "$result" "$text" "$program"
    done <"$root/tests/odd/expected.tsv"
done
is 'the table has every file' "$(cd "$root/tests/odd" && ls | grep -vx 'README.md\|expected.tsv')" \
    "$(grep -v '^#' "$root/tests/odd/expected.tsv" | cut -f 1)"
done_testing
