"""Text as blocks: what every reader makes of a file, and what is cleaned.

A document is a list of blocks (kind, text):
  "p"    a paragraph on one line; a blank line follows
  "head" a line that names what follows, and is dropped if nothing does
  "li"   a line that belongs to the next one: a list item, a line of dialogue
  "pre"  lines that stay as they are: code, verse
"""
import re


def decode(data):
    """UTF-8 if it is, Latin-1 if not."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def join_lines(lines, words):
    """One line of the lines of a paragraph. A word that was broken by a hyphen
    loses it if it is written without one elsewhere in the text."""
    out = ""
    for line in lines:
        line = line.strip()
        m = re.search(r"([A-Za-z]+)-$", out)
        n = re.match(r"[a-z]+", line)
        if m and n:
            if (m[1] + n[0]).lower() in words:
                out = out[:-1]
            out += line
        else:
            out += (" " if out else "") + line
    return out


def word_set(text):
    return set(re.findall(r"[a-z]+", text.lower()))


LIST = re.compile(r"\s*(?:[-*+o\u2022]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+\S")


def from_plain(text, words=None):
    """Blocks of wrapped plain text, in which blank lines part paragraphs.
    Indented paragraphs of short lines are verse or code and stay."""
    words = word_set(text) if words is None else words
    out = []
    for paragraph in re.split(r"\n[ \t]*\n", text.expandtabs()):
        lines = [l for l in paragraph.split("\n") if l.strip()]
        if not lines:
            continue
        indent = min(len(l) - len(l.lstrip()) for l in lines)
        width = max(len(l.strip()) for l in lines)
        short = sum(len(l.strip()) < 45 for l in lines[:-1])
        if any(LIST.match(l) for l in lines):
            item = []
            for line in lines + [None]:
                if line is None or LIST.match(line):
                    if item:
                        out.append(("li", join_lines(item, words)))
                    item = []
                if line is not None:
                    item.append(line)
        elif len(lines) > 1 and (width < 50 or short * 2 > len(lines)):
            out.append(("pre", "\n".join(l[indent:].rstrip() for l in lines)))
        else:
            out.append(("p", join_lines(lines, words)))
    return out


def drop_bare_heads(blocks):
    """Without the heads that no text follows."""
    following = blocks[1:] + [("head", "")]
    return [b for b, after in zip(blocks, following)
            if b[0] != "head" or after[0] != "head"]


def to_text(blocks):
    out = []
    for i, (kind, text) in enumerate(blocks):
        last = i + 1 == len(blocks)
        close = kind == "head" or (
            kind == "li" and not last and blocks[i + 1][0] == "li")
        out.append(text + ("\n" if last or close else "\n\n"))
    return "".join(out)


def grouped(entries, size):
    """Documents of neighbouring entries (lists of blocks), each of at least
    `size` characters."""
    document, n = [], 0
    for entry in entries:
        document += entry
        n += sum(len(text) for _, text in entry)
        if n >= size:
            yield document
            document, n = [], 0
    if document:
        yield document
