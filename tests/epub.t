#!/bin/bash
# The EPUB: epubcheck finds nothing wrong with the book, and the same tree gives the same
# bytes.
. tests/lib.sh

checker=/usr/share/java/epubcheck.jar
valid() { # NAME FILE
    if [ ! -f $checker ]; then
        skip "$1" 'no epubcheck: apt-get install epubcheck'
    elif [ ! -f "$2" ]; then
        skip "$1" 'the EPUB was not built: make epub'
    else
        runs "$1" java -jar $checker --failonwarnings "$2"
        is "$1: nothing is told" "$err" ''
    fi
}
valid 'the book is valid' "$root/out/mini/book.epub"

copy_tree book
cd book || exit 1
runs 'the programs run' make out/mini/report.json figures
small_book
epub=out/mini/book.epub
rm -f $epub
put 'Nothing.

See [](#sec:early), [the chunk](#chunk:a use), `1.toy.r`{.v} and `1.even`{.claim} &amp; more.

<<small.c>>=
const char *s = "é ␣ 𝒲 <b>&amp; \\ & ";
@

::: {.report}
:::

::: {.chunks}
:::

::: {#refs}
:::'
line=$(line_of chapters/01-small.nw '(#sec:early)')
fails 'a link that goes nowhere stops it' make -o tangled/roots.mk epub
says 'with its line' "^chapters/01-small.nw:$line: .*#sec:early"
[ ! -e $epub ]
ok $? 'and there is none'
sed -i 's/(#sec:early)/(#sec:before)/' chapters/01-small.nw
runs 'a small one is made' make -o tangled/roots.mk epub
valid 'it is valid' $epub
is 'its type comes first, so that readers know it' \
    "$(unzip -Z1 $epub | head -n 1) $(unzip -p $epub mimetype)" 'mimetype application/epub+zip'
text=$(unzip -p $epub 'EPUB/text/*.xhtml')
has "$text" '<a href="ch[0-9]*.xhtml#sec:before"'
ok $? 'a link leads from one file into another' "$(grep -o '<a href[^>]*before[^>]*>' <<<"$text")"
has "$text" 'alt="It shows 0.820?'
ok $? 'a drawing has its text alternative'
has "$text" '>ok</td>'
ok $? 'the report is a table'

cp -a . ../other
cd ../other || exit 1
rm $epub
sleep 2.1 # dates in a ZIP file are in steps of two seconds
runs 'it is made elsewhere' env LC_ALL=C TZ=America/Caracas SOURCE_DATE_EPOCH=1800000000 \
    make -o tangled/roots.mk epub
same 'to the same bytes' $epub "../book/$epub"
identifier() { unzip -p $epub EPUB/content.opf | grep -o 'urn:uuid:[-0-9a-f]*<'; }
before=$(identifier)
echo 'More.' >>chapters/01-small.nw
runs 'it is made of something else' make -o tangled/roots.mk epub
[ "$(identifier)" != "$before" ]
ok $? 'and is another book'

done_testing
