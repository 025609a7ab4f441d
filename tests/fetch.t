#!/bin/bash
# Fetching a model set, from a hub on the loopback interface that behaves as a hub
# does, or as badly as one can. Nothing here asks any other server.
. tests/lib.sh
program=$root/${FETCH:-tangled/fetch}
unset HF_ENDPOINT HF_TOKEN HUGGING_FACE_HUB_TOKEN HF_TOKEN_PATH HF_HOME HF_HUB_CACHE \
    HUGGINGFACE_HUB_CACHE HF_HUB_OFFLINE TRANSFORMERS_OFFLINE XDG_CACHE_HOME \
    HF_HUB_DISABLE_IMPLICIT_TOKEN HF_HUB_DOWNLOAD_TIMEOUT SSL_CERT_FILE \
    REQUESTS_CA_BUNDLE CURL_CA_BUNDLE REQUEST_METHOD \
    http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
export HOME=$work/home
mkdir home repos
repo=repos/Tiny/One words=repos/Tiny/Words
mkdir -p $repo/checkpoints $words

# start_hub FOLDER [CERTIFICATE]: a hub that lives as long as this script.
start_hub() {
    mkfifo "$work/ports"
    exec {life}> >(exec /usr/bin/python3 "$root/tests/hub_server.py" "$@" >"$work/ports")
    read -r -t 20 hub store <"$work/ports"
    rm "$work/ports"
}
start_hub repos
[ -n "${store-}" ] || { echo 'Bail out! the hub does not start'; exit 1; }
export HF_ENDPOINT=http://127.0.0.1:$hub

publish() { # what the hub has
    cp "$root/tests/golden/tiny-1l.pth" $repo/model_final.pth
    cp "$root/tests/golden/tiny-2l.pth" $repo/other_final.pth
    cp "$root/tests/golden/tiny-1l.config.json" $repo/config.json
    echo '{"model": "words"}' >$words/tokenizer.json
    touch $repo/README.md $repo/checkpoints/step.pth
}
publish
size=$(stat -c %s $repo/model_final.pth)
sha=$(sha256sum <$repo/model_final.pth | cut -d' ' -f1)
commit=$(printf Tiny/One | sha1sum | cut -d' ' -f1)

describe() { # FETCH-LIST: the set's description
    printf '{"name": "tiny", "fetch": %s}\n' "$1" >set/set.json
}
fresh() { # an empty set, and a hub that behaves
    rm -rf set repos/behave repos/log
    mkdir set
    touch repos/log
    describe '[
      {"repository": "Tiny/One", "folder": "1l", "files": ["config.json", "*final.pth"]},
      {"repository": "Tiny/Words", "files": ["tokenizer.json"]}]'
}
again() { rm -rf set/1l set/tokenizer.json; : >repos/log; } # the lock stays
serial=0
behave() { # RULES: how the hub behaves from now on
    serial=$((serial + 1))
    printf '%s%*s\n' "$1" $serial '' >repos/behave
}
fetch() { "$program" --wait 0 "$@"; }
left() { (cd set && find . -type f ! -name set.json | sort | tr '\n' ' '); }
log() { cat repos/log; }
asked() { grep -c "^$1" repos/log; }
whole() { # NAME: all files are there, with the right bytes
    is "$1" "$(left)" './1l/config.json ./1l/final.pth ./lock.json ./tokenizer.json '
    same "$1: the weights are right" set/1l/final.pth $repo/model_final.pth
}

# ---- a fetch ----------------------------------------------------------------

fresh
runs 'a set is fetched' fetch set
whole 'all of it'
same 'the sizes are right' set/1l/config.json $repo/config.json
same 'and the tokenizer' set/tokenizer.json $words/tokenizer.json
prints 'each file is told, with its hash' "^1l/final\.pth: fetched, $size bytes, SHA-256 $sha$"
is 'three lines' "$(wc -l <<<"$out")" 3
is 'and quiet where messages do not go to a terminal' "$err" ''
is 'the first name that ends so is taken, from the store' "$(grep -v head repos/log | cut -d' ' -f1,2)" \
    "api /api/models/Tiny/One/revision/main
