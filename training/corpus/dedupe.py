"""Leaves out what was kept before: documents, long paragraphs, and the short
lines that a source repeats on page after page."""
import collections
import hashlib
import re

LONG = 100  # characters of a paragraph that may stand only once
OFTEN = 12  # documents of one source that may share a short line


def digest(text):
    squeezed = re.sub(r"[^a-z0-9]+", " ", text.lower())
    return hashlib.sha256(squeezed.encode()).digest()[:12]


def repeated_lines(documents):
    """Short lines that stand in many documents of a source."""
    count = collections.Counter()
    for blocks in documents:
        count.update({text for kind, text in blocks
                      if kind != "pre" and 12 <= len(text) < LONG})
    return {text for text, n in count.items() if n > OFTEN}


def dedupe(documents, seen, why):
    """Yields the documents without what is in `seen`, and adds to it."""
    often = repeated_lines(documents)
    for blocks in documents:
        kept = []
        for kind, text in blocks:
            mark = digest(text) if len(text) >= LONG else None
            if mark in seen:
                why["repeated"] += len(text)
            elif text in often:
                why["on every page"] += len(text)
            else:
                if mark:
                    seen.add(mark)
                kept.append((kind, text))
        yield kept
