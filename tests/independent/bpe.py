"""Byte-level BPE, enough for the tokenizer.json of the model sets.

Python's re knows neither \\p{L} nor the white space of other regex libraries, so
a pattern's classes are written out as explicit ranges from unicodedata first.
"""

import functools
import json
import pathlib
import re
import sys
import unicodedata

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


@functools.cache
def category_ranges(letter):
    """All characters of the Unicode categories L* or N*, as regex ranges."""
    ranges, start = [], None
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and unicodedata.category(chr(code))[0] == letter
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            ranges.append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start = None
    return "".join(ranges)


def compile_pattern(pattern):
    r"""The pattern with \p{L}, \p{N}, \s and \S spelt out."""
    out, in_class = [], False
    for part in re.findall(r"\\p\{\w+\}|\\.|.", pattern, re.S):
        if part in (r"\p{L}", r"\p{N}", r"\s"):
            ranges = SPACE if part == r"\s" else category_ranges(part[3])
            part = ranges if in_class else f"[{ranges}]"
        elif part == r"\S" and not in_class:
            part = f"[^{SPACE}]"
        elif part.startswith(("\\p", "\\S")):
            raise SystemExit(f"{part} in a pre-tokenizer's pattern is not implemented")
        elif part in "[]":
            in_class = part == "["
        out.append(part)
    return re.compile("".join(out))


def split(pattern, text):
    """The matches and what stands between them, in order."""
    pieces, at = [], 0
    for match in pattern.finditer(text):
        pieces += [text[at:match.start()], match.group()]
        at = match.end()
    return [p for p in pieces + [text[at:]] if p]


@functools.cache
def byte_letters():
    """The visible character that stands for each byte, as in GPT-2."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(b if b in plain else next(others)) for b in range(256)]


class Tokenizer:
    def __init__(self, path):
        file = json.loads(pathlib.Path(path).read_text("utf-8"))
        model, normalizer = file["model"], file["normalizer"]
        self.normal_form = normalizer and normalizer["type"]
        if self.normal_form not in (None, "NFC", "NFD", "NFKC", "NFKD"):
            raise SystemExit(f"{path}: normalizer {self.normal_form} is not implemented")
        if model["type"] != "BPE":
            raise SystemExit(f"{path}: model {model['type']} is not implemented")
        self.vocab = model["vocab"]
        pairs = [m.split(" ") if isinstance(m, str) else m for m in model["merges"]]
        self.rank = {tuple(p): i for i, p in enumerate(pairs)}
        self.whole_pieces = model.get("ignore_merges", False)
        self.added = {t["content"]: t["id"] for t in file["added_tokens"]}
        step = file["pre_tokenizer"]
        self.steps = step["pretokenizers"] if step["type"] == "Sequence" else [step]
        self.spelling = {i: s for s, i in self.vocab.items()}
        self.names = {i: s for s, i in self.added.items()}

    def pieces(self, text):
        """What the pre-tokenizers make of a text, spelt in byte letters."""
        texts = [text]
        for step in self.steps:
            kind = step["type"]
            if kind == "Split" and step["behavior"] == "Isolated" and not step["invert"]:
                pattern = step["pattern"].get("Regex") or re.escape(step["pattern"]["String"])
                texts = [p for t in texts for p in split(compile_pattern(pattern), t)]
            elif kind == "Digits":
                digits = r"\p{N}" if step["individual_digits"] else r"\p{N}+"
                texts = [p for t in texts for p in split(compile_pattern(digits), t)]
            elif kind == "ByteLevel" and not step["add_prefix_space"]:
                if step.get("use_regex", True):
                    texts = [p for t in texts for p in split(compile_pattern(GPT2), t)]
                texts = ["".join(byte_letters()[b] for b in t.encode()) for t in texts]
            else:
                raise SystemExit(f"pre-tokenizer {kind} {step} is not implemented")
        return texts

    def merge(self, piece):
        """The merge that was learned first is done first, until none is left."""
        if self.whole_pieces and piece in self.vocab:
            return [piece]
        parts = list(piece)
        while len(parts) > 1:
            ranks = [self.rank.get(pair, len(self.rank)) for pair in zip(parts, parts[1:])]
            best = min(ranks)
            if best == len(self.rank):
                break
            at = ranks.index(best)
            parts[at:at + 2] = [parts[at] + parts[at + 1]]
        return parts

    def encode(self, text):
        """Token ids, without a beginning-of-text token of our own."""
        names = sorted(self.added, key=len, reverse=True)
        ids = []
        for part in split(re.compile("|".join(map(re.escape, names)) or "(?!)"), text):
            if part in self.added:
                ids.append(self.added[part])
                continue
            if self.normal_form:
                part = unicodedata.normalize(self.normal_form, part)
            ids += [self.vocab[p] for piece in self.pieces(part) for p in self.merge(piece)]
        return ids

    def encode_prompt(self, text, bos="<|BOS|>"):
        """The prompt with the beginning-of-text token in front, once."""
        ids = self.encode(text)
        return ids if ids[:1] == [self.added[bos]] else [self.added[bos]] + ids

    def single(self, text):
        """The one id of a text that is a single token."""
        ids = self.encode(text)
        if len(ids) != 1:
            raise SystemExit(f"{text!r} is not a single token but {len(ids)}")
        return ids[0]

    def text(self, token):
        """A token as it reads; bytes that are no whole character become U+FFFD."""
        token = int(token)
        if token in self.names:
            return self.names[token]
        letters = {c: b for b, c in enumerate(byte_letters())}
        return bytes(letters[c] for c in self.spelling[token]).decode("utf-8", "replace")
