#!/bin/bash
# What the page's explorer shows is what the book's ledger reports, and it stays small.
. tests/lib.sh
copy_tree book
cd book || exit 1
runs 'the page is woven' make -s html
runs 'the data agree with the ledger' /usr/bin/python3 - <<'PY'
import json
import math
import sys

data = json.load(open("out/mini/data/explorer.json"))
ledger = {e["key"]: e for e in json.load(open("out/mini/part2.json"))["entries"]}
model, words = data["models"][0], data["words"]
head, n = model["heads"][data["head"]], len(data["prompt"])
wrong = []

def say(what, a, b):
    if a != b:
        wrong.append(f"{what}: {a!r}, the ledger has {b!r}")

def near(what, a, key, item=None, within=0.005):
    full = json.loads(ledger[key]["full"])
    b = full if item is None else full[item]
    if abs(a - b) > within * max(1, abs(b)):
        wrong.append(f"{what}: {a}, the ledger has {b} for {key}")

def text(token):  # as the explorer has it, of a token as the ledger has it
    return token.replace("\n", "\\n")

say("the head", data["head"], ledger["1.head"]["text"])
say("the prompt", [words[i] for i in data["prompt"]], [text(t) for t in ledger["3.tokens"]["items"]])
say("the prediction", words[model["predicted"]], ledger["3.prediction"]["text"])
say("heads", len(model["heads"]), len(json.loads(ledger["7.copy_share"]["full"])))

row = head["weights"][-n:]
top = sorted(range(n), key=lambda j: -row[j])[:3]
say("the largest weights", [words[data["prompt"][j]] for j in top], ledger["3.last_row.top"]["items"])
for k, j in enumerate(top):
    near("a weight", row[j], "3.last_row.top.weights", k)
for m in data["models"]:
    for name, h in m["heads"].items():
        for i in range(n):
            at = slice(i * (i + 1) // 2, (i + 1) * (i + 2) // 2)
            weights, scores = h["weights"][at], h["scores"][at]
            e = [math.exp(s - max(scores)) for s in scores]
            if abs(sum(weights) - 1) > 0.005 or any(
                    abs(w - x / sum(e)) > 0.006 + 0.006 * max(map(abs, scores)) for w, x in zip(weights, e)):
                wrong.append(f"row {i} of {m['label']} {name} is not the softmax of its scores")

columns = rows = 0
for k, choice in enumerate(data["choices"]):
    for table, key, most in ("ov", f"7.ov.'{words[choice]}'", 6), ("qk", f"7.qk.'{words[choice]}'", 8):
        if key in ledger:
            say(key, [words[i] for i in head[table][k][0]][:most], [text(t) for t in ledger[key]["items"]])
            columns, rows = columns + (table == "ov"), rows + (table == "qk")
    range_key = f"7.qk.'{words[choice]}'.range"
    if range_key in ledger:
        near("a QK score", head["qk"][k][1][0], range_key, 0)
        near("a QK score", head["qk"][k][1][7], range_key, 1)
    if words[choice] == ledger["3.moved"]["text"]:
        at = head["ov"][k][0].index(model["predicted"])
        near("an OV entry", head["ov"][k][1][at], "7.explain.column")
say("tables compared", (columns, rows), (8, 5))

for part in "token", "position", "bias":
    near(part, sum(head[part]), f"7.split.{part}")
print(f"{columns} columns, {rows} rows, {len(words)} words")
sys.exit("\n".join(wrong) if wrong else 0)
PY

size() { stat -c %s "$@" | awk '{ n += $1 } END { print n }'; }
ok $(($(size out/mini/data/explorer.json) > 150000)) 'the data are 150 kB at most' \
    "$(size out/mini/data/explorer.json)"
ok $(($(size weave/page/explorer*.js) >= 30000)) 'the scripts of the explorer are under 30 kB'
ok $(($(size weave/page/search*.js) >= 10000)) 'the script of the search is under 10 kB' \
    "$(size weave/page/search*.js)"

# The page has the file as it is, once, and nothing in it ends the script element.
embedded=$(sed -n 's/.*<script type="application\/json" id="explorer-data">//; T; p; q' out/mini/book.html)
is 'the page has them once' "$(grep -c 'id="explorer-data"' out/mini/book.html)" 1
is 'as they were written' "$(sed 's/<\/script>.*//; s/\\u003c/</g' <<<"$embedded")" \
    "$(<out/mini/data/explorer.json)"
runs 'a run again' tangled/circuits_part2 --data "$work"
same 'writes the same bytes' "$work/explorer.json" out/mini/data/explorer.json

rm out/mini/data/explorer.json
runs 'who deletes the data' make -s out/mini/book.html
same 'gets them back' "$work/explorer.json" out/mini/data/explorer.json

# Any model: no tokenizer, a head of its own, too large for the page.
/usr/bin/python3 -c 'import numpy' 2>/dev/null || {
    skip 'any model' 'no NumPy: apt-get install python3-numpy'
    done_testing
}
explore() { tangled/circuits_part2 --data "$work" "$@" >/dev/null && /usr/bin/python3 - "$work/explorer.json" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
h = d["models"][0]["heads"]
print(len(d["models"]), len(h), *sorted(h[d["head"]]), d["words"][d["prompt"][0]])
PY
}
make_model() { rm -rf m && /usr/bin/python3 "$root/tests/make_model.py" m "$@"; }
make_model n_layers=2
runs 'two layers without a tokenizer' explore --model m --tokens 5,2,5 --head 1.0
prints 'have the part of earlier heads' ' bias earlier lengths ov position qk scores token weights #5$'
runs 'raw weights' explore --model m --tokens 5,2,5 --raw
prints 'are not split' '^1 [0-9]+ lengths ov qk scores weights #5$'
make_model shortformer=1
runs 'a shortformer' explore --model m --tokens 5,2
prints 'is not split' '^1 [0-9]+ lengths ov qk scores weights #5$'
make_model d_vocab=1
runs 'a vocabulary of one' explore --model m --tokens 0
mkdir -p "$work/x/explorer.json"
fails 'a folder in its place' tangled/circuits_part2 --data "$work/x"
says 'is told' 'x/explorer\.json: '
is 'and nothing is left half written' "$(ls "$work/x" | grep -v '\.dat$')" explorer.json
runs 'a long prompt' explore --prompt "$(printf 'the whale %.0s' {1..50})"
prints 'leaves the second model out' '^1 8 '

done_testing
