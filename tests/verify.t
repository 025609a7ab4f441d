#!/bin/bash
# Verifying and blessing: what differs from the expected numbers fails, and they
# change only when a person says yes.
. tests/lib.sh
copy_tree book
cd book || exit 1
expected=models/toy/expected.tsv
cp $expected "$work/expected.tsv"
restore() { cp "$work/expected.tsv" $expected; }

# ---- verifying ------------------------------------------------------------

runs 'the numbers are those that were expected' make verify
prints 'with a line for each' '^1\.toy\.r .*ok$'
prints 'also for a claim' '^1\.even .*claim +ok$'
prints 'and a sum at the end' '^[0-9]+ numbers: [0-9]+ ok, 0 mismatches, 0 missing, 0 unexpected; [0-9]+ claims: [0-9]+ hold$'

differs() { # NAME SED REGEX: an edit of the expected numbers that must fail
    sed -i "$2" $expected
    fails "$1 fails" make verify
    prints "$1: the key and the verdict are told" "$3"
    says "$1: what to do is told" 'bless'
    grep -q '"verdict": "ok"' out/mini/report.json
    ok $? "$1: the report is there"
    restore
}
differs 'another value' 's/^1.toy.r\t[^\t]*/1.toy.r\t0.830/' '^1\.toy\.r .*mismatch$'
prints 'printed and expected are shown' '^ +printed +0\.820$'
prints 'one below the other' '^ +expected +0\.830$'
prints 'it is counted' ' 1 mismatches, 0 missing, 0 unexpected'
differs 'a key that no program printed' '$a 99.none\t1\texact\tnothing' '^99\.none .*missing$'
prints 'it is counted as missing' ' 0 mismatches, 1 missing, 0 unexpected'
differs 'a key that was not expected' '/^1.toy.r\t/d' '^1\.toy\.r .*unexpected$'
prints 'it is counted as unexpected' ' 0 mismatches, 0 missing, 1 unexpected'
differs 'another rule' 's/^1.toy.r\t\([^\t]*\)\tdigits/1.toy.r\t\1\texact/' '^1\.toy\.r .*rule differs$'
differs 'two units in the last place' 's/^1.toy.r\t[^\t]*/1.toy.r\t0.822/' '^1\.toy\.r .*mismatch$'
differs 'another number of digits' 's/^1.toy.r\t[^\t]*/1.toy.r\t0.82/' '^1\.toy\.r .*mismatch$'
differs 'an element of a list' 's/^1.toy.q\t[^\t]*/1.toy.q\t[1, 0, 2]/' '^1\.toy\.q .*mismatch$'
differs 'a list that is longer' 's/^1.toy.q\t[^\t]*/1.toy.q\t[1, 0, 1, 1]/' '^1\.toy\.q .*mismatch$'

sed -i 's/^1.toy.r\t[^\t]*/1.toy.r\t0.821/' $expected
runs 'one unit in the last place is a rounding' make verify
restore

wrong() { # NAME SED REGEX: a file of expected numbers that cannot be read
    sed -i "$2" $expected
    fails "$1 fails" make verify
    says "$1: the line is told" "^verify: $expected:$(grep -n . $expected | tail -n 1 | cut -d: -f1): .*($3)"
    restore
}
wrong 'a key that is there twice' '$a 1.toy.r\t0.820\tdigits\tagain' '1\.toy\.r'
wrong 'a line with two columns' '$a 99.none\t1' 'column|tab|field'
wrong 'a rule that is none' '$a 99.none\t1\tabout\tnothing' 'about'
rm $expected
fails 'without the file it fails' make verify
says 'and names it' "$expected"
restore
runs 'with it they are as expected again' make verify

verify() { tangled/verify "$@"; }
pair=out/mini/part2_toy.json=$expected
runs 'the program by itself' verify $pair
fails 'a result that is not there' verify out/mini/none.json=$expected
says 'what to do is told' 'out/mini/none\.json .*run the program'
head -c 500 out/mini/part2_toy.json >half.json
fails 'half a result' verify half.json=$expected
says 'is told with its line' '^verify: half\.json:[0-9]+: '
fails 'the same result twice' verify $pair $pair
says 'is told with a key' '1\.toy\.q'
fails 'a report that cannot be written' verify --report nowhere/r.json $pair
says 'is told' 'nowhere/r\.json'
fails 'an unknown option' verify --nonsense $pair
says 'is told' '--nonsense'
fails 'no result at all' verify
full() { "$@" >/dev/full; }
fails 'a table that cannot be printed' full tangled/verify $pair
says 'is told' '^verify: .*print'

# ---- what changed ---------------------------------------------------------

difference() { # NAME SED REGEX: an edit of the report before; what the difference says
    sed "$2" out/mini/report.json >before.json
    runs "$1" verify --diff before.json --cites cites.tsv --changes changes.json out/mini/report.json
    prints "$1: is told" "$3"
}
printf '%s\n' $'1.toy.r\tchapters/01.nw:3' $'1.toy.r\tchapters/05.nw:8' $'1.even\tchapters/01.nw:9' \
    'no tab' >cites.tsv