get /Tiny/One/resolve/$commit/config.json
get /Tiny/One/resolve/$commit/model_final.pth
store /store/Tiny/One/resolve/$commit/model_final.pth
api /api/models/Tiny/Words/revision/main
get /Tiny/Words/resolve/$(printf Tiny/Words | sha1sum | cut -d' ' -f1)/tokenizer.json"
lock=$(cat set/lock.json)
has "$lock" "\"commit\": \"$commit\"" && has "$lock" '"path": "model_final.pth"' &&
    has "$lock" "\"size\": $size" && has "$lock" "\"sha256\": \"$sha\""
ok $? 'commit, path, size and hash are locked' "$lock"

: >repos/log
runs 'a second fetch' fetch set
is 'asks for nothing' "$(log)" ''
prints 'since all is there' '^1l/final\.pth: is there, '
again
runs 'elsewhere, with the lock' fetch set
whole 'all is fetched'
is 'at the commit that is locked, without asking where main is' "$(asked api)" 0
is 'and the lock stays as it is' "$(cat set/lock.json)" "$lock"

terminal() { # what the program shows on a terminal
    /usr/bin/python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$program" set
}
again
runs 'on a terminal' terminal
prints 'progress is shown' '1l/final\.pth: [0-9.]+ of 0\.1 MB, [0-9]+ % '

# ---- the lock ---------------------------------------------------------------

refused() { # NAME REGEX: what the server has is not what is locked
    fails "$1 is refused" fetch set
    says "$1: why" "$2"
    is "$1: one line" "$(wc -l <<<"$err")" 1
}
again
cp "$root/tests/golden/tiny-2l.pth" $repo/model_final.pth
refused 'another file under the same name' 'states 112471 bytes.*lock\.json says 55215'
is 'before it is fetched' "$(asked get)$(left)" '1./1l/config.json ./lock.json '
publish
again
sed -i 's/61/62/' $repo/config.json
refused 'a small file that changed' '1l/config\.json: its SHA-256 is .*lock\.json says .*removed'
is 'and nothing of it stays' "$(left)" './lock.json '
publish
runs 'the right one is taken' fetch set

echo >>set/1l/config.json
cp set/1l/config.json "$work/my config"
refused 'a file here that differs' 'set/1l/config\.json: its SHA-256 is .*remove it'
same 'and is not replaced' set/1l/config.json "$work/my config"
again
sed -i 's/"revision": "main"/"revision": "old"/' set/lock.json
refused 'a lock of another revision' 'locked at revision old.*main'
for edit in 's/"sha256": "./&x/' 's/"path": "model/"path": "..\/model/' 's/"size": 5/"size": -5/' \
    's/"commit": "./&-/' '$d'; do
    printf '%s\n' "$lock" | sed "$edit" >set/lock.json
    refused "a lock with $edit" 'set/lock\.json:'
done

fresh
mkdir set/1l
echo '{}' >set/1l/config.json
refused 'without a lock, a file here that the hub does not have' "its Git hash is .*$HF_ENDPOINT says"
cp $repo/config.json set/1l/
runs 'one that it has' fetch set
prints 'is kept' '^1l/config\.json: is there'
whole 'and the others are fetched'

# ---- what servers answer ----------------------------------------------------

