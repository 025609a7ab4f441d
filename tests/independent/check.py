#!/usr/bin/env python3
"""An independent word on the book's numbers: plain NumPy, in double precision.

    check.py --set models/mini [--expected FILE] [--sections 1,2,3] [--print]
    check.py --golden tests/golden

The first computes every key of the set from its weights and compares the
printed values in expected.tsv by their rules; --print lists the computed values
in the format of that file and compares nothing. The second checks this checker
against TransformerLens. Shares no line with the book's programs. Exits 1 on any
disagreement, on a key that is not known here, and on one that is not expected.
"""

import argparse
import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from golden import check_golden
from modelset import Set
from rules import printed, read_expected, verdict
from sections import SECTIONS


def section(key):
    return key.split(".")[0]


def is_toy(key):
    """The toy part is worked by hand in the book and needs no weights."""
    return "toy" in key.split(".")


def compare(entries, expected):
    """Prints a line for each key; the number of keys that disagree."""
    failures = 0
    for key in dict.fromkeys([*expected, *entries]):
        text, rule = expected.get(key, ("-", "-"))
        if key not in entries:
            mine, problem = "-", "not known to this check"
        elif key not in expected:
            mine, problem = printed(entries[key]), "not in the expected file"
        else:
            mine = printed(entries[key])
            try:
                problem = verdict(entries[key], text, rule)
            except ValueError as e:
                problem = f"not a number ({e})"
        failures += problem is not None
        said = "ok" if problem is None else f"MISMATCH: {problem}"
        print("\t".join([key, mine, text, rule, said]))
    return failures


def check_set(folder, expected_path, wanted, only_print):
    wanted = wanted or list(SECTIONS)
    unknown = [w for w in wanted if w not in SECTIONS]
    if unknown:
        raise SystemExit(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    entries = {}
    the_set = Set(folder)
    for number in wanted:
        for entry in SECTIONS[number](the_set):
            entries[entry.key] = entry
    if only_print:
        print("# key\texpected\trule\tmeaning")
        for e in entries.values():
            print("\t".join([e.key, printed(e), e.rule, e.meaning]))
        return 0
    expected = read_expected(expected_path)
    toys = [k for k in expected if is_toy(k)]
    # A key of no section at all belongs to every run, so that it cannot hide.
    expected = {k: v for k, v in expected.items()
                if not is_toy(k) and (section(k) in wanted or section(k) not in SECTIONS)}
    failures = compare(entries, expected)
    print(f"{len(entries)} keys computed, {len(expected)} expected, "
          f"{len(toys)} of the toy part left alone, {failures} disagree")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", help="folder of a model set, with its set.json")
    parser.add_argument("--expected", help="default: expected.tsv of the set")
    parser.add_argument("--sections", help="only these, as 1,2,3")
    parser.add_argument("--print", action="store_true", help="list the values, compare nothing")
    parser.add_argument("--golden", help="folder of TransformerLens's golden files")
    args = parser.parse_args()
    if not args.set and not args.golden:
        parser.error("nothing to check: give --set or --golden")
    failures = check_golden(args.golden) if args.golden else 0
    if args.set:
        expected = args.expected or pathlib.Path(args.set) / "expected.tsv"
        wanted = args.sections.split(",") if args.sections else None
        failures += check_set(args.set, expected, wanted, args.print)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
