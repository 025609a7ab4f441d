#!/bin/bash
# The book's program on models of all sizes and kinds: every section prints its
# numbers or says why there are none, and none of them is nonsense.
. tests/lib.sh
copy_tree book
cd book || exit 1
if ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    skip 'models of all kinds' 'no NumPy: apt-get install python3-numpy'
    done_testing
fi
runs 'the program is built' make tangled/circuits_part2
real=tangled/circuits_part2

# try NAME IDS KEY=VALUE...: a random model, its weights processed and raw.
try() {
    local name=$1 ids=$2 raw
    shift 2
    rm -rf m
    /usr/bin/python3 "$root/tests/make_model.py" m "$@"
    for raw in '' --raw; do
        runs "$name $raw" $real --model m --tokens "$ids" $raw --steps --json r.json
        is "$name $raw: all sections are there" "$(grep -c '^[1-7]  ' <<<"$out")" 7
        is "$name $raw: no number but a true one" "$(grep -ciE '\b(nan|inf)\b' <<<"$out$err")" 0
        # Rounding noise, on weights that are larger than those of a trained model.
        is "$name $raw: what should agree does" "$(/usr/bin/python3 - <<'PY'
import json
ledger = json.load(open("r.json"))
for entry in ledger["entries"]:
    if entry.get("rule", "").startswith("noise") and "trace" not in entry["key"]:
        if abs(float(entry["full"])) > float(entry["rule"][7:]):
            print(entry["key"], entry["text"])
    if entry["key"] in ("5.last_row.exp", "7.split.closes") and not entry["holds"]:
        print(entry["key"])
PY
        )" ''
    done
}
section() { # NAME N REGEX ARGUMENT...: what section N of the last model says
    runs "$1" $real --model m --section "$2" "${@:4}"
    prints "$1: so it says" "$3"
}

try 'one layer' 1,2,3
section 'a split of raw weights' 7 'the split by parts is for weights that are processed' --tokens 1,2 --raw
try 'three layers' 1,2,3,2 n_layers=3
section 'a head of the second layer' 7 'the split by parts is for heads of the first' --tokens 1,2 --head 1.0
try 'a single token' 5
section 'one weight' 5 'no two weights' --tokens 5
try 'as many tokens as fit' "$(seq -s, 0 15)"
try 'no layer norm' 1,2,3 norm=none n_layers=2
section 'its steps' 1 'center_writing_weights +left out: there is no layer norm' --tokens 1 --steps
try 'norms folded before' 1,2,3 norm=LNPre
section 'its steps, too' 1 'fold_ln +left out: no norm has weights' --tokens 1 --steps
try 'a shortformer' 1,2,3 shortformer=1 n_layers=2
section 'a split of a shortformer' 7 'the split by parts is for models that add' --tokens 1,2
for V in 1 2 5 7; do
    try "a vocabulary of $V" 0,0,0 d_vocab=$V
done
section 'seven tokens, not eight' 7 'largest, last, median' --tokens 0
for K in 1 2 3 11; do
    try "d_head $K, d_model 12" 1,2,3 d_head=$K
done
for K in 12 13 30; do
    try "d_head $K, d_model 12" 1,2,3 d_head=$K n_layers=2
done
section 'no low rank' 6 'd_head is 30 and d_model 12' --tokens 1
try 'd_model 1' 1,2,3 d_model=1 d_head=1
try 'd_model 2' 1,2,3 d_model=2 d_head=1
try 'one head' 1,2,3 n_heads=1 n_layers=2
try 'many heads' 1,2,3 n_heads=100 d_head=2
for name in W_E W_pos W_U attn.W_Q attn.W_V attn.W_O; do
    try "$name all zero" 1,2,3 n_layers=2 zero=$name
done
section 'heads that write nothing' 7 'head 0\.2: all eigenvalues are zero' --tokens 1
section 'and do not compose' 6 'no two heads compose' --tokens 1

done_testing
