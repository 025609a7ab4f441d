"""How a value is printed, and when a printed value agrees with mine.

A computed key is an Entry; its style says how the published list prints it:
    text   a string, as it is
    json   shapes, whole numbers and lists of tokens
    eN     one number, as 1.2e-06 with N decimals
    fN     one number, or a list, with N decimals
    rN     a list rounded to N decimals and printed without trailing zeros
What is free has a band, (low, high), in which the printed value must lie.
"""

import collections
import json
import os

import numpy as np

Entry = collections.namedtuple("Entry", "key value style rule meaning band")
Entry.__new__.__defaults__ = ("", None)

IDENTITY_BOUND = 1e-9  # what is 0 on paper must be this small in float64


def printed(entry):
    value, style = entry.value, entry.style
    if style == "text":
        return value
    if style == "json":
        return json.dumps(value, ensure_ascii=False)
    decimals = int(style[1:])
    if style[0] == "r":
        return str([round(float(x), decimals) for x in value])
    form = f"{{:.{decimals}{style[0]}}}".format
    if np.ndim(value):
        return "[" + ", ".join(map(form, value)) + "]"
    return form(value)


def verdict(entry, text, rule):
    """None if the expected text agrees with the entry, else what is wrong."""
    if rule.split("<=")[0] != entry.rule.split("<=")[0]:
        return f"the rule should be {entry.rule}"
    if rule.startswith("noise<="):
        return noise_verdict(entry, text, rule)
    if rule == "digits":
        return digits_verdict(entry, text)
    if rule == "free":
        return free_verdict(entry, text)
    if rule == "list":  # JSON: how a character is escaped does not matter
        return None if json.loads(text) == entry.value else "differs"
    if rule != "exact":
        return "no such rule"
    return None if text == printed(entry) else "differs"


def noise_verdict(entry, text, rule):
    bound = float(rule.split("<=")[1])
    if bound > float(entry.rule.split("<=")[1]):
        return f"the rule should be {entry.rule}"
    if not abs(float(text)) <= bound:
        return "more than noise"
    if not abs(entry.value) <= IDENTITY_BOUND:
        return "does not hold in double precision"
    return None


def digits_verdict(entry, text):
    """Equal as printed, one unit in the last printed place allowed. With an
    exponent the places move by it: 1.13e+11 has -9 decimals."""
    mine = np.atleast_1d(np.asarray(entry.value, float))
    numbers = text.strip("[]").split(", ")
    theirs = np.array([float(t) for t in numbers])
    if theirs.shape != mine.shape or text.startswith("[") != (np.ndim(entry.value) == 1):
        return f"{len(theirs)} numbers, not {len(mine)}"
    mantissas, _, exponents = zip(*(t.partition("e") for t in numbers))
    shown = max(len(m.partition(".")[2]) for m in mantissas)
    decimals = max(shown, int(entry.style[1:])) - min(int(e or 0) for e in exponents)
    gap = np.abs(np.round(mine, decimals) - theirs).max()
    return None if gap < 1.5 * 10.0 ** -decimals else f"off by {gap:.2g}"


def free_verdict(entry, text):
    """Depends on chance or on the way of computing: only the band is asked for."""
    low, high = entry.band
    return None if low < float(text) < high else f"not between {low:.4g} and {high:.4g}"


def read_expected(path):
    """The lines key, printed value, rule, meaning of an expected.tsv."""
    if not os.path.exists(path):
        raise SystemExit(f"{path}: not there; --print lists what it could hold")
    lines = {}
    with open(path, encoding="utf-8", newline="\n") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            fields = line.split("\t")
            if len(fields) != 4:
                raise SystemExit(f"{path}:{number}: {len(fields)} fields instead of 4")
            if fields[0] in lines:
                raise SystemExit(f"{path}:{number}: {fields[0]} stands here twice")
            lines[fields[0]] = fields[1:3]
    return lines
