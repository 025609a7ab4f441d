#!/bin/bash
# Watching: a save makes the page anew, and the page that is served knows it; what stops a build
# is told in short and shown over the page of before; Ctrl-C ends all of it.
. tests/lib.sh
if ! command -v inotifywait >/dev/null; then
    skip 'watching' 'no inotifywait'
    done_testing
fi
copy_tree book
cd book || exit 1
runs 'the programs run' make out/mini/report.json figures tangled/verify
small_book
put 'Nothing.'

# A make that takes its time while there is a file `hang`; a chapter that is kept elsewhere.
printf '#!/bin/sh\n[ ! -e hang ] || sleep 1000\nexec make -o tangled/roots.mk "$@"\n' >slow_make
chmod +x slow_make
mkdir kept
echo '# Kept {#sec:kept}' >kept/text.nw
ln -s ../kept/text.nw chapters/03-kept.nw

# As from a terminal: a process group of its own, which gets Ctrl-C as a whole.
setsid env --default-signal=INT make watch PORT=0 MAKE=./slow_make >"$work/said" 2>&1 &
leader=$!
living() { cat /proc/[0-9]*/stat 2>/dev/null |
    awk -v leader="$leader" '{ pid = $1; sub(/.*\) /, "") } $4 == leader { print pid }'; }
trap 'kill -KILL $(living) 2>/dev/null; cd /; rm -rf "$work"' EXIT

