"""Novels, speeches, fortunes, profiles of countries, commentaries, pods."""
import json
import re
import struct
import zlib

from blocks import decode, from_plain, grouped, word_set
from read_html import html_blocks


def plain(files):
    """A document for each file."""
    for _, data in files:
        yield from_plain(decode(data))


def speeches(files):
    """One long line each, or lines that are paragraphs."""
    for _, data in files:
        yield [("p", line) for line in decode(data).splitlines() if line.strip()]


def fortunes(files):
    """Neighbours between lines of % make a document."""
    for _, data in files:
        entries = (from_plain(t) for t in re.split(r"(?m)^%.*\n", decode(data)))
        yield from grouped(entries, 2000)


def austen(files):
    """An R database of lines: compressed objects end to end, each novel a vector
    of strings. A document for each chapter."""
    string = re.compile(rb"\0[\0\4]\0\x09(....)", re.S)
    for _, data in files:
        while data:
            stream = zlib.decompressobj()
            object_ = stream.decompress(data[4:])
            data = stream.unused_data
            lines, at = [], object_.find(b"\0\0\0\x10") + 8
            while m := string.match(object_, at):
                n = struct.unpack(">i", m[1])[0]
                lines.append(decode(object_[m.end():m.end() + n]))
                at = m.end() + n
            text = re.sub(r"\b_|_\b", "", "\n".join(lines))
            words = word_set(text)
            for chapter in re.split(r"(?im)^(?=(?:chapter|volume|letter) +\w+\.?$)",
                                    text):
                yield from_plain(chapter, words)


def factbook(files):
    """A country's profile: its name at the head of every category, then lines
    of field and text."""
    def lines_of(value, label):
        if isinstance(value, dict):
            for key, v in value.items():
                own = key not in ("text", "++", "note")
                yield from lines_of(v, f"{label}, {key}" if own else label)
        elif isinstance(value, list):
            for v in value:
                yield from lines_of(v, label)
        else:
            yield label, re.sub(r"<[^>]*>|\+\+", " ", str(value))

    for _, data in files:
        profile = json.loads(decode(data))
        names = profile.get("Government", {}).get("Country name", {})
        short = names.get("conventional short form", {}) if names else {}
        name = short.get("text", "none") if isinstance(short, dict) else "none"
        document = []
        for category, fields in profile.items():
            suffix = "" if name in ("none", "NA") else f" of {name}"
            document.append(("head", category + suffix))
            for field, value in fields.items():
                document += [("li", f"{label}: {text}")
                             for label, text in lines_of(value, field)]
            kind, text = document[-1]
            document[-1] = ("p" if kind == "li" else kind, text)
        yield document


def sword_texts(data, sizes, places):
    """The texts of a SWORD module in order; an empty one where nothing stands.
    Blocks are compressed; a place is (block, offset, length), the length of four
    bytes or two: the right size is the one that names only blocks there are."""
    n_blocks = len(sizes) // 12

    def places_of(form):
        return list(struct.iter_unpack(form, places))

    forms = [f for f in ("<IIH", "<III") if len(places) % struct.calcsize(f) == 0
             and all(k < n_blocks for k, _, n in places_of(f) if n)]
    number, block, last = -1, b"", None
    for k, offset, n in places_of(forms[0]):
        if n and k != number:
            at, size, _ = struct.unpack_from("<III", sizes, 12 * k)
            number, block = k, zlib.decompress(data[at:at + size])
        if (k, offset) != last or not n:
            yield decode(block[offset:offset + n]) if n else ""
        last = (k, offset) if n else last


def sword(files):
    """A Bible or a commentary: a document for each chapter, which begins with
    its mark or, where there is none, with an empty place."""
    by_name = dict(files)
    for name in sorted(by_name):
        stem = name[:-1]
        if not name.endswith("zz") or not by_name[name]:
            continue
        chapter = ""
        for text in sword_texts(by_name[name], by_name[stem + "s"],
                                by_name[stem + "v"]):
            begins = not text or re.match(r'\s*(?:<[^>]*>\s*)*?<chapter\b', text)
            if begins and len(chapter) > 1500:
                yield html_blocks(chapter)
                chapter = ""
            text = re.sub(r"(?s)<note\b.*?</note>", "", text)
            chapter += " " + re.sub(
                r"<(?:div|title|lb|chapter|l|lg|p)\b[^>]*>|</title>|</l>", "<br>",
                text)
        yield html_blocks(chapter)


def pod(files):
    """Perl's manuals."""
    for _, data in files:
        out = []
        for part in re.split(r"\n\s*\n", decode(data)):
            part = part.strip("\n")
            command = re.match(r"=(\w+) *", part)
            if command and command[1] in ("for", "begin", "end", "cut", "pod", "encoding",
                                          "over", "back"):
                continue
            pre = not command and re.match(r"[ \t]", part)
            if not pre:
                part = part[command.end():] if command else part
                for _ in range(3):
                    part = re.sub(r"\b[LXZ]<(?:([^<>|]*)\|)?([^<>|]*)>",
                                  lambda m: m[1] or m[2], part)
                    part = re.sub(r"\b[A-Z]<<+ (.*?) >>+", r"\1", part)
                    part = re.sub(r"\bE<(lt|gt)>",
                                  lambda m: "\0" if m[1] == "lt" else "\1", part)
                    part = re.sub(r"\b[BCFIS]<([^<>]*)>", r"\1", part)
                part = part.replace("\0", "<").replace("\1", ">")
                part = re.sub(r"^\* *", "", " ".join(part.split()))
            if part.strip() and not re.search(r"\b[A-Z]<", part):
                out.append(("pre" if pre else "p", part.expandtabs(4)))
        yield out


def code(files):
    """Source text, without the comment that begins it if that is about its
    licence."""
    head = re.compile(r"\A(?:#!.*\n)?\s*(?:/\*.*?\*/\s*|(?:(?:#|//|--)[^\n]*\n)+"
                      r"|\"\"\"[^\"]*\"\"\"\n)", re.S)
    notice = re.compile(r"(?i)copyright|licen[cs]e|\(c\)")
    for _, data in files:
        text = decode(data).replace("\r", "").expandtabs(4)
        for _ in range(3):
            m = head.match(text)
            if not m or not notice.search(m[0]):
                break
            text = text[m.end():]
        yield [("pre", text.strip("\n"))]