answers() { # NAME RULES REGEX: the fetch ends with that message, and leaves nothing
    fresh
    behave "$2"
    fails "$1 ends the fetch" fetch "${@:4}" set
    says "$1: why" "^fetch: Tiny/One.*$3"
    is "$1: one line" "$(wc -l <<<"$err")" 1
    is "$1: no file looks fetched" "$(left | sed 's/[^ ]*\(part\|lock.json\|config.json\) //g')" ''
}
status() { printf '[{"on": "%s", "status": %d, "headers": {%s}}]' "$1" "$2" "${3-}"; }
answers '401' "$(status api 401 '"X-Error-Message": "Who are you?"')" '401 \(Who are you\?\).*set HF_TOKEN'
is '401: asked once' "$(asked api)" 1
HF_TOKEN=hf_secret answers '401 with a token' "$(status api 401)" '401: the token was refused'
! grep -q secret <<<"$out$err"
ok $? 'the token is not shown'
answers '403' "$(status head 403)" 'config\.json: .*403.*HF_TOKEN'
HF_TOKEN=hf_secret answers '403 with a token' "$(status api 403)" '403.*no access'
answers '403 of the store' "$(status store 403)" 'model_final\.pth: the store behind .*403.*again later'
answers '404' "$(status head 404 '"X-Error-Message": "Entry not found"')" '404 \(Entry not found\).*set\.json'
answers '418' "$(status api 418)" '418: no hub answers so; check HF_ENDPOINT'
answers '429' "$(status api 429)" '429: too many requests.*tried 4 times'
answers '429 for an hour' "$(status api 429 '"Retry-After": "3600"')" '429.*wait 3600 seconds'
is '429 for an hour: asked once' "$(asked api)" 1
answers '503' "$(status api 503)" '503.*trouble.*tried 4 times'
is '503: asked four times' "$(asked api)" 4
answers '500 of the store' "$(status store 500)" '500.*tried 2 times' --tries 2

fresh
behave '[{"on": "api", "status": 429, "times": 1, "headers": {"Retry-After": "1"}},
         {"on": "head", "status": 502, "times": 2}, {"on": "store", "status": 503, "times": 3}]'
before=$SECONDS
runs 'trouble that passes' fetch set
whole 'is survived'
[ $((SECONDS - before)) -ge 1 ]
ok $? 'after the time that the server asks for'

answers 'no JSON' '[{"on": "api", "text": "<html>log in</html>"}]' 'no list of files; is HF_ENDPOINT'
answers 'no commit' '[{"on": "api", "text": "{\"sha\": \"main\", \"siblings\": []}"}]' 'no list of files'
list() { printf '[{"on": "api", "text": "{\\"sha\\": \\"%s\\", \\"siblings\\": [{\\"rfilename\\": \\"config.json\\"}%s]}"}]' \
    $commit "${1:+, {\\\"rfilename\\\": \\\"$1\\\"\}}"; }
answers 'a repository without weights' "$(list)" 'has no file \*final\.pth'
for name in ../final.pth /etc/final.pth a//final.pth ./final.pth a/../final.pth 'a\\\\final.pth' 'a\\u001bfinal.pth'; do
    answers "the name $name" "$(list "$name")" 'is not a path that we follow'
done
answers 'no hash' '[{"on": "head", "state": {"ETag": null}}]' 'states no hash \(ETag is missing\)'
answers 'a hash of another kind' '[{"on": "head", "state": {"ETag": "\"abc\""}}]' 'hash \(ETag "abc"\)'
answers 'no size' '[{"on": "head", "times": 1, "state": {}}, {"on": "head", "state": {"X-Linked-Size": null}}]' \
    'states no size'
answers 'another commit' '[{"on": "head", "state": {"X-Repo-Commit": "0"}}]' "asked for commit $commit, the server has 0"
answers 'redirects without end' "$(status api 307 '"Location": "/api/models/Tiny/One/revision/main"')" 'more than 5 times'
fresh
describe '[{"repository": "Old/Name", "folder": "1l", "files": ["config.json"]}]'
behave '[{"on": "api", "times": 1, "status": 307, "headers": {"Location": "/api/models/Tiny/One/revision/main"}},
         {"on": "head", "times": 1, "status": 307, "headers": {"Location": "/Tiny/One/resolve/'$commit'/config.json"}},
         {"on": "get", "times": 1, "status": 307, "headers": {"Location": "/Tiny/One/resolve/'$commit'/config.json"}}]'