heard() { # REGEX [COUNT]: waits until the terminal has it in so many lines
    for _ in {1..1200}; do
        [ "$(grep -cE -e "$1" "$work/said")" -ge "${2-1}" ] && return
        sleep 0.1
    done
    return 1
}
told_by() { heard "$2" "${3-1}"; ok $? "$1" "no /$2/ in: $(cat "$work/said")"; }
get() { /usr/bin/python3 -c 'import sys, urllib.request as r
for line in r.urlopen(r.Request(sys.argv[1], headers=dict(a.split("=") for a in sys.argv[2:]))):
    print(line.decode(), end="", flush=True)' "$@" 2>&1; }
page() { get "$url/mini/book.html"; }
until_page() { for _ in {1..300}; do page | grep -q "$1" && break; sleep 0.1; done; }
shows() { page | grep -qE -e "$2"; ok $? "$1" "$(page | grep -o '<script>.*' | head -n 5)"; }

told_by 'it says where the page is' '^http://127\.0\.0\.1:[0-9]+/ '
url=$(grep -oE 'http://[0-9.:]+' "$work/said" | head -n 1)
told_by 'the page is built' 'the page is new' 1
shows 'it is served' '<h2.*Small'
shows 'with the script' 'new EventSource'
! grep -q 'EventSource' out/mini/book.html
ok $? 'which the file does not have'
is 'the address alone leads there' "$(get "$url/" | sha256sum)" "$(page | sha256sum)"
get "$url/mini/book.html" Host=evil.example | grep -q 'HTTP Error 403'
ok $? 'under another name it gives nothing'

answer() { # METHOD PATH HOST...: the status of an answer, without what urllib would mend
    /usr/bin/python3 -c 'import socket, sys
host, port = sys.argv[1].split("/")[2].split(":")
s = socket.create_connection((host, int(port)))
ask = f"{sys.argv[2]} {sys.argv[3]} HTTP/1.0\r\n" + "".join(f"Host: {h}\r\n" for h in sys.argv[4:])
s.sendall((ask + "\r\n").encode())
print(s.makefile("rb").readline().decode().split(" ")[1])' "$url" "$@" 2>&1
}
ln -s /etc/passwd out/mini/link
ln -s / out/mini/root
ln -s circle out/mini/circle
echo shown >'out/mini/a ß&.txt'
is 'a file' "$(answer GET '/mini/a%20%C3%9F%26.txt' 127.0.0.1)" 200
is 'is under that name alone' "$(answer HEAD '/mini/a%20%C3%9F%26.txt' evil.example)" 403
is 'and not under two' "$(answer GET / localhost evil.example)" 403
is 'or none' "$(answer GET /)" 403
for path in /../Makefile /%2e%2e/Makefile /..%2fMakefile /mini/link /mini/root/etc/passwd /mini/circle /%00; do
    is "$path is not there" "$(answer GET "$path" localhost)" 404
done
rm out/mini/{link,root,circle,a*.txt}
is 'nor on the terminal' "$(grep -c Traceback "$work/said")" 0

# ---- saving ---------------------------------------------------------------

get "$url/live" >"$work/live" &
listening=$!
put 'A sentence that is new.'
told_by 'a save makes the page anew' 'the page is new' 2
shows 'the page has it' 'A sentence that is new'
built=$(grep -c '^data: ' "$work/live")
put 'By rename.'
cp chapters/01-small.nw "$work/copy.nw"
put 'By rename, not in place.'
mv chapters/01-small.nw "$work/new.nw"
sleep 1
mv "$work/new.nw" chapters/01-small.nw
until_page 'not in place'
shows 'an editor that writes by rename' 'By rename, not in place'
sleep 1
[ "$(grep -c '^data: ' "$work/live")" -gt "$built" ]
ok $? 'the open page was told' "$(cat "$work/live")"
before=$(grep -c 'the page is new' "$work/said")
for n in {1..20}; do put "Burst $n."; done
until_page 'Burst 20'
sleep 2
shows 'of a burst of saves the last one counts' 'Burst 20'
[ $(($(grep -c 'the page is new' "$work/said") - before)) -le 3 ]
ok $? 'and they are few builds' "$(cat "$work/said")"
printf '# Another {#sec:another}\n\nA second chapter.\n' >chapters/02-another.nw
until_page 'A second chapter'
shows 'a new chapter' 'A second chapter'

printf '\nIn its own place.\n' >>kept/text.nw
until_page 'In its own place'
shows 'a chapter that is kept elsewhere' 'In its own place'
rm -rf out/mini/.watch # as `make clean` does
put 'After cleaning.'
until_page 'After cleaning'
shows 'the state of watching is made again' 'After cleaning'
fails 'a second one for the same page stops' timeout 30 make watch PORT=0
says 'and says why' '^make watch: another make watch is at work on out/mini'
put 'After the second.'
until_page 'After the second'
shows 'and the first one goes on' 'After the second'

touch hang
put 'This will not be built.'
sleep 1
rm hang
put 'This will.'
until_page 'This will\.'
shows 'a build without an end is ended for what was saved since' 'This will\.'
told_by 'which is told' 'ended, for what was saved since'
is 'nothing of it is left' "$(pgrep -f '^sleep 1000$' -s "$leader")" ''

# ---- mistakes -------------------------------------------------------------

file=$(contents out/mini/book.html)
put 'It is `1.toy.rr`{.v}.'
line=$(line_of chapters/01-small.nw 1.toy.rr)
told_by 'a mistake is told with its line' "^chapters/01-small.nw:$line: unknown key '1.toy.rr'"
told_by 'and that it stopped' '^The page is the one before\.$'
is 'the page of before stays' "$(contents out/mini/book.html)" "$file"
shows 'and says so' "\"problems\": \"chapters/01-small.nw:$line: unknown key"
sleep 1
grep -q "01-small.nw:$line: unknown key" "$work/live"
ok $? 'at once' "$(cat "$work/live")"
is 'of make nothing is told' "$(grep '^make' "$work/said")" ''
put $'It is\n$\\nosuch{x}$ and $\\frac{a$.'
line=$(line_of chapters/01-small.nw nosuch)
told_by 'a formula that cannot be read is told with its line and why' \
    "^chapters/01-small.nw:$line: pandoc cannot read the formula .nosuch{x}: unexpected control sequence .nosuch$"
told_by 'the next one with its own' \
    "^chapters/01-small.nw:$line: pandoc cannot read the formula .frac{a: unexpected "
is 'of how pandoc says it nothing is told' "$(grep -e WARNING -e expecting "$work/said")" ''
sleep 0.5
printf 'caf\xe9' >out/mini/.watch/problems
shows 'what is not UTF-8 does not stop the page' '"problems": "caf'
put 'It is right.'
until_page 'It is right'
shows 'put right, nothing is in the way' '"problems": ""'

# ---- numbers --------------------------------------------------------------

# As if the program had said something else: the report of the page is changed.
line=$(line_of chapters/01-small.nw '`1.toy.r`{.v}')
sed -i '/"key": "1.toy.r"/,/}/ s/"text": "0.820"/"text": "7.7777"/' out/mini/.shown.json
put 'Numbers.'
told_by 'what moved is told, and who cites it' \
    "^  1\.toy\.r: 7\.7777 -> 0\.820   chapters/01-small.nw:$line"
shows 'the page is told to mark it' '"changes": \[\{"key": "1.toy.r", "old": "7.7777", "new": "0.820"\}\]'
! grep -q '7\.7777' out/mini/book.html
ok $? 'the file says nothing of it'
put 'Nothing moved.'
until_page 'Nothing moved'
sleep 0.5
shows 'with the next build the mark goes' '"changes": \[\]'

# ---- what the compiler says ----------------------------------------------------

cat >m.h <<'C'
#define twice(x) twice_of(__func__, x)
#define most(x) twice(x)
int twice_of(const char *name, int x);
C
printf '#include "m.h"\nint f(int a);\nint f(int a) {\n    int b = a\n    most(b);\n    return b;\n}\n' >m.c
is 'a mistake before a macro is told where that is used' \
    "$(gcc -c -o m.o m.c 2>&1 | awk -f weave/watch/explain.awk | head -n 1)" \
    'm.c:5:5: error: expected ‘,’ or ‘;’ before ‘twice_of’'

# ---- the end --------------------------------------------------------------

[ "$(living | grep -c .)" -ge 4 ]
ok $? 'there was something to end'
kill -INT -- "-$leader"
for _ in {1..100}; do [ -n "$(living)" ] || break; sleep 0.1; done
is 'Ctrl-C ends all' "$(for n in $(living); do tr '\0' ' ' <"/proc/$n/cmdline"; done)" ''
is 'and leaves no file of its own' "$(find out -name .watch)" ''
kill "$listening" 2>/dev/null

mkdir "$work/bin"
ln -s /bin/bash /bin/git /usr/bin/env "$work/bin/"
fails 'without inotifywait it stops' env PATH="$work/bin" /usr/bin/make watch
says 'and says what to install' 'apt-get install inotify-tools'
fails 'an impossible port stops it' make watch PORT=99999
says 'and is named' 'port 99999'
done_testing
