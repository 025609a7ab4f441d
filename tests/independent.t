#!/bin/sh
# The numbers of the shipped models, computed a second time in NumPy, and that program
# held against TransformerLens's own results.
echo 1..2
report() { # DESCRIPTION COMMAND...
    n=$((${n:-0} + 1)) what=$1
    shift
    if out=$("$@" 2>&1); then
        echo "ok $n - $what"
        printf '# %s\n' "$(printf '%s\n' "$out" | tail -n 1)"
    else
        echo "not ok $n - $what"
        printf '%s\n' "$out" | grep -v ' ok$' | sed 's/^/# /'
    fi
}
if ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    echo "ok 1 # SKIP no NumPy: apt-get install python3-numpy"
    echo "ok 2 # SKIP no NumPy"
    exit 0
fi
check="/usr/bin/python3 tests/independent/check.py"
report "NumPy agrees with TransformerLens's results" $check --golden tests/golden
report "NumPy agrees with every expected number of mini" $check --set models/mini --expected models/mini/expected.tsv
