#!/bin/bash
# The whole way of the set attn-only, from checkpoints to a verified page, with a
# synthetic pair in place of the published files. What cannot be tested without those
# is that the numbers are the published ones.
. tests/lib.sh

copy_tree book
cp -a "$root/models/attn-only" book/models/
cp -a "$root/tests" book/
cd book || exit 1
set=models/attn-only
/usr/bin/python3 -c 'import numpy' 2>/dev/null || {
    skip 'a synthetic pair' 'no NumPy: apt-get install python3-numpy'
    done_testing
    exit
}
runs 'a synthetic pair is made' /usr/bin/python3 tests/synthetic.py "$work/pair" 4000
for layers in 1l 2l; do
    mkdir -p $set/$layers
    cp "$work/pair/$layers"/* $set/$layers/
done
cp "$work/pair/tokenizer.json" $set/

fails 'other weights are not taken for the published ones' make -s verify MODEL=attn-only
prints 'their numbers are told apart' 'mismatch$'
omits 'and every published number is computed' 'missing$'
prints 'all 73 of them' '^[0-9]+ numbers: .* 0 missing'

rm $set/expected.tsv
runs 'with what they print as expected' make -s bless MODEL=attn-only YES=1
runs 'the numbers are verified' make -s verify MODEL=attn-only
runs 'and the page is woven' make -s html MODEL=attn-only
page=out/attn-only/book.html
run grep -o 'follows the prompt' "$page"
ok "$((status == 0))" "the other set's sentence is not there" "$(told)"
run grep -c 'Its last token stands earlier in it too' "$page"
ok "$status" 'the sentence of this set is' "$(told)"

done_testing
