#!/bin/bash
# train.sh SET FOLDER: makes the two models of a model set, from packages to weights:
#
#   corpus/fetch.sh       packages of Debian and npm    -> FOLDER/cache
#   corpus/make_corpus.py text and its manifest         -> FOLDER/corpus.txt, manifest.tsv
#   train_tokenizer       tokens                        -> FOLDER/tokenizer.json
#   encode_corpus         token numbers                 -> FOLDER/train.bin, valid.bin
#   train                 weights and loss curve        -> FOLDER/1l, FOLDER/2l
#   evaluate              losses, heads, prompts        -> FOLDER/*/evaluation.tsv
#
# and puts what the set needs of it into SET. What is there already is not made again; a
# run of training that was cut goes on with the same bits. The programs are taken from
# the folder BIN, once: a make may rebuild them in the hours that this takes. Variables (README.md):
# TOKENS_1L, TOKENS_2L, SETTINGS, VOCABULARY, WORDS, SOURCES, CACHE, PROMPTS, BIN.
set -euo pipefail
[ $# -eq 2 ] || { echo 'usage: train.sh SET FOLDER' >&2; exit 1; }
set_folder=$1 folder=$2
here=$(dirname "$0")
bin=${BIN:-tangled}
[ -f "$set_folder/set.json" ] || {
    echo "train.sh: $set_folder/set.json: there is no such file; a set begins with its description" >&2
    exit 1
}
mkdir -p "$folder"
exec 9<"$folder"
flock -n 9 2>/dev/null || [ $? -ne 1 ] || { # 1: it is locked; else there are no locks here
    echo "train.sh: $folder: another run is at work in this folder; let it finish, or give another TRAIN_DIR" >&2
    exit 1
}
rm -f "$folder"/*.tmp.* "$folder"/?l/*.tmp.* # of programs that were killed
mkdir -p "$folder/bin"
cp --remove-destination "$bin"/{train_tokenizer,encode_corpus,train,evaluate} "$folder/bin"
bin=$folder/bin

# OpenBLAS may take a processor that is younger than itself for the oldest one
# ("Prescott"), and is then several times slower than need be. If it does, and the
# variable is not set, a related kernel is chosen here.
if [ -z "${OPENBLAS_CORETYPE-}" ] &&
    OPENBLAS_VERBOSE=2 "$bin/train" --help 2>&1 | grep -c '^Core: Prescott' >/dev/null; then
    if grep -qw avx512vl /proc/cpuinfo; then
        export OPENBLAS_CORETYPE=SkylakeX
    elif grep -qw avx2 /proc/cpuinfo; then
        export OPENBLAS_CORETYPE=Haswell
    fi
fi

# ---- text and tokens ---------------------------------------------------------

sources=${SOURCES:-$here/corpus/sources.tsv} cache=${CACHE:-$folder/cache}
if [ ! -f "$folder/corpus.txt" ]; then
    "$here/corpus/fetch.sh" "$cache" "$sources"
    echo "corpus  $folder/corpus.txt"
    python3 "$here/corpus/make_corpus.py" "$cache" "$folder" --list "$sources"
fi
if [ ! -f "$folder/tokenizer.json" ]; then
    echo "tokens  $folder/tokenizer.json"
    mapfile -t words <"${WORDS:-$here/corpus/words.txt}"
    "$bin/train_tokenizer" "$folder/corpus.txt" "${VOCABULARY:-10240}" \
        "$folder/tokenizer.json" "${words[@]}"
fi
if [ ! -f "$folder/train.bin" ] || [ ! -f "$folder/valid.bin" ]; then
    echo "encode  $folder/train.bin, $folder/valid.bin"
    "$bin/encode_corpus" "$folder/corpus.txt" "$folder/tokenizer.json" "$folder"
fi
text=(--train "$folder/train.bin" --valid "$folder/valid.bin"
    --tokenizer "$folder/tokenizer.json")

# ---- weights -----------------------------------------------------------------

# A signal stops the training after the step that it is at; train saves before it ends.
child='' stopped=''
trap 'stopped=yes; [ -z "$child" ] || kill -TERM "$child" 2>/dev/null || true' INT TERM

# trained MODEL TOKENS: whether the model has seen so many.
trained() {
    [ -f "$folder/$1/curve.tsv" ] &&
        awk -v wanted="$2" 'END { exit !($2 >= wanted + 0) }' "$folder/$1/curve.tsv"
}

# learn MODEL LAYERS TOKENS
learn() {
    read -ra settings <<<"${SETTINGS:---rate 0.0025 --sampled 0.85}"
    echo "train   $folder/$1"
    "$bin/train" "${text[@]}" --out "$folder/$1" --layers "$2" --tokens "$3" \
        --threads "$(nproc)" "${settings[@]}" &
    child=$!
    until wait "$child"; do
        kill -0 "$child" 2>/dev/null || exit 1 # it said why
    done
    child=''
    [ -z "$stopped" ] && trained "$1" "$3" || {
        echo "train.sh: stopped; the same command goes on from there" >&2
        exit 1
    }
}

mapfile -t prompts <<<"${PROMPTS-I like green tea, so I drink green}"
asked=()
for prompt in "${prompts[@]}"; do [ -z "$prompt" ] || asked+=(--prompt "$prompt"); done
tokens=("${TOKENS_1L:-20e6}" "${TOKENS_2L:-14e6}")
for layers in 1 2; do
    model=${layers}l
    trained $model "${tokens[layers - 1]}" || learn $model $layers "${tokens[layers - 1]}"
    weights=$folder/$model/model/model.safetensors results=$folder/$model/evaluation.tsv
    if [ ! "$results" -nt "$weights" ]; then
        echo "evaluate $folder/$model"
        "$bin/evaluate" --set "$set_folder" --model "$folder/$model/model" "${text[@]}" \
            --tsv "$results" "${asked[@]}"
    fi
done

# ---- into the set ------------------------------------------------------------

# put FILE FOLDER: under its own name, whole or not at all.
put() {
    cmp -s "$1" "$2/${1##*/}" || {
        cp "$1" "$2/${1##*/}.new"
        mv "$2/${1##*/}.new" "$2/${1##*/}"
        echo "put     $2/${1##*/}"
    }
}
put "$folder/tokenizer.json" "$set_folder"
[ ! -f "$folder/manifest.tsv" ] || put "$folder/manifest.tsv" "$set_folder"
for model in 1l 2l; do
    mkdir -p "$set_folder/$model"
    for file in model/model.safetensors model/config.json evaluation.tsv curve.tsv; do
        put "$folder/$model/$file" "$set_folder/$model"
    done
done