runs 'a repository that was renamed' fetch set
same 'is found under its new name' set/1l/config.json $repo/config.json

fresh
HF_ENDPOINT=http://127.0.0.1:1 fails 'no server' fetch --tries 2 set
says 'is told' '^fetch: Tiny/One: .*connect.*tried 2 times'
HF_HUB_DOWNLOAD_TIMEOUT=1 answers 'a server that is silent' '[{"on": "api", "silent": true}]' \
    '.*(slow|time).*tried 1 times' --tries 1

# ---- the bytes --------------------------------------------------------------

fresh
behave '[{"on": "store", "cut": 20000, "times": 1}]'
runs 'a connection that is cut once' fetch set
whole 'goes on where it ended'
is 'from that byte' "$(grep '^store' repos/log | cut -d' ' -f3 | tr '\n' ' ')" ' bytes=20000- '
fresh
behave '[{"on": "store", "cut": 9000}]'
fails 'one that is cut each time' fetch set
says 'is given up' 'model_final\.pth: .*(closed|remaining|missing).*tried 4 times'
is 'what came is kept under a name that says so' "$(left)" \
    './1l/config.json ./1l/final.pth.part ./lock.json '
cmp -s -n 36000 set/1l/final.pth.part $repo/model_final.pth
ok $? 'and is right as far as it goes' "$(stat -c %s set/1l/final.pth.part)"
rm repos/behave
: >repos/log
runs 'the next fetch' fetch set
whole 'needs the rest alone'
is 'from there' "$(grep '^store' repos/log | cut -d' ' -f3)" 'bytes=36000-'

part() { # makes a .part of the first N bytes
    fresh
    mkdir set/1l
    head -c "$1" $repo/model_final.pth >set/1l/final.pth.part
}
part 30000
behave '[{"on": "store", "whole": true}]'
runs 'a server that always sends all' fetch set
whole 'is fine too'
part $size
runs 'a part that is complete' fetch set
whole 'is only compared'
is 'and not fetched' "$(asked store)" 0
part 30000
cat $repo/other_final.pth >>set/1l/final.pth.part
runs 'a part that is too long' fetch set
whole 'is fetched anew'
part 0
head -c 30000 $repo/other_final.pth >set/1l/final.pth.part
fails 'a part of something else' fetch set
says 'is found out' "1l/final\.pth: its SHA-256 is .*, but $HF_ENDPOINT says $sha; what came was removed"
runs 'and gone the next time' fetch set
whole 'which fetches all'
part 30000
behave '[{"on": "store", "shift": 5}]'
fails 'other bytes than those asked for' fetch set
says 'are refused' 'from 30000 on and sent others \(bytes 30005-'
part 30000
cp set/1l/final.pth.part "$work/half"
rm set/1l/final.pth.part
ln -s "$work/half" set/1l/final.pth.part
fails 'a link in the place of a part' fetch set
says 'is not followed' '1l/final\.pth\.part: cannot write'
is 'nothing is written through it' "$(stat -c %s "$work/half")" 30000
part 30000
fails 'while another fetch writes' flock set/1l/final.pth.part "$program" --wait 0 set
says 'none begins' 'another fetch is writing it'
is 'and the part stays' "$(stat -c %s set/1l/final.pth.part)" 30000

fresh
behave '[{"on": "store", "flip": true}]'
fails 'a wrong byte' fetch set
says 'is found out, with both hashes' "1l/final\.pth: its SHA-256 is [0-9a-f]{64}, but $HF_ENDPOINT says $sha"
is 'and nothing of it stays' "$(left)" './1l/config.json ./lock.json '
fresh
behave '[{"on": "get", "flip": true}]'
fails 'a wrong byte in a small file' fetch set
says 'is found out too' "1l/config\.json: its Git hash is [0-9a-f]{40}, but $HF_ENDPOINT says"
is 'and nothing stays' "$(left)" ''
answers 'more bytes than stated' '[{"on": "store", "more": 10}]' "more than the $size bytes it stated"
answers 'fewer bytes than stated' '[{"on": "head", "times": 1, "state": {}},
    {"on": "head", "state": {"X-Linked-Size": "60000"}}]' "sent $size bytes of the 60000 that it states"
