#!/bin/bash
# tokens.sh CHAPTER...: prints the chapters as noweb's stream of tokens, with the
# definitions and uses of identifiers marked. It is what noweave does before its back end,
# without the cross-references: book.lua finds those itself.
set -euo pipefail
noweb=/usr/lib/noweb
"$noweb/markup" "$@" | "$noweb/autodefs.c" | "$noweb/finduses" | cat # cat notices a full disk
