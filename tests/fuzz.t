#!/bin/bash
# Every parser of untrusted bytes, fuzzed for FUZZ_SECONDS (20) from its seeds, two at a
# time. An input that stops one is kept, and its path is shown.
. tests/lib.sh
seconds=${FUZZ_SECONDS:-20}
kept=$(mktemp -d "${TMPDIR:-/tmp}/fuzz.XXXXXX") || exit 1

fuzz() { # TARGET...: one after the other
    for target; do
        nice -n 10 "$root/tests/fuzz/run.sh" "$target" "$seconds" "$kept" \
            >"$work/$target.log" 2>&1 </dev/null
        echo $? >"$work/$target.status"
    done
}

fuzz safetensors config &
fuzz pth tokenizer
wait

found=0
for target in config pth safetensors tokenizer; do
    status=$(cat "$work/$target.status")
    log=$work/$target.log
    if [ "$status" -eq 77 ]; then
        skip "$target is fuzzed" "$(tail -n 1 "$log")"
        continue
    fi
    ok "$status" "$target is fuzzed for $seconds s" "$(grep -aE \
        'broken promise|ERROR|error:|SUMMARY|^ +#[0-9]+ .* [^ ]*(chapters|tests/fuzz)/' \
        "$log" | tail -n 12; tail -n 1 "$log")"
    grep -a 'DONE' "$log" | sed "s/ *exec\/s.*//; s/^/# $target: /"
    found=$((found | status))
done
if [ "$found" -eq 0 ]; then rm -rf "$kept"; else echo "# kept: $kept"; fi
done_testing
