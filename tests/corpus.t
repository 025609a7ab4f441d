#!/bin/bash
# The recipe of the corpus on packages made here, and the way from its text to token
# numbers on the book's own chapters.
. tests/lib.sh
copy_tree book
cp -a "$root/training" book/
cp -a "$root/tests/independent" "$work/"
cd book || exit 1

# ---- packages with little in them -------------------------------------------

cache=$work/cache
mkdir -p "$cache/deb" "$cache/npm" deb/DEBIAN deb/usr/share/tale npm/package/data
printf '%s\n' 'Package: tale' 'Version: 1.0-1' 'Architecture: all' \
    'Maintainer: none <none@example.org>' 'Description: a tale' >deb/DEBIAN/control
cat >deb/usr/share/tale/a.txt <<'TXT'
The whale swam north, and Ahab saw the whale. It was the white whale of which all
the sailors of the ship had told, and no sail-
cloth or har-
poon had ever held it. Ahab cried: the white whale, and a sailor took a harpoon.

Copyright (C) 2020 by nobody. All rights reserved.

+----+----+
| 12 | 13 |
+----+----+
TXT
for n in 1 2 3; do
    cat >deb/usr/share/tale/page$n.html <<HTML
<html><head><title>no</title></head><body>
<div class="nav">Next page of the manual</div>
<h2>Head $n</h2>
<p>A paragraph that is long enough to stand for itself, number $n of the manual, about
tea &amp; coffee and what there is to say of them; it goes on until there is enough of
it, and so it is kept as a whole.</p>
<p>This paragraph stands in each of the pages and so it is kept only once in the corpus,
where it was met first.</p></body></html>
HTML
done
dpkg-deb --build --root-owner-group deb "$cache/deb/tale_1.0-1_all.deb" >/dev/null
cat >npm/package/data/code.py <<'PY'
# Copyright 2020 nobody

def whale(name):
    """Return the name of the whale, which is white."""
    return "white " + name


def ship(name):
    """Return the ship that the captain of this name sails."""
    return {"Ahab": "Pequod"}.get(name, "another ship")
PY
tar -C npm -czf "$cache/npm/some-code-2.0.0.tgz" package
tr ' ' '\t' >list.tsv <<'TSV'
name kind packages version reader style files limit licence
tale deb tale 1.0-1 plain prose .*\.txt - none
pages deb tale any html prose .*\.html - none
code npm @some/code 2.0.0 code code .*\.py - none
TSV

runs 'a corpus is made' python3 training/corpus/make_corpus.py "$cache" one --list list.tsv
run python3 training/corpus/make_corpus.py "$cache" two --list list.tsv
same 'the same packages make the same bytes' one/corpus.txt two/corpus.txt
same 'and the same manifest' one/manifest.tsv two/manifest.tsv
run cat one/corpus.txt
prints 'lines are joined, a hyphen goes where the word stands without' 'sail-cloth or harpoon had'
omits 'a notice is left out' 'Copyright|rights'
omits 'a table is left out' '---|12'
omits 'a menu is left out' 'Next page'
prints 'code keeps its indentation' '^    return "white "'
is 'a paragraph stands once' "$(grep -c 'only once' one/corpus.txt)" 1
is 'five documents' "$(tr -dc '\036' <one/corpus.txt | wc -c)" 5
run tail -n 1 one/manifest.tsv
prints 'the manifest sums up' "^all.*$(wc -c <one/corpus.txt).*$(sha256sum one/corpus.txt | cut -c1-64)"
fails 'a package that is not there' python3 training/corpus/make_corpus.py "$work" three --list list.tsv
says 'is named' 'package tale.*fetch.sh'

# ---- from text to tokens ----------------------------------------------------

runs 'the programs are built' make tangled/train_tokenizer tangled/encode_corpus
# Every paragraph of the chapters is a document.
awk 'FNR == 1 { printf "\036" } !NF { printf "\n\036"; next } { print }' chapters/0*.nw >corpus.txt
runs 'a tokenizer is trained' tangled/train_tokenizer corpus.txt 1000 tokenizer.json ' the' ' token'
prints 'it has as many tokens as asked for' '1000 tokens, 741 merges'
tangled/train_tokenizer corpus.txt 1000 again.json >/dev/null
same 'the same text makes the same tokenizer' tokenizer.json again.json
runs 'a rare word becomes a token' tangled/train_tokenizer corpus.txt 1000 words.json ' harpoon' ' token'
prints 'and others are given up for it' '1000 tokens, 741 merges, [1-9] of them'
fails 'two words are no token' tangled/train_tokenizer corpus.txt 1000 none.json ' a token'
says 'and named' '" a token" cannot be'

mkdir bin
runs 'the text is encoded' tangled/encode_corpus corpus.txt tokenizer.json bin
cat >decode.py <<'PY'
import array, sys
sys.path.insert(0, sys.argv[1])
import bpe
t = bpe.Tokenizer("tokenizer.json")
documents = open("corpus.txt", encoding="utf-8").read().split("\x1e")
for name, held_out in ("train", False), ("valid", True):
    ids = array.array("H", open(f"bin/{name}.bin", "rb").read()).tolist()
    expected = []
    for k, text in enumerate(documents):
        if (k % 100 == 99) == held_out:
            expected += [t.added["<|BOS|>"]] + t.encode(text)
    assert ids == expected, (name, len(ids), len(expected))
print("same")
PY
runs 'the tokens are those of the independent tokenizer' python3 decode.py "$work/independent"
for words in '' 'a b' 'a b c d e'; do
    fails "encode_corpus with the arguments '$words'" tangled/encode_corpus $words
    says 'says what is expected' 'CORPUS TOKENIZER FOLDER'
done
fails 'a number that is none' tangled/train_tokenizer corpus.txt 10x0 none.json
says 'is shown' '10x0'
fails 'too few tokens' tangled/train_tokenizer corpus.txt 258 none.json
says 'says how many it takes' '258: expected a number of tokens from 259 to 65536$'
fails 'a corpus that is not there' tangled/train_tokenizer none.txt 1000 none.json
says 'is named' 'none.txt'
printf 'ab\xff' >odd.txt
fails 'text that is no UTF-8' tangled/train_tokenizer odd.txt 1000 none.json
says 'is placed' 'odd.txt: document 0.*byte 2'
done_testing
