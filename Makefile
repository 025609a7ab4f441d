# The book: chapters are tangled into C, the programs run, and what they print is
# woven with the chapters into a page and a PDF. `make help` lists the targets.

MODEL = mini
BUILD =
CC = gcc
CFLAGS = -std=c17 -O3 -g -fopenmp -Wall -Wextra -Wpedantic -Wconversion -Wshadow \
  -Werror=implicit-function-declaration
LDFLAGS = -Wl,--build-id=none
LDLIBS = -llapacke -lopenblas -ljansson -lzip -lpcre2-8 -lutf8proc -lm
OBJ = tangled

# It is part of the names of folders, which `make clean` removes.
ifneq ($(filter-out . ..,$(MODEL))/$(words $(MODEL)),$(notdir $(MODEL))/1)
$(error MODEL=$(MODEL): expected the name of a folder in models/)
endif
SET := models/$(MODEL)
OUT := out/$(MODEL)
FIG := figures/$(MODEL)
CHAPTERS := book.nw $(sort $(wildcard chapters/*.nw))
PROGRAMS := circuits_part2_toy circuits_part2 run_with_cache verify fetch \
  train_tokenizer encode_corpus train evaluate

# They become words of commands, and ids.
ODD := $(shell find -L chapters -maxdepth 1 -name '[!.]*.nw' ! -regex '[A-Za-z0-9_./-]*' -print -quit)
ifneq ($(ODD),)
$(error $(ODD): expected a name of letters, digits, - and _; rename the file)
endif

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
GOALS := $(or $(MAKECMDGOALS),book)
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
# Nothing that is made shows a place, a language or a date of its making.
export LC_ALL := C.UTF-8
export TZ := UTC0
export SOURCE_DATE_EPOCH := 946684800

ifneq ($(BUILD),)
# ---- elsewhere -----------------------------------------------------------

# In the folder BUILD stand links to the sources, and a make works there.
.PHONY: $(GOALS) elsewhere
$(GOALS): elsewhere ; +$(NOTHING)
elsewhere:
	+@weave/elsewhere.sh "$$BUILD"; $(MAKE) --no-print-directory -C "$$BUILD" BUILD= $(MAKECMDGOALS)
else

# Versions of the tools: NAME=SUM for each that is here.
COMPILER := $(firstword $(CC))
VERSIONS := $(shell weave/versions.sh $(COMPILER) noweave gnuplot scour qpdf pandoc lualatex latexmk)
version = $(filter $(1:%=%=%),$(VERSIONS))

PACKAGES := noweb pandoc lua-dkjson gnuplot-nox scour qpdf zip unzip latexmk texlive-luatex \
  texlive-latex-recommended fonts-lmodern fonts-dejavu-core \
  libopenblas-dev liblapacke-dev libjansson-dev libzip-dev libpcre2-dev libutf8proc-dev \
  libcurl4-openssl-dev libssl-dev \
  inotify-tools libcmocka-dev python3-numpy perl

.PHONY: book deps toy real figures html pdf epub picture fetch train verify diff bless watch check clean distclean help

## book: builds the page, the PDF and the EPUB (the default); without TeX no PDF.
book: html $(if $(and $(call version,lualatex),$(call version,latexmk)),pdf,no-pdf) epub tangled/circuits_part2 tangled/run_with_cache

.PHONY: no-pdf
no-pdf: html
	@echo "no PDF  LuaLaTeX or latexmk is not installed; to get $(OUT)/book.pdf: sudo make deps, then make pdf"

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
train:
	+@$(MAKE) --no-print-directory trainers
	@training/train.sh $(SET) "$(TRAIN_DIR)"
.PHONY: trainers
trainers: $(TRAINERS) ; @:

## help: lists the targets.
help:
	@sed -n 's/^## //p' Makefile

# ---- one make at a time ---------------------------------------------------

# Of two makes in one tree the second waits for the end of the first (but not for one that
# has started it). Watching and training last for hours; each starts a make for what is built.
ifneq ($(LOCKED),$(CURDIR))
ifneq ($(filter-out help deps watch train,$(GOALS)),)
export LOCKED := $(CURDIR)
$(shell weave/alone.sh tangled/.lock $$PPID)
ifneq ($(.SHELLSTATUS),0)
$(error nothing is made)
endif
endif
endif

# ---- what changed --------------------------------------------------------

# Make compares dates, and takes a file of another content for the same if it came with an
# old date. So what things depend on is also kept as text.
# $(call holds,FILE,NAME,COMMAND): FILE holds what the variable NAME does. It is new when
# that changes; then COMMAND runs first.
define holds
ifneq ($$(strip $$(file <$(1))),$$(strip $$($(2))))
$(1): FORCE
endif
$(1):
	@mkdir -p $$(@D)
	@$(3)
	@echo '$$(subst ','\'',$$(strip $$($(2))))' >$$@
endef
.PHONY: FORCE

# NAME=SIZE,DATE for each source; $(call state,NAME...) for some.
STATES := $(shell find -L book.nw references.bib chapters weave models -type f -printf '%p=%s,%T@\n' 2>/dev/null | sort)
state = $(filter $(1:%=%=%),$(STATES))

# ---- chapters -> C -------------------------------------------------------

# roots.mk lists the files that the chapters tangle to. Making it tangles them;
# a file whose text did not change keeps its date.
ifneq ($(filter-out help deps watch train clean distclean,$(GOALS)),)
include tangled/roots.mk
endif

TANGLING := $(call version,noweave) $(call state,$(CHAPTERS))
$(eval $(call holds,tangled/chapters,TANGLING))

tangled/roots.mk: $(CHAPTERS) tangled/chapters weave/tangle.sh weave/chunks.awk
	@echo "tangle  chapters -> tangled/"
	@weave/tangle.sh tangled $(CHAPTERS)

# A file that somebody deleted is made again.
ifneq ($(filter-out $(wildcard tangled/*),$(ROOTS:%=tangled/%)),)
tangled/roots.mk: FORCE
endif

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

FLAGS := $(CC) $(CFLAGS) $(LDFLAGS) $(LDLIBS) $(FAST) $(call version,$(COMPILER))
$(eval $(call holds,$(OBJ)/flags,FLAGS))
$(eval $(call holds,$(OBJ)/sources,SOURCES))

# A file takes its name when it is complete, here and below: a build can be killed.
$(OBJ)/%.o: tangled/%.c $(OBJ)/flags
	$(CC) $(CFLAGS) -MMD -MP -MT $@ -MF $@.d -c -o $@.new $<
	@mv $@.d $(@:.o=.d) && mv $@.new $@

$(OBJ)/test_%.o: tests/test_%.c $(OBJ)/flags
	$(CC) $(CFLAGS) -Itangled -MMD -MP -MT $@ -MF $@.d -c -o $@.new $<
	@mv $@.d $(@:.o=.d) && mv $@.new $@

$(OBJ)/libbook.a: $(call objects,$(LIBRARY)) $(OBJ)/sources
	@rm -f $@.new
	ar rcsD $@.new $(filter %.o,$^)
	@mv $@.new $@

$(OBJ)/circuits_part2_toy: $(call objects,$(TOY))
$(OBJ)/circuits_part2: $(call objects,$(REAL))
$(OBJ)/fetch: $(call objects,$(FETCH))
$(OBJ)/fetch: LDLIBS := -lcurl -lcrypto -ljansson
$(PROGRAMS:%=$(OBJ)/%) $(TESTS:%=$(OBJ)/%): $(OBJ)/%: $(OBJ)/%.o $(OBJ)/libbook.a $(OBJ)/sources
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@.new $(filter %.o,$^) $(OBJ)/libbook.a $(if $(filter test_%,$*),-lcmocka) $(LDLIBS) \
	  2>&1 | awk -f weave/unlinked.awk >&2
	@mv $@.new $@

-include $(filter-out %.o.d,$(wildcard $(OBJ)/*.d))

# ---- programs -> results -------------------------------------------------

# Where the weights of a set are not here, and will not be fetched now, but numbers were
# published for it, ABSENT is not empty: the real program does not run, and the book shows
# what was published (weave/absent.lua).
HERE := $(strip $(wildcard $(SET)/*/*.safetensors $(SET)/*/*.pth) $(MODEL_DIR) $(filter fetch,$(MAKECMDGOALS)))
ABSENT := $(if $(HERE),,$(shell grep -l '^\# published' $(SET)/expected.tsv 2>/dev/null))
WEIGHTS := $(if $(ABSENT),absent,here)

# What the real program left goes with the weights.
$(eval $(call holds,$(OUT)/.weights,WEIGHTS,$(if $(ABSENT),weave/forget.sh $(OUT) part2 $(FIG))))

# A program runs again when what it computes could differ: its code (without line
# numbers), its arguments, the model's files, the libraries. The stamp says
# that this was looked at; a result whose bytes are the same keeps its date.
RUNNING := $(foreach name,$(sort $(filter OPENBLAS_% OMP_% LD_%,$(.VARIABLES))),$(name)=$($(name))) \
  $(filter-out $(SET)/expected.tsv=%,$(filter $(SET)/%,$(STATES)))
$(eval $(call holds,$(OUT)/.running,RUNNING))
RERUN := weave/rerun.sh $(OUT)/.running $(wildcard /etc/ld.so.cache)

$(OUT)/.toy: tangled/circuits_part2_toy $(RERUN)
	@weave/rerun.sh $@ $(OUT) part2_toy $<

ifeq ($(ABSENT),)
$(OUT)/.real: tangled/circuits_part2 $(RERUN) $(wildcard $(SET)/*.json $(SET)/*/*)
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
FIGURES := $(filter curve $(patsubst /%.dat",%,$(shell grep -oh '/[^/"]*\.dat"' $(TOY:%=tangled/%))),$(FIGURES))
endif
TOY_RESULTS := $(addprefix $(OUT)/part2_toy,.json _stdout.txt)
REAL_RESULTS := $(addprefix $(OUT)/part2,.json _stdout.txt)
# (A recipe that is empty, but not for make -n and -q, which would take it for work.)
$(TOY_RESULTS): $(OUT)/.toy ; +$(NOTHING)
$(REAL_RESULTS): $(OUT)/.real ; +$(NOTHING)
EXPLORER := $(if $(ABSENT),,$(OUT)/data/explorer.json)
DATA := $(patsubst %,$(OUT)/data/%.dat,$(filter-out curve,$(FIGURES))) $(EXPLORER)
RESULTS := $(OUT)/part2_toy.json $(if $(ABSENT),,$(OUT)/part2.json)
$(DATA): $(OUT)/.toy $(if $(ABSENT),,$(OUT)/.real) ; +$(NOTHING)

# A result that somebody deleted is made again.
ifneq ($(filter-out $(wildcard $(OUT)/* $(OUT)/data/*),$(TOY_RESULTS) $(if $(ABSENT),,$(REAL_RESULTS)) $(DATA)),)
$(OUT)/.toy $(OUT)/.real: FORCE
endif

COMPARE := $(OUT)/part2_toy.json=models/toy/expected.tsv $(OUT)/part2.json=$(SET)/expected.tsv
JUDGE := tangled/verify $(if $(ABSENT),--published-only --set $(MODEL))

EXPECTED := $(call state,models/toy/expected.tsv $(SET)/expected.tsv)
$(eval $(call holds,$(OUT)/.expected,EXPECTED))

# The page shows a mismatch where it stands, so here it is no reason to stop.
$(OUT)/report.json: tangled/verify $(RESULTS) $(OUT)/.weights $(OUT)/.expected models/toy/expected.tsv $(SET)/expected.tsv
	@rm -f $@ $@.tmp.*
	@$(JUDGE) --report $@ $(COMPARE) >/dev/null || test -s $@

## verify: prints every number with what was expected, and fails on a mismatch.
verify: $(OUT)/report.json
	@$(JUDGE) $(COMPARE)

CITES := --cites $(OUT)/.cites.tsv

## diff: shows which numbers moved since the page before, who cites them, and what is not as expected.
diff: tangled/verify $(OUT)/report.json
	@before=$(OUT)/.shown.json; ! cmp -s $$before $(OUT)/report.json || before=$(OUT)/.before.json; \
	tangled/verify --diff $$before $(CITES) $(OUT)/report.json

## bless: shows what differs from the expected numbers and, if told so (YES=1), accepts it.
bless: tangled/verify $(RESULTS)
	@tangled/verify --bless $(if $(YES),--yes) $(CITES) --report $(OUT)/report.json $(if $(ABSENT),$(firstword $(COMPARE)),$(COMPARE))

# ---- results -> figures --------------------------------------------------

ifneq ($(if $(CURVES),$(shell weave/curves.sh $(SET) 2>/dev/null | cmp -s - $(OUT)/data/curve.dat || echo new)),)
$(OUT)/data/curve.dat: FORCE
endif
$(OUT)/data/curve.dat:
	@mkdir -p $(@D)
	@weave/curves.sh $(SET) >$@.new
	@mv $@.new $@

## figures: draws the plots and the drawings.
figures: $(foreach kind,svg pdf,$(FIGURES:%=$(FIG)/%.$(kind)))

DRAWING := $(call version,gnuplot scour qpdf) $(call state,weave/figure.gp weave/draw.sh weave/svg.sed)
$(eval $(call holds,tangled/drawing,DRAWING))

.PRECIOUS: $(FIG)/%.svg $(FIG)/%.pdf
$(FIG)/%.svg $(FIG)/%.pdf &: tangled/%.gp $(OUT)/data/%.dat weave/figure.gp weave/draw.sh weave/svg.sed tangled/drawing
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

tangled/book.tokens: $(CHAPTERS) tangled/chapters weave/tokens.sh
	@weave/tokens.sh $(CHAPTERS) >$@.new
	@mv $@.new $@

WEAVING := $(WEAVE) $(call version,pandoc) $(call state,references.bib $(PUBLISHED) $(WEAVER) $(wildcard $(SET)/*/evaluation.tsv))
$(eval $(call holds,$(OUT)/.weaving,WEAVING))
WOVEN := tangled/book.tokens references.bib $(RESULTS) $(OUT)/report.json $(PUBLISHED) $(WEAVER) $(OUT)/.weaving \
  $(wildcard $(SET)/*/evaluation.tsv)

# Scripts and style sheets of the page's parts, base.js first.
PAGE := $(sort $(wildcard weave/page/*.css weave/page/*.js))

## html: weaves the page, out/MODEL/book.html.
html: $(OUT)/book.html

STYLE := $(call state,weave/page.html weave/book.css $(PAGE))
$(eval $(call holds,$(OUT)/.style,STYLE))

$(OUT)/book.html: $(WOVEN) $(EXPLORER) $(FIGURES:%=$(FIG)/%.svg) $(OUT)/.style weave/page.html weave/book.css $(PAGE)
	@echo "weave   $@"
	@mkdir -p $(OUT)/.woven
	@$(WEAVE) --metadata cache=$(OUT)/.woven --metadata cites=$(OUT)/.cites.tsv \
	  --to html5 --mathml --toc-depth=3 --template weave/page.html \
	  --metadata page='$(EXPLORER) $(PAGE)' -o $@.new /dev/null
	@weave/remember.sh $(OUT)
	@mv $@.new $@

## pdf: weaves and typesets the PDF, out/MODEL/book.pdf.
pdf: $(OUT)/book.pdf

PRINT := $(call state,weave/page.tex)
$(eval $(call holds,$(OUT)/.print,PRINT))

$(OUT)/book.tex: $(WOVEN) $(FIGURES:%=$(FIG)/%.pdf) $(OUT)/.print weave/page.tex
	@echo "weave   $@"
	@$(WEAVE) --to latex --top-level-division=chapter --toc-depth=2 --template weave/page.tex -o $@.new /dev/null
	@mv $@.new $@

TEX := $(call version,lualatex latexmk) $(shell stat -L -c %s,%Y /usr/share/texlive/texmf-dist/ls-R 2>/dev/null)
$(eval $(call holds,$(OUT)/.tex,TEX))

$(OUT)/book.pdf: $(OUT)/book.tex weave/typeset.sh $(OUT)/.tex
	@echo "typeset $@"
	@weave/typeset.sh $< $@

## epub: weaves the EPUB, out/MODEL/book.epub.
epub: $(OUT)/book.epub

# Its identifier comes from what it is made of, and its one date is not ours to keep.
EPUB := $(call state,weave/epub.css)
$(eval $(call holds,$(OUT)/.epub,EPUB))

$(OUT)/book.epub: $(WOVEN) $(FIGURES:%=$(FIG)/%.svg) $(OUT)/.epub weave/epub.css weave/repack.sh
	@echo "weave   $@"
	@id=$$(cat $(filter-out $(OUT)/.%,$^) | sha1sum | sed -E 's/(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/\1-\2-5\3-8\4-\5/') && \
	  $(WEAVE) --to epub3 --mathml --toc-depth=2 --css weave/epub.css \
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
	$(CC) $(CFLAGS) -Itangled $(LDFLAGS) -o $@.new $^ $(LDLIBS)
	@mv $@.new $@

.PHONY: sanitized bench
sanitized: $(PROGRAMS:%=$(OBJ)/%) $(TESTS:%=$(OBJ)/%)

# ---- cleaning ------------------------------------------------------------

## clean: removes what is generated for MODEL, and the tangled code.
clean:
	@find tangled -mindepth 1 ! -name .gitignore ! -name .lock -delete
	@rm -rf $(OUT) $(FIG)

## distclean: removes all that is generated.
distclean:
	@find out figures tangled -mindepth 1 ! -name .gitignore ! -name .lock -delete
	@rm -f tangled/.lock
endif