runs 'a report without another before it' verify --diff none.json out/mini/report.json
prints 'is told as such' '^no page with other numbers was made before$'
difference 'the same report' '' '^  nothing$'
is 'nothing is written down' "$(tr -d ' \n' <changes.json)" '[]'
difference 'another number' '/"key": "1.toy.r"/,/}/ s/"text": "0.820"/"text": "0.830"/' \
    '^  1\.toy\.r: 0\.830 -> 0\.820   chapters/01\.nw:3, chapters/05\.nw:8$'
is 'it is written down' "$(tr -d ' \n' <changes.json)" '[{"key":"1.toy.r","old":"0.830","new":"0.820"}]'
is 'and no other' "$(grep -c -e '->' <<<"$out")" 2
difference 'an element of a list' '/"key": "1.toy.q"/,/}/ s/"text": "\[1, 0/"text": "[1, 7/' \
    '^  1\.toy\.q\[2\]: 7 -> 0$'
difference 'a claim that has turned' '/"key": "1.even"/,/}/ s/"holds": true/"holds": false/' \
    '^  1\.even: false -> holds   chapters/01\.nw:9$'
difference 'a number that is new' 's/"key": "1.toy.r"/"key": "1.other"/' \
    '^  1\.toy\.r: new, 0\.820   chapters/01\.nw:3'
prints 'and one that is gone' '^  1\.other: removed, was 0\.820$'
head -c 300 out/mini/report.json >before.json
fails 'half a report before' verify --diff before.json out/mini/report.json
says 'is told with its line' '^verify: before\.json:[0-9]+: '
fails 'two reports' verify --diff before.json out/mini/report.json out/mini/report.json

# ---- blessing -------------------------------------------------------------

runs 'the meanings get the words of the programs' make bless YES=1
cp $expected "$work/expected.tsv"
before=$(dates models/*/expected.tsv)
runs 'where nothing differs there is nothing to bless' make bless
prints 'which is said' "$expected: nothing to bless"
runs 'nor with YES=1' make bless YES=1
is 'and nothing is written' "$(dates models/*/expected.tsv)" "$before"

answer() { printf "$1" | make bless; }
sed -i 's/^1.toy.r\t[^\t]*/1.toy.r\t0.830/; /^1.toy.h\t/d; $a 99.none\t1\texact\tnothing' $expected
cp $expected "$work/before.tsv"
for no in '' 'n\n' '\n' 'no\n' 'yesterday\n' 'x y\n'; do
    fails "the answer '$no' is no" answer "$no"
    same "and changes nothing" $expected "$work/before.tsv"
done
cited=$(line_of chapters/01-one-head.nw '1.toy.r`{.v}')
prints 'the question shows a change, and who cites it' \
    "^  1\.toy\.r: 0\.830 -> 0\.820   chapters/01-one-head.nw:$cited"
prints 'a row that goes' '99\.none: removed'
prints 'and a row that is new' '1\.toy\.h: new'
prints 'and asks' "Write 3 changes to $expected\? \[y/N\]"
runs 'the answer y is yes' answer 'y\n'
is 'it changes these three rows and no other' \
    "$(diff "$work/before.tsv" $expected | grep '^[<>]' | cut -f1,2 | tr '\t\n' '= ')" \
    '< 1.toy.r=0.830 > 1.toy.r=0.820 > 1.toy.h=[0.820, 1.640] < 99.none=1 '
is 'a new row stands behind the one reported before it' \
    "$(grep -A 1 '^1\.toy\.r' $expected | tail -n 1 | cut -f1)" 1.toy.h
is 'comments stay' "$(grep -c '^#' $expected)" "$(grep -c '^#' "$work/expected.tsv")"
runs 'then all is as expected' make verify

sed -i 's/^1.toy.r\t[^\t]*/1.toy.r\t0.830/' $expected
runs 'with YES=1 nobody is asked' make bless YES=1
omits 'no question' '\[y/N\]'
prints 'what changes is shown all the same' '1\.toy\.r: 0\.830 -> 0\.820'
runs 'and it is written' make verify

sed '/"key": "3.row_sum_error"/,/}/ s/"full": "[^"]*"/"full": "0.5"/' out/mini/part2.json >noisy.json
cp models/mini/expected.tsv "$work/mini.tsv"
fails 'noise above its bound is not blessed' \
    verify --bless --yes noisy.json=models/mini/expected.tsv
says 'which is said' '3\.row_sum_error.*noise<=.*0\.5'
same 'and changes nothing' models/mini/expected.tsv "$work/mini.tsv"

# A build never writes them, whatever the programs print.
sed -i 's/^1.toy.r\t[^\t]*/1.toy.r\t0.830/' $expected
before=$(dates models/*/*)
fails 'a build with a number that differs fails' make html
fails 'as does verifying' make verify
is 'and the model folders are untouched' "$(dates models/*/*)" "$before"

done_testing
