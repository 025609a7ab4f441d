"""Cleans a document's blocks. What is dropped is counted under a reason."""
import re
import unicodedata

PUNCTUATION = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u2032": "'",
    "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u201f": '"', "\u2033": '"',
    "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2212": "-",
    "\u2014": "--", "\u2015": "--", "\u2026": "...", "\u2022": "-", "\u00b7": "-",
    "\u00a0": " ", "\u2002": " ", "\u2003": " ", "\u2009": " ", "\u202f": " ",
    "\u3000": " ", "\u200b": None, "\u200c": None, "\u200d": None, "\u2060": None,
    "\ufeff": None, "\u00ad": None, "\ufffd": None, "\u00b6": None, "\r": None,
    "\u2192": "->", "\u21d2": "=>", "\u2190": "<-",
    "\ufb01": "fi", "\ufb02": "fl", "\ufb00": "ff", "\ufb03": "ffi", "\u00b4": "'",
    "\f": "\n", "\v": "\n", "\u2028": "\n", "\u2029": "\n", "\u0085": "\n"})

NOTICE = re.compile(r"""(?ix)
 permission\ is\ (?:hereby\ )?granted | without\ warranty | WARRANTIES\ OF
 | free\ software[;,] | redistribut\w+\ (?:it|and) | general\ public\ licen[cs]e
 | free\ documentation\ licen[cs]e | creative\ commons | invariant\ sections
 | all\ rights\ reserved | copyright\ (?:\(c\)|\u00a9|\d{4}) | \u00a9\ ?\d{4}
 | licen[cs]ed\ under | \bSPDX- | (?:apache|mozilla|BSD|MIT)\ licen[cs]e
 | this\ (?:page|document)\ was\ (?:last\ )?(?:generated|updated|modified)
 | report\ (?:any\ )?bugs\ to | created\ using\ sphinx | project\ gutenberg
 | trademarks?\ (?:of|or)\ | last\ (?:modified|updated)\ on""")
COMMON = set("""the of and to a in is it that you for on with as are be this was or
by not at from have an if he his but they which will can one all has their your
her there when so who him she we more no what do my would i been out up than its
use used may into some other only then them these any any about were had me""".split())
RULE = re.compile(r"[-=_*~#.+|\s]{4,}\Z|[\W\d_]*\Z")
POINTER = re.compile(r"(?:Next|Previous|Prev|Up)(?: topic)?: ?|\[?Contents\]?\[")
LINK = re.compile(r"<?(?:https?|ftp|mailto|file):[^\s<>)\]]+>?")
MAIL = re.compile(r"<?[\w.+-]+@[\w-]+(?:\.[\w-]+)+>?")


NOT_LETTERS = re.compile(r"[^A-Za-z ]+")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]+")


def letters(text):
    """The share of letters (of English) and spaces."""
    return len(NOT_LETTERS.sub("", text)) / max(1, len(text))


def tidy(text):
    """Plain punctuation; no controls, no pictures, nothing invisible."""
    text = text.translate(PUNCTUATION)
    if text.isascii():
        return CONTROL.sub("", text)
    text = unicodedata.normalize("NFC", text)
    return "".join(c for c in text if c in "\n\t" or
                   not unicodedata.category(c).startswith(("C", "So")))


def english(text):
    """Whether a long text has the common words of English."""
    words = re.findall(r"[a-z]+", text.lower())
    return len(words) < 25 or sum(w in COMMON for w in words) >= 0.16 * len(words)


def clean_line(text, style, why):
    text = MAIL.sub("", LINK.sub("", " ".join(tidy(text).split())))
    text = re.sub(r"\( *\)|\[ *\]|< *>", "", text)
    text = re.sub(r" +([,.;:!?)])(?=\s|$)", r"\1", " ".join(text.split()))
    if NOTICE.search(text):
        why["notice"] += len(text)
    elif RULE.match(text) or POINTER.match(text):
        why["rule"] += len(text)
    elif letters(text) < (0.6 if len(text) < 40 else 0.75):
        why["symbols"] += len(text)
    elif style != "list" and not english(text):
        why["not prose"] += len(text)
    else:
        return text
    return None


def clean_pre(text, style, why):
    text = tidy(text).expandtabs(4)
    lines = [l.rstrip() for l in text.split("\n")]
    kept = []
    for line in lines:
        if len(line) > 120 or (len(line) > 8 and RULE.match(line)) or \
                re.search(r"[A-Za-z0-9+/=]{44}", line):
            why["rule"] += len(line)
        elif NOTICE.search(line):
            why["notice"] += len(line)
        elif style != "code" and len(re.findall(r"\S {3,}(?=\S)", line)) > 1:
            why["table"] += len(line)
        elif line or (kept and kept[-1]):
            kept.append(line)
    while kept and not kept[-1]:
        kept.pop()
    text = "\n".join(kept)
    shown = re.sub(r"\s+", " ", text)
    gaps = sum(bool(re.search(r"\S {3,}\S", l)) for l in kept)
    if letters(shown) < (0.5 if style == "code" else 0.6):
        why["symbols"] += len(text)
    elif style != "code" and len(kept) > 2 and gaps * 2 > len(kept):
        why["table"] += len(text)
    else:
        return text
    return None


def clean(blocks, style, why):
    """The blocks that stay. `style` is prose, list (words, few sentences) or
    code."""
    out = []
    for kind, text in blocks:
        text = (clean_pre if kind == "pre" else clean_line)(text, style, why)
        if text:
            out.append((kind, text))
    return out
