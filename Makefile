# The book: chapters are tangled into C, the programs run, and what they print is
# woven with the chapters into a page and a PDF. `make help` lists the targets.

MODEL = mini
CC = gcc
CFLAGS = -std=c17 -O3 -g -fopenmp -Wall -Wextra -Wpedantic -Wconversion -Wshadow
LDFLAGS = -Wl,--build-id=none
LDLIBS = -llapacke -lopenblas -ljansson -lzip -lpcre2-8 -lutf8proc -lm
OBJ = tangled

SET := models/$(MODEL)
OUT := out/$(MODEL)
FIG := figures/$(MODEL)
CHAPTERS := book.nw $(sort $(wildcard chapters/*.nw))
PROGRAMS := circuits_part2_toy circuits_part2 run_with_cache verify fetch \
  train_tokenizer encode_corpus train evaluate

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)

PACKAGES := noweb pandoc lua-dkjson gnuplot-nox scour zip unzip latexmk texlive-luatex \
  texlive-latex-recommended fonts-lmodern fonts-dejavu-core \
  libopenblas-dev liblapacke-dev libjansson-dev libzip-dev libpcre2-dev libutf8proc-dev \
  libcurl4-openssl-dev libssl-dev \
  inotify-tools libcmocka-dev python3-numpy perl

.PHONY: book deps toy real figures html pdf epub picture fetch train verify diff bless watch check clean distclean help

## book: builds the page, the PDF and the EPUB (the default).
book: html pdf epub tangled/circuits_part2

## deps: installs the Debian packages that the book and its tests need (as root).
deps:
	@test "$$(id -u)" = 0 || { echo "make deps installs packages and needs root: sudo make deps" >&2; exit 1; }
	apt-get update
	apt-get install --yes --no-install-recommends $(PACKAGES)

## toy: works the small examples and shows them.
toy: $(OUT)/part2_toy_stdout.txt
	@cat $<

## real: measures the statements on the model set and shows them.
real: $(OUT)/part2_stdout.txt
	@cat $<

## fetch: fetches the model files of MODEL from where they were published, or takes them from MODEL_DIR.
fetch: tangled/fetch
	@$< $${MODEL_DIR:+--from "$$MODEL_DIR"} $(SET)

## train: makes the models of MODEL anew, from packages to weights: about 2 hours (training/README.md).
TRAINERS := tangled/train_tokenizer tangled/encode_corpus tangled/train tangled/evaluate
TRAIN_DIR = training/$(MODEL)
train: $(TRAINERS)
	@training/train.sh $(SET) "$(TRAIN_DIR)"

## help: lists the targets.
help:
	@sed -n 's/^## //p' Makefile

# ---- chapters -> C -------------------------------------------------------

# roots.mk lists the files that the chapters tangle to. Making it tangles them;
# a file whose text did not change keeps its date.
NO_TANGLE := help deps watch clean distclean
ifneq ($(or $(filter-out $(NO_TANGLE),$(MAKECMDGOALS)),$(if $(MAKECMDGOALS),,book)),)
include tangled/roots.mk
endif

tangled/roots.mk: $(CHAPTERS) chapters weave/tangle.sh weave/chunks.awk
	@echo "tangle  chapters -> tangled/"
	@weave/tangle.sh tangled $(CHAPTERS)

TANGLED := $(addprefix tangled/,$(ROOTS))
$(TANGLED): tangled/roots.mk ;

# A file that somebody deleted is made again.
ifneq ($(filter-out $(wildcard tangled/*),$(TANGLED)),)
tangled/roots.mk: FORCE
endif
.PHONY: FORCE

# ---- C -> programs -------------------------------------------------------

SOURCES := $(filter %.c,$(ROOTS))
MAINS := $(PROGRAMS:%=%.c)
TOY := $(filter toy_%.c,$(SOURCES))
REAL := $(filter real_%.c,$(SOURCES))
FETCH := $(filter digest.c http.c hub.c lock.c,$(SOURCES))
LIBRARY := $(filter-out $(MAINS) $(TOY) $(REAL) $(FETCH),$(SOURCES))
TESTS := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))
objects = $(patsubst %.c,$(OBJ)/%.o,$(1))

# The loops of the training that are no products of matrices; nothing that prints a number of
# the book contains these two.
FAST := -march=native -ffast-math
$(OBJ)/layers.o $(OBJ)/optimizer.o: CFLAGS += $(FAST)

# $(OBJ)/flags holds how things are compiled; it is new when that changes.
FLAGS := $(CC) $(CFLAGS) $(LDLIBS) $(FAST)
ifneq ($(file <$(OBJ)/flags),$(FLAGS))
$(OBJ)/flags: FORCE
endif
$(OBJ)/flags: | $(OBJ)
	@echo '$(FLAGS)' >$@

$(OBJ)/%.o: tangled/%.c $(OBJ)/flags | $(OBJ)
	$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

$(OBJ)/test_%.o: tests/test_%.c $(OBJ)/flags | $(OBJ)
	$(CC) $(CFLAGS) -Itangled -MMD -MP -c -o $@ $<

$(OBJ)/libbook.a: $(call objects,$(LIBRARY))
	@rm -f $@
	ar rcsD $@ $^

$(OBJ)/circuits_part2_toy: $(call objects,$(TOY))
$(OBJ)/circuits_part2: $(call objects,$(REAL))
$(OBJ)/fetch: $(call objects,$(FETCH))
$(OBJ)/fetch: LDLIBS := -lcurl -lcrypto -ljansson
$(PROGRAMS:%=$(OBJ)/%) $(TESTS:%=$(OBJ)/%): $(OBJ)/%: $(OBJ)/%.o $(OBJ)/libbook.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(OBJ)/libbook.a $(if $(filter test_%,$*),-lcmocka) $(LDLIBS)

$(OBJ):
	@mkdir -p $@

-include $(wildcard $(OBJ)/*.d)

# ---- programs -> results -------------------------------------------------

# Where the weights of a set are not here, and will not be fetched now, but numbers were
# published for it, ABSENT is not empty: the real program does not run, and the book shows
# what was published (weave/absent.lua).
HERE := $(strip $(wildcard $(SET)/*/*.safetensors $(SET)/*/*.pth) $(MODEL_DIR) $(filter fetch,$(MAKECMDGOALS)))
ABSENT := $(if $(HERE),,$(shell grep -l '^\# published' $(SET)/expected.tsv 2>/dev/null))
WEIGHTS := $(if $(ABSENT),absent,here)

# $(OUT)/.weights holds WEIGHTS; it is new when that changes. What the real program left
# goes with the weights.
ifneq ($(file <$(OUT)/.weights),$(WEIGHTS))
$(OUT)/.weights: FORCE
endif
$(OUT)/.weights:
	@mkdir -p $(OUT)
	@$(if $(ABSENT),weave/forget.sh $(OUT) part2 $(FIG))
	@echo $(WEIGHTS) >$@

# A program runs again when what it computes could differ: its code (without line
# numbers), its arguments, the model's files, the libraries. The stamp says
# that this was looked at; a result whose bytes are the same keeps its date.
$(OUT)/.toy: tangled/circuits_part2_toy weave/rerun.sh
	@weave/rerun.sh $@ $(OUT) part2_toy $<

ifeq ($(ABSENT),)
$(OUT)/.real: tangled/circuits_part2 weave/rerun.sh $(wildcard $(SET)/*.json $(SET)/*/*)
	@weave/rerun.sh $@ $(OUT) part2 $< --model $(SET)
else
$(OUT)/.real: FORCE
	@echo "the weights of $(MODEL) are absent: make fetch MODEL=$(MODEL) gets them" >&2; exit 1
endif

# What is to be fetched is in its place before the run.
ifneq ($(MODEL_DIR)$(filter fetch,$(MAKECMDGOALS)),)
$(OUT)/.real: fetch
endif

# The curve was recorded when the models were trained; a set may have none.
CURVES := $(wildcard $(SET)/*/curve.tsv)
FIGURES := $(filter-out $(if $(CURVES),,curve),$(patsubst %.gp,%,$(filter %.gp,$(ROOTS))))
ifneq ($(ABSENT),)
# Those whose data the toy program writes.
FIGURES := $(filter $(patsubst /%.dat",%,$(shell grep -oh '/[^/"]*\.dat"' $(TOY:%=tangled/%))),$(FIGURES))
endif
TOY_RESULTS := $(addprefix $(OUT)/part2_toy,.json _stdout.txt)
REAL_RESULTS := $(addprefix $(OUT)/part2,.json _stdout.txt)
$(TOY_RESULTS): $(OUT)/.toy ;
$(REAL_RESULTS): $(OUT)/.real ;
EXPLORER := $(if $(ABSENT),,$(OUT)/data/explorer.json)
DATA := $(patsubst %,$(OUT)/data/%.dat,$(filter-out curve,$(FIGURES))) $(EXPLORER)
RESULTS := $(OUT)/part2_toy.json $(if $(ABSENT),,$(OUT)/part2.json)
$(DATA): $(OUT)/.toy $(if $(ABSENT),,$(OUT)/.real) ;

# A result that somebody deleted is made again.
ifneq ($(filter-out $(wildcard $(OUT)/* $(OUT)/data/*),$(TOY_RESULTS) $(if $(ABSENT),,$(REAL_RESULTS)) $(DATA)),)
$(OUT)/.toy $(OUT)/.real: FORCE
endif
.PHONY: FORCE

COMPARE := $(OUT)/part2_toy.json=models/toy/expected.tsv $(OUT)/part2.json=$(SET)/expected.tsv
REPORT := tangled/verify $(if $(ABSENT),--published-only --set $(MODEL)) --report $(OUT)/report.json

# The page shows a mismatch where it stands, so here it is no reason to stop.
$(OUT)/report.json: tangled/verify $(RESULTS) $(OUT)/.weights models/toy/expected.tsv $(SET)/expected.tsv
	@rm -f $@
	@$(REPORT) $(COMPARE) >/dev/null || test -s $@

## verify: prints every number with what was expected, and fails on a mismatch.
verify: tangled/verify $(RESULTS) $(OUT)/.weights
	@$(REPORT) $(COMPARE)

CITES := --cites $(OUT)/.cites.tsv

## diff: shows which numbers moved since the page before, who cites them, and what is not as expected.
diff: tangled/verify $(OUT)/report.json
	@before=$(OUT)/.shown.json; ! cmp -s $$before $(OUT)/report.json || before=$(OUT)/.before.json; \
	tangled/verify --diff $$before $(CITES) $(OUT)/report.json

## bless: shows what differs from the expected numbers and, if told so (YES=1), accepts it.
bless: tangled/verify $(RESULTS)
	@tangled/verify --bless $(if $(YES),--yes) $(CITES) --report $(OUT)/report.json $(if $(ABSENT),$(firstword $(COMPARE)),$(COMPARE))

# ---- results -> figures --------------------------------------------------

ifneq ($(if $(CURVES),$(shell weave/curves.sh $(SET) | cmp -s - $(OUT)/data/curve.dat || echo new)),)
$(OUT)/data/curve.dat: FORCE
endif
$(OUT)/data/curve.dat:
	@mkdir -p $(@D)
	@weave/curves.sh $(SET) >$@.new
	@mv $@.new $@

## figures: draws the plots and the drawings.
figures: $(foreach kind,svg pdf,$(FIGURES:%=$(FIG)/%.$(kind)))

.PRECIOUS: $(FIG)/%.svg $(FIG)/%.pdf
$(FIG)/%.svg $(FIG)/%.pdf &: tangled/%.gp $(OUT)/data/%.dat weave/figure.gp weave/draw.sh weave/svg.sed
	@mkdir -p $(FIG)
	@echo "draw    $*"
	@weave/draw.sh $< $(OUT)/data/$*.dat $(FIG)/$*

# ---- chapters, results, figures -> page and PDF --------------------------

WEAVER := $(wildcard weave/*.lua weave/*/*.lua)
WEAVE = pandoc --from markdown --lua-filter weave/filter.lua \
  --metadata bibliography=references.bib --metadata link-citations=true \
  --metadata set=$(MODEL) --metadata results=$(OUT) --metadata figures=$(FIG) \
  --metadata tokens=$< --metadata weaver='$(sort $(WEAVER))' \
  $(if $(ABSENT),--metadata absent=true) --metadata published='$(PUBLISHED)' \
  --standalone --toc --wrap=none --fail-if-warnings

# What was published for a set is shown beside the numbers of any other.
PUBLISHED := $(sort $(shell grep -l '^\# published' models/*/expected.tsv))

tangled/book.tokens: $(CHAPTERS) chapters weave/tokens.sh
	@weave/tokens.sh $(CHAPTERS) >$@.new
	@mv $@.new $@

WOVEN := tangled/book.tokens references.bib $(RESULTS) $(OUT)/report.json $(PUBLISHED) $(WEAVER) \
  $(wildcard $(SET)/*/evaluation.tsv)

# Scripts and style sheets of the page's parts, base.js first.
PAGE := $(sort $(wildcard weave/page/*))

## html: weaves the page, out/MODEL/book.html.
html: $(OUT)/book.html

$(OUT)/book.html: $(WOVEN) $(EXPLORER) $(FIGURES:%=$(FIG)/%.svg) weave/page.html weave/book.css weave/page $(PAGE)
	@echo "weave   $@"
	@mkdir -p $(OUT)/.woven
	@$(WEAVE) --metadata cache=$(OUT)/.woven --metadata cites=$(OUT)/.cites.tsv \
	  --to html5 --mathml --toc-depth=3 --template weave/page.html \
	  --metadata page='$(EXPLORER) $(PAGE)' -o $@.new /dev/null
	@weave/remember.sh $(OUT)
	@mv $@.new $@

## pdf: weaves and typesets the PDF, out/MODEL/book.pdf.
pdf: $(OUT)/book.pdf

$(OUT)/book.tex: $(WOVEN) $(FIGURES:%=$(FIG)/%.pdf) weave/page.tex
	@echo "weave   $@"
	@$(WEAVE) --to latex --top-level-division=chapter --toc-depth=2 --template weave/page.tex -o $@.new /dev/null
	@mv $@.new $@

$(OUT)/book.pdf: $(OUT)/book.tex weave/typeset.sh
	@echo "typeset $@"
	@weave/typeset.sh $< $@

## epub: weaves the EPUB, out/MODEL/book.epub.
epub: $(OUT)/book.epub

# Its identifier comes from what it is made of, and its one date is not ours to keep.
$(OUT)/book.epub: $(WOVEN) $(FIGURES:%=$(FIG)/%.svg) weave/epub.css weave/repack.sh
	@echo "weave   $@"
	@id=$$(cat $^ | sha1sum | sed -E 's/(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/\1-\2-5\3-8\4-\5/') && \
	  SOURCE_DATE_EPOCH=946684800 $(WEAVE) --to epub3 --mathml --toc-depth=2 --css weave/epub.css \
	  --metadata identifier=urn:uuid:$$id -o $@.new /dev/null
	@weave/repack.sh $@.new
	@mv $@.new $@

## picture: takes the README's pictures of the page, with Chromium and Node.
picture: $(OUT)/book.html
	@test -d tests/browser/node_modules || { echo "make picture needs what the browser tests need: npm ci --prefix tests/browser" >&2; exit 1; }
	@mkdir -p pictures
	node tests/browser/harness/picture.mjs $< sec:moving pictures

# ---- watching ----

PORT = 8000

## watch: builds the page after every save and serves it at PORT (8000); PDF=1 makes the PDF too.
watch:
	+@weave/watch/build.sh '$(MAKE)' '$(OUT)' '$(MODEL)' '$(PORT)' $(PDF)

# ---- tests ---------------------------------------------------------------

UNIT := $(TESTS:%=tangled/%)
SANITIZED := $(TESTS:%=tangled/san/%)
SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
export CMOCKA_MESSAGE_OUTPUT = TAP

## check: runs the tests of the library, of the numbers, of the build, and the library's under sanitizers.
check: book $(UNIT) tangled/fetch $(TRAINERS)
	$(MAKE) OBJ=tangled/san CFLAGS='$(CFLAGS) $(SANITIZE)' sanitized
	prove --comments --exec '' $(UNIT) tests/*.t
	ASAN_OPTIONS=allocator_may_return_null=1 VERIFY=tangled/san/verify prove --exec '' $(SANITIZED)

## bench: measures what low rank buys, and what an edit costs, as ratios in one run; takes minutes.
bench: tangled/bench tangled/circuits_part2 out/bench/set.json html
	@tests/latency.sh
	@tangled/bench
	@/usr/bin/python3 tests/bench.py tangled/circuits_part2 out/bench

out/bench/set.json: tests/synthetic.py
	@/usr/bin/python3 $< $(@D)

tangled/bench: tests/bench.c tangled/libbook.a
	$(CC) $(CFLAGS) -Itangled $(LDFLAGS) -o $@ $^ $(LDLIBS)

.PHONY: sanitized bench
sanitized: $(PROGRAMS:%=$(OBJ)/%) $(TESTS:%=$(OBJ)/%)

# ---- cleaning ------------------------------------------------------------

## clean: removes what is generated for MODEL, and the tangled code.
clean:
	@find tangled -mindepth 1 ! -name .gitignore -delete
	@rm -rf $(OUT) $(FIG)

## distclean: removes all that is generated.
distclean:
	@find tangled figures out -mindepth 1 ! -name .gitignore -delete