answers 'a part longer than the file' '[{"on": "head", "times": 1, "state": {}},
    {"on": "head", "state": {"X-Linked-Size": "60000"}}, {"on": "store", "status": 416}]' '416: .*remove the \.part'

# A disk that fills up: first as a limit on files, then, if we may, as a small disk.
limited() { (trap '' XFSZ; ulimit -f 40; fetch set); }
fresh
fails 'a file that cannot grow' limited
says 'is told' 'cannot write set/1l/final\.pth\.part: File too large; .*next fetch'
is 'and has no other name' "$(left)" './1l/config.json ./1l/final.pth.part ./lock.json '
runs 'with room it' fetch set
whole 'goes on'
small_disk() {
    unshare -r -m sh -c 'mount -t tmpfs -o size=40k none set && cat >set/set.json &&
        "$1" --wait 0 set; status=$?; find set -type f; exit $status' - "$program" <<<"$description"
}
fresh
description=$(cat set/set.json)
if unshare -r -m mount -t tmpfs none set 2>/dev/null; then
    fails 'a full disk' small_disk
    says 'is told before it fills up' 'final\.pth\.part: the disk is full: .*bytes are still to come'
    omits 'no file looks fetched' 'final\.pth$'
else
    skip 'a full disk' 'no small disk can be mounted here'
fi

# ---- who sees the token -----------------------------------------------------

shown() { grep '^[agh]' repos/log | grep -vc 'Bearer hf_secret$'; }
fresh
HF_TOKEN=hf_secret runs 'with a token' fetch set
is 'the hub is shown it' "$(shown)" 0
is 'the store, another port, is not' "$(grep '^store' repos/log | grep -c Bearer)" 0
is 'nor the lock' "$(grep -c secret set/lock.json)" 0
fresh
mkdir -p home/.cache/huggingface
printf ' hf_secret\r\n' >home/.cache/huggingface/token
runs 'with a token in the home folder' fetch set
is 'the hub is shown that' "$(shown)" 0
fresh
HF_HUB_DISABLE_IMPLICIT_TOKEN=1 runs 'unless it is told not to be' fetch set
is 'shown to nobody' "$(grep -c Bearer repos/log)" 0
fresh
HF_HOME=$work/elsewhere runs 'in another home it is not found' fetch set
is 'and shown to nobody' "$(grep -c Bearer repos/log)" 0
fresh
HF_TOKEN_PATH=home/.cache/huggingface/token HF_HOME=$work/elsewhere runs 'but a path to it is followed' fetch set
is 'as Python does' "$(shown)" 0
rm home/.cache/huggingface/token
fresh
HF_TOKEN=$'hf_sec\r\nX-Evil: 1' fails 'a token with a line in it' fetch set
says 'is refused' '^fetch: the token in HF_TOKEN has a character'
! grep -q sec <<<"$err"
ok $? 'and not shown'

# ---- the way there ----------------------------------------------------------

for variable in http_proxy HTTP_PROXY all_proxy; do
    fresh
    HF_ENDPOINT=http://hub.invalid runs "with $variable" \
        env $variable=http://127.0.0.1:$hub no_proxy=127.0.0.1 "$program" --tries 1 set
    is "$variable: all goes that way, the store apart" "$(grep -v '^store' repos/log | grep -vc via-proxy)" 0
done
fresh
HF_ENDPOINT=http://hub.invalid REQUEST_METHOD=GET fails 'HTTP_PROXY may come from a stranger in a web server' \
    env HTTP_PROXY=http://127.0.0.1:$hub "$program" --tries 1 set
