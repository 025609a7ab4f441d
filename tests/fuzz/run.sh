#!/bin/bash
# Fuzzes one parser from the seeds in tests/fuzz/corpus:
#
#   tests/fuzz/run.sh TARGET SECONDS FOLDER    target: config, pth, safetensors, tokenizer
#
# FOLDER takes the program, the inputs that it finds worth keeping (corpus/TARGET) and,
# if there are any, those that it stops at. Exit 0: nothing was found; 1: something was,
# and the last line is the path of the input; 2: it cannot be built; 77: the compiler or
# its fuzzer is missing. To see an input again: FOLDER/fuzz_TARGET INPUT.
set -u
[ $# -eq 3 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
target=$1 seconds=$2 folder=$(realpath -m -- "$3")
cd "$(dirname "$0")/../.." || exit 2

case $target in
config) sources='config' libraries='-ljansson -lm' length=1024 ;;
pth) sources='arena file pickle pth tensor' libraries='-lzip -lutf8proc' length=8192 ;;
safetensors) sources='arena file safetensors tensor' libraries='-ljansson' length=4096 ;;
tokenizer) sources='arena file tokenizer' libraries='-ljansson -lpcre2-8 -lutf8proc' length=8192 ;;
*) echo "there is no target \"$target\"" >&2; exit 2 ;;
esac
seeds=tests/fuzz/corpus/$target program=$folder/fuzz_$target
mkdir -p "$folder/corpus/$target" || exit 2

CLANG=${CLANG:-clang}
SANITIZE='-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all'
if ! echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
    $CLANG $SANITIZE -x c -o "$program" - 2>/dev/null; then
    echo 'no clang with libFuzzer: apt-get install clang libclang-rt-dev' >&2
    exit 77
fi
rm "$program"
$CLANG -std=c17 -O1 -g -Wall -Wextra -Wno-unused-command-line-argument $SANITIZE \
    -fno-omit-frame-pointer -Itangled -o "$program" "tests/fuzz/fuzz_$target.c" \
    tangled/error.c $(printf 'tangled/%s.c ' $sources) $libraries || exit 2

# Freed memory is kept from use for a while, but little of it.
export ASAN_OPTIONS="quarantine_size_mb=32${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
"$program" -max_total_time="$seconds" -max_len=$length -timeout=10 -rss_limit_mb=1024 \
    -print_final_stats=1 -artifact_prefix="$folder/$target-" "$folder/corpus/$target" "$seeds"
status=$?
[ $status -ne 0 ] || exit 0
newest=$(find "$folder" -maxdepth 1 -name "$target-*-*" -printf '%T@ %p\n' |
    sort -n | tail -n 1 | cut -d' ' -f2-)
echo "${newest:-$target stopped with status $status}"
exit 1
