#!/bin/bash
# The exercises of section 8, done: each change is made in a copy of the chapters, and
# the programs must print the answer that the book gives.
. tests/lib.sh

copy_tree book
cd book || exit 1

# exercise N CHAPTER FROM TO SECTION LINE...: FROM, which stands once, becomes TO;
# then the toy program must print each LINE in this section.
exercise() {
    local n=$1 chapter=chapters/$2 from=$3 to=$4 section=$5
    shift 5
    grep -q "^$n\. " chapters/08-run-it.nw || ok 1 "exercise $n is in the book"
    cp "$chapter" "$work/kept"
    /usr/bin/python3 - "$chapter" "$from" "$to" <<'PY' || ok 1 "exercise $n: the text to change is there"
import sys
path, old, new = sys.argv[1:]
text = open(path, encoding="utf-8").read()
if text.count(old) != 1:
    sys.exit(f"{path}: {old!r} stands {text.count(old)} times")
open(path, "w", encoding="utf-8").write(text.replace(old, new))
PY
    runs "exercise $n builds" make -s tangled/circuits_part2_toy
    runs "exercise $n runs" tangled/circuits_part2_toy --section "$section"
    for line; do prints "exercise $n: $line" "$line"; done
    cp "$work/kept" "$chapter"
}

exercise 1 01-one-head.nw 'W_Q[MODEL_DIM] = {1, 0}' 'W_Q[MODEL_DIM] = {2, 0}' 1 \
    'scores of token 3 \.* \[4, 2, 0\]' 'row 3 .*\[0\.867, 0\.117, 0\.016\]'
exercise 2 02-additive.nw 'r[JOINED] = {1, 2, 3, -1}' 'r[JOINED] = {1, 2, 0, 0}' 2 \
    'sum of the two heads \.* \[1, 2, 0\]' 'head 1 .*\[1, 2, 0\]' 'difference.* 0$'
exercise 3 03-moving.nw '{0.85, 0.10, 0.05}' '{0, 0, 1}' 3 \
    'token 3 receives \.* 0\.0' 'token 3 after the head \.* \[0\.0, 0\.0, 1\.0\]'
exercise 4 04-two-sides.nw 'A_at[] = {1, 0, 0.5, 0.5}' 'A_at[] = {1, 0, 0, 1}' 4 \
    '\(A x\) W\^T, row by row \.* \[2, 1, 4, 3\]'
exercise 5 05-qk.nw 'W_K_at[STREAM] = {0, 1}' 'W_K_at[STREAM] = {0, 2}' 5 \
    'W_QK, row by row \.* \[0, 2, 0, 0\]' 'score by W_QK \.* 12$'
exercise 6 06-new-form.nw 'W_V_at[STREAM] = {1, 1, 0}' 'W_V_at[STREAM] = {2, 0, 0}' 6 \
    'singular values.*\[2\.000, 0\.000, 0\.000\]' 'it reads \.* \[1\.000, 0\.000, 0\.000\]'
exercise 7 06-new-form.nw 'static const double M = 2;' 'static const double M = -1;' 6 \
    'values, M = 2 \.* \[-2, -1, -*0\]' 'the same, M = 2 \.* 1\.8$'
exercise 8 06-new-form.nw 'head_apply(A1, W1, x, &first, mem, e) ||
    head_apply(A2, W2, first, &second, mem, e) ||
    dmatrix_multiply(A2, A1, &AA, mem, e) ||
    dmatrix_multiply(W2, W1, &WW, mem, e)' 'head_apply(A2, W2, x, &first, mem, e) ||
    head_apply(A1, W1, first, &second, mem, e) ||
    dmatrix_multiply(A1, A2, &AA, mem, e) ||
    dmatrix_multiply(W1, W2, &WW, mem, e)' 6 \
    'A2 A1, row by row \.* \[1, 0, 0\.625, 0\.375\]' 'W2 W1, row by row \.* \[0, 2, 1, 1\]' \
    'virtual head| \.* 0$'

runs 'exercise 9 runs' tangled/circuits_part2 --section 3 --head 0.1
prints 'exercise 9: the claim is false' '\[FALSE\] the head raises the moved token above all others'
fails 'exercise 10 is refused' tangled/circuits_part2 --section 7 --token whales
says 'exercise 10: the pieces' '"whales" is not one token; it splits into "wh", "ales"'

done_testing
