"""Dictionaries in the format of dictd: definitions end to end, and an index of
(headword, offset, length)."""
import re

from blocks import decode, from_plain, grouped, join_lines, word_set

DIGITS = {c: i for i, c in enumerate(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}


def number(text):
    n = 0
    for c in text:
        n = 64 * n + DIGITS[c]
    return n


def entries(files):
    """The definitions, in the order of the file."""
    names = dict(files)
    index = next(d for n, d in names.items() if n.endswith(".index"))
    data = next(d for n, d in names.items() if not n.endswith(".index"))
    spans = set()
    for line in decode(index).splitlines():
        head, offset, length = line.split("\t")[:3]
        if not head.startswith("00"):
            spans.add((number(offset), number(length)))
    for offset, length in sorted(spans):
        yield decode(data[offset:offset + length])


def paragraphs(text, begins):
    """Joins the lines of each paragraph; a line that `begins` matches starts a
    new one."""
    words = word_set(text)
    out, lines = [], []
    for line in text.split("\n") + [""]:
        if lines and (not line.strip() or begins.match(line)):
            out.append(("li", join_lines(lines, words)))
            lines = []
        if line.strip():
            lines.append(line)
    return out


SENSE = re.compile(r"\s*(?:(?:n|v|adj|adv)? ?\d+[:.]|\(?[a-z]\)|Syn:|Note:|\d+\.) ")


def gcide(files):
    """Without pronunciations, etymologies and the marks of its editors."""
    def one(text):
        text = re.sub(r"\\[^\\\n]*\\", "", text)  # \Ab*jure"\
        while True:  # [L. abjurare ...], [1913 Webster], [=a]
            new = re.sub(r"\[[^\[\]]*\]", "", text)
            if new == text:
                break
            text = new
        text = re.sub(r"\([^()]*[\"*`'][^() ]*\)", "", text)  # (ab*jur")
        text = text.replace("{", "").replace("}", "").replace("||", "")
        text = re.sub(r" +,", ",", text)
        return paragraphs(text, SENSE)
    return grouped(map(one, entries(files)), 2500)


def wordnet(files):
    def one(text):
        head, _, rest = text.partition("\n")
        rest = rest.replace("{", "").replace("}", "")
        return [("head", head.strip())] + paragraphs(rest, SENSE)
    return grouped(map(one, entries(files)), 2500)


def unlinked(text):
    """Without the marks of links, the dates and the references."""
    text = re.sub(r"(?m)^ *\(\d{4}-\d\d-\d\d\)$", "", text)
    text = re.sub(r"\{\(?(?:https?|ftp|news|mailto):[^}]*\}", "", text)
    text = re.sub(r"\{([^}]*)\}", r"\1", text)
    text = re.sub(r"(?m)^ *\[[^\]]*\b(?:19|20)\d\d[^\]]*\]\.?$", "", text)
    return re.sub(r"<([a-z ,]+)>", r"(\1)", text)


def foldoc(files):
    """FOLDOC, the Jargon File, the elements: a head, then paragraphs."""
    def one(text):
        blocks = [("p", t) for _, t in paragraphs(unlinked(text), SENSE)]
        if len(blocks) == 1 and len(blocks[0][1].split()) > 12:
            return blocks
        return [("head", t) for _, t in blocks[:1]] + blocks[1:]
    return grouped(map(one, entries(files)), 1500)


def entries_plain(files):
    """Entries of prose and verse."""
    return grouped((from_plain(unlinked(t)) for t in entries(files)), 1500)