fresh
http_proxy=http://127.0.0.1:1 fails 'a proxy that is not there' fetch --tries 1 set
http_proxy=http://127.0.0.1:1 no_proxy=127.0.0.1 runs 'is not needed for some' fetch set
fresh
HF_ENDPOINT=$HF_ENDPOINT/ runs 'a slash behind the endpoint' fetch set
HF_ENDPOINT=hub.example fails 'an endpoint without https' fetch set
says 'is told' 'HF_ENDPOINT is "hub\.example"'
HF_HUB_DOWNLOAD_TIMEOUT=soon fails 'a time that is none' fetch set
says 'is told' 'HF_HUB_DOWNLOAD_TIMEOUT is "soon"'

if openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=hub \
    -addext subjectAltName=IP:127.0.0.1 -keyout key -out certificate 2>/dev/null; then
    cat certificate key >both
    plain=$hub
    start_hub repos "$work/both"
    fresh
    HF_ENDPOINT=https://127.0.0.1:$hub fails 'a certificate that nobody knows' fetch set
    says 'ends the fetch at once' 'certificate'
    is 'and shows nothing to the server' "$(log)" ''
    HF_ENDPOINT=https://127.0.0.1:$hub SSL_CERT_FILE=certificate runs 'one that is trusted' fetch set
    whole 'will do'
    fresh
    behave "$(status store 302 "\"Location\": \"http://127.0.0.1:$plain/model_final.pth\"")"
    HF_ENDPOINT=https://127.0.0.1:$hub SSL_CERT_FILE=certificate fails 'from https to http' fetch set
    says 'nobody is sent' '[Pp]rotocol'
    hub=$plain
else
    skip 'https' 'openssl cannot make a certificate'
fi

# ---- without a fetch --------------------------------------------------------

# As Hugging Face's client leaves a repository in its cache.
cache() { # FOLDER
    rm -rf "$1"
    for name in One Words; do
        folder=$1/models--Tiny--$name
        at=$folder/snapshots/$(printf Tiny/$name | sha1sum | cut -d' ' -f1)
        mkdir -p "$folder/refs" "$folder/blobs" "$at"
        printf '%s' "${at##*/}" >"$folder/refs/main"
    done
    keep() { # FROM FOLDER NAME HASH
        cp "$1" "$2/blobs/$4"
        ln -s "../../blobs/$4" "$(echo "$2"/snapshots/*)/$3"
    }
    git_hash() { (printf 'blob %d\0' "$(stat -c %s "$1")"; cat "$1") | sha1sum | cut -d' ' -f1; }
    keep $repo/config.json "$1/models--Tiny--One" config.json "$(git_hash $repo/config.json)"
    keep $repo/model_final.pth "$1/models--Tiny--One" model_final.pth "$sha"
    keep $words/tokenizer.json "$1/models--Tiny--Words" tokenizer.json "$(git_hash $words/tokenizer.json)"
}
nowhere=http://127.0.0.1:1
fresh
cache home/.cache/huggingface/hub
HF_ENDPOINT=$nowhere runs 'what is in the cache needs no server' fetch set
whole 'all of it'
prints 'which is told' '^1l/final\.pth: taken from the cache'
is 'it does not take room twice' "$(stat -L -c %i set/1l/final.pth)" \
    "$(stat -L -c %i home/.cache/huggingface/hub/models--Tiny--One/blobs/$sha)"
[ "$(stat -L -c %h set/1l/config.json)" = 1 ]
ok $? 'a file that may be edited is a copy'
[ ! -L set/1l/final.pth ]
ok $? 'and does not go when the cache is cleaned'
is 'the lock is the same as after a fetch' "$(cat set/lock.json)" "$lock"
again
HF_HUB_OFFLINE=1 runs 'nor with a lock' fetch set
mv home/.cache/huggingface/hub moved
for variable in "HF_HUB_CACHE=$work/moved" HUGGINGFACE_HUB_CACHE=moved; do
    again
    HF_HUB_OFFLINE=YES runs "with $variable" env "$variable" "$program" set
done
mkdir moved/hub
mv moved/models* moved/hub/
again
HF_HUB_OFFLINE=1 HF_HOME=moved runs 'with HF_HOME' fetch set
mv moved home/huggingface
again
HF_HUB_OFFLINE=1 XDG_CACHE_HOME=$HOME runs 'with XDG_CACHE_HOME' fetch set
again
HF_HUB_OFFLINE=1 HF_HOME='~/huggingface' runs 'with a ~' fetch set
again
HF_HUB_OFFLINE=1 fails 'without the cache, offline' fetch set
says 'nothing can be done' '^fetch: 1l/config\.json: HF_HUB_OFFLINE is set, and .* the cache, .*/home/\.cache/huggingface/hub'
is 'and no server is asked' "$(log)" ''
export HF_HOME=$HOME/huggingface
printf x >>"$HF_HOME/hub/models--Tiny--One/blobs/$sha"
fresh
fails 'a cached file that was damaged' fetch set
says 'is found out' "its SHA-256 is .* its name in the cache says $sha; remove it from the cache"
is 'and not taken' "$(left)" './1l/config.json ./lock.json '
rm "$HF_HOME"/hub/models--Tiny--One/snapshots/*/model_final.pth
runs 'what is not in the cache' fetch set
whole 'is fetched'
prints 'alone' '^tokenizer\.json: taken from the cache'
unset HF_HOME

mkdir -p mine/One mine/Words
cp $repo/*.json $repo/model_final.pth mine/One/
cp $words/* mine/Words/
fresh
HF_ENDPOINT=$nowhere runs 'a folder with clones' fetch --from mine set
is 'all files' "$(left)" './1l/config.json ./1l/final.pth ./tokenizer.json '
prints 'without a lock they are not compared' 'taken from the folder, not compared'
runs 'a fetch compares them' fetch set
whole 'and locks them'
cp -r set placed
again
HF_ENDPOINT=$nowhere runs 'a folder like the set' fetch --from placed set
prints 'with a lock they are compared' '^1l/final\.pth: taken from the folder, [0-9]'
again
cp --remove-destination $repo/other_final.pth placed/1l/final.pth
fails 'a file that is another' fetch --from placed set
says 'is refused' 'placed/1l/final\.pth: its SHA-256 is .*lock\.json says'
cp $repo/other_final.pth mine/One/
again
fails 'two that fit' fetch --from mine set
says 'are refused' 'mine: neither 1l nor One in it has one file \*final\.pth'
is 'a folder that is given is enough' "$(log)" ''

# ---- descriptions and command lines -----------------------------------------

wrong() { # NAME FETCH-LIST REGEX
    fresh
    describe "$2"
    fails "$1" fetch set
    says "$1: why" "^fetch: set/set\.json.*$3"
    is "$1: no server is asked" "$(log)$(left)" ''
}
wrong 'a list that is none' '3' 'not a list'
wrong 'another kind of file' '[{"repository": "A/B", "files": ["run.sh"]}]' '"run\.sh" is not fetched'
wrong 'no files' '[{"repository": "A/B"}]' '"files"'
for name in '' .. ../B A/../B A/B/C A//B 'A/B?x' A--B/C; do
    wrong "the repository '$name'" "[{\"repository\": \"$name\", \"files\": [\"config.json\"]}]" 'OWNER/NAME'
done
for name in '' .. ../x /x x/y; do
    wrong "the folder '$name'" "[{\"repository\": \"A/B\", \"folder\": \"$name\", \"files\": [\"config.json\"]}]" '"folder"'
done
wrong 'a revision with dots' '[{"repository": "A/B", "revision": "../main", "files": ["config.json"]}]' '"revision"'
wrong 'half a description' '[' ':[0-9]+: not valid JSON'
fails 'no set there' fetch nothing
says 'is told' '^fetch: nothing/set\.json: cannot read'
runs 'a set that ships with the book' fetch "$root/models/mini"
prints 'has nothing to fetch' 'nothing to fetch'
fails 'no set named' fetch
says 'is told' 'name one folder'
for bad in --nonsense --tries=none --tries=0 --wait=-1; do
    fails "the option $bad" fetch "$bad" set
    says "$bad is told" "^fetch: $bad: "
done
runs 'help' fetch --help
prints 'is given' '--from FOLDER'

# ---- make -------------------------------------------------------------------

fresh
copy_tree book
mv set book/models/tiny
cd book || exit 1
runs 'make fetches a set' make fetch MODEL=tiny
prints 'which is told' '^1l/final\.pth: fetched'
rm -r models/tiny/1l models/tiny/tokenizer.json
rm "$work/mine/One/other_final.pth"
HF_ENDPOINT=$nowhere runs 'or takes it from a folder' make fetch MODEL=tiny MODEL_DIR="$work/mine"
prints 'compared with the lock' '^1l/final\.pth: taken from the folder, [0-9]'

# ---- the published models ----------------------------------------------------

# They are not here in general; their description and their numbers are.
published=$root/models/attn-only/expected.tsv
mkdir attn-only
cp "$root/models/attn-only/set.json" attn-only/
HF_HUB_OFFLINE=1 fails 'the published models, offline' "$program" attn-only
says 'are listed' '^fetch: 1l/config\.json: HF_HUB_OFFLINE'
fails 'without them the book' tangled/circuits_part2 --model attn-only
says 'tells what is missing' 'attn-only[:/]'
is 'each token of the tables has a number' \
    "$(grep -oE '"(ov|qk)_tokens": .*' attn-only/set.json | grep -oE '" [A-Za-z]+"' | tr -d '"' |
        while read -r token; do grep -cE "^7\.(ov|qk)\.' $token'	" "$published"; done | sort -u)" 1
runs 'the published numbers can be read' tangled/verify --published-only --set attn-only \
    --report report.json "none.json=$published"
prints 'and are not taken for ours' '^([0-9]+) numbers: 0 ok, .*, \1 published, not run; 0 claims'
is 'in the report too' "$(grep -c '"verdict": "published"' report.json)" "$(grep -vc '^#' "$published")"

# Our own numbers, as if they were published.
{ echo '# published elsewhere'; grep -v '^3\.d_vocab' models/mini/expected.tsv; } >elsewhere.tsv
cp elsewhere.tsv before.tsv
runs 'a number that nobody published' tangled/verify out/mini/part2.json=elsewhere.tsv
prints 'is unverified' '^3\.d_vocab .*unverified$'
prints 'and counted so' ' 0 unexpected, 1 unverified; '
fails 'and a blessing' tangled/verify --bless --yes out/mini/part2.json=elsewhere.tsv
says 'does not add it' '^verify: elsewhere\.tsv: these numbers were published'
same 'nor anything else' elsewhere.tsv before.tsv
sed -Ei 's/^(3\.n_tokens\t)[0-9]+/\1999/' elsewhere.tsv
fails 'one that differs' tangled/verify out/mini/part2.json=elsewhere.tsv
prints 'is a mismatch all the same' '^3\.n_tokens .*mismatch$'
cp before.tsv elsewhere.tsv
printf '99.none\t1\texact\t\n' >>elsewhere.tsv
fails 'one that we do not print' tangled/verify out/mini/part2.json=elsewhere.tsv
prints 'is missing' '^99\.none .*missing$'
sed -i '1d; $d' elsewhere.tsv
fails 'without the mark' tangled/verify out/mini/part2.json=elsewhere.tsv
prints 'a number more is unexpected' '^3\.d_vocab .*unexpected$'

done_testing
