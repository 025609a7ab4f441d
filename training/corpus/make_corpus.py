#!/usr/bin/env python3
"""make_corpus.py CACHE OUT: writes OUT/corpus.txt and OUT/manifest.tsv.

Reads sources.tsv beside this file and the packages that fetch.sh put in CACHE.
A document ends in the byte 0x1e, which stands nowhere else. Documents are in the
order of their SHA-256, so that any stretch of the file is a fair sample of it.
The same packages give the same bytes.

  --only NAME,NAME   these sources alone
  --list FILE        another list of sources
  --samples N        also writes OUT/samples.txt, N pieces of every source
"""
import argparse
import collections
import csv
import hashlib
import multiprocessing
import os

import packages
import read_dict
import read_games
import read_html
import read_text
from blocks import drop_bare_heads, to_text
from clean import clean
from dedupe import dedupe

HERE = os.path.dirname(os.path.abspath(__file__))
END = b"\x1e"
SHORTEST = 200  # bytes of a document; less is no context to learn from
SHARE = 20      # no source is more than one part in SHARE
READERS = {}
for module in (read_html, read_dict, read_games, read_text):
    READERS.update({k: v for k, v in vars(module).items()
                    if callable(v) and not k.startswith("_")})


def sources(path):
    with open(path, newline="") as f:
        rows = csv.DictReader((l for l in f if not l.startswith("#")),
                              delimiter="\t")
        return [dict(r) for r in rows]


def read(job):
    """The cleaned documents of one source, and what was dropped."""
    cache, s = job
    why = collections.Counter()
    versions, documents, found = [], [], []
    for name in s["packages"].split(","):
        path, version = packages.find(cache, s["kind"], name, s["version"])
        versions.append(f"{name} {version}")
        found += packages.files(s["kind"], path, s["files"])
    if not found:
        raise packages.Problem(f"{s['name']}: no file matches {s['files']}")
    n_read = sum(len(data) for _, data in found)
    for blocks in READERS[s["reader"]](found):
        blocks = clean(blocks, s["style"], why)
        if blocks:
            documents.append(blocks)
    return s["name"], versions, n_read, documents, why


def choose(documents, limit):
    """Documents in the order of their hashes, as many as the limit takes."""
    kept, total = [], 0
    for mark, text in sorted((hashlib.sha256(t).hexdigest(), t)
                             for t in documents):
        if total + len(text) + 1 <= limit:
            kept.append((mark, text))
            total += len(text) + 1
    return kept, total


def fair_limit(sizes):
    """The largest limit that is at most one SHARE of what it leaves."""
    low, high = 0, sum(sizes)
    while high - low > 1:
        middle = (low + high) // 2
        if middle * SHARE <= sum(min(s, middle) for s in sizes):
            low = middle
        else:
            high = middle
    return low if len(sizes) > SHARE else sum(sizes)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("cache")
    p.add_argument("out")
    p.add_argument("--only", default="")
    p.add_argument("--list", default=os.path.join(HERE, "sources.tsv"))
    p.add_argument("--samples", type=int, default=0)
    args = p.parse_args()
    os.makedirs(args.out, exist_ok=True)
    wanted = [s for s in sources(args.list)
              if not args.only or s["name"] in args.only.split(",")]
    seen, parts = set(), []
    with multiprocessing.Pool(min(2, len(wanted))) as pool:
        jobs = [(args.cache, s) for s in wanted]
        for s, result in zip(wanted, pool.imap(read, jobs)):
            name, versions, n_read, documents, why = result
            texts = [to_text(drop_bare_heads(d)).encode()
                     for d in dedupe(documents, seen, why)]
            long = {t for t in texts if len(t) >= SHORTEST and END not in t}
            why["short"] += sum(len(t) for t in texts if len(t) < SHORTEST)
            own = float(s["limit"]) * 1e6 if s["limit"] != "-" else 1e12
            kept, total = choose(long, own)
            why["over the limit"] += sum(map(len, long)) - sum(
                len(t) for _, t in kept)
            parts.append((s, versions, n_read, kept, total, why))
            print(f"{name:22} {n_read / 1e6:8.2f} MB read {total / 1e6:7.2f} MB "
                  f"kept, {len(kept)} documents", flush=True)
    write(parts, args)


def write(parts, args):
    limit = fair_limit([total for _, _, _, _, total, _ in parts])
    final = []
    for s, versions, n_read, kept, total, why in parts:
        chosen, size = choose([t for _, t in kept], limit)
        why["over the limit"] += total - size
        final.append((s, versions, n_read, chosen, size, why))
    everything = sum(size for *_, size, _ in final)
    order = sorted(d for _, _, _, chosen, _, _ in final for d in chosen)
    whole = hashlib.sha256()
    # corpus.txt takes its name last, when all is written.
    corpus = os.path.join(args.out, "corpus.txt")
    with open(corpus + ".new", "wb") as f:
        for _, text in order:
            f.write(text + END)
            whole.update(text + END)
    with open(os.path.join(args.out, "manifest.tsv"), "w") as f:
        f.write("source\tpackages\tlicence\tbytes read\tbytes kept\tdocuments\t"
                "share\tSHA-256 of what was kept\tcharacters left out\n")
        for s, versions, n_read, chosen, size, why in final:
            mark = hashlib.sha256(b"".join(t + END for _, t in chosen))
            left = ", ".join(f"{k} {v}" for k, v in sorted(why.items()) if v)
            f.write(f"{s['name']}\t{', '.join(versions)}\t{s['licence']}\t"
                    f"{n_read}\t{size}\t{len(chosen)}\t"
                    f"{100 * size / max(1, everything):.2f} %\t"
                    f"{mark.hexdigest()}\t{left}\n")
        f.write(f"all\t\t\t{sum(p[2] for p in final)}\t{everything}\t"
                f"{len(order)}\t100.00 %\t{whole.hexdigest()}\t\n")
    os.replace(corpus + ".new", corpus)
    if args.samples:
        write_samples(final, args)


def write_samples(final, args):
    """Pieces from evenly spaced documents of every source."""
    with open(os.path.join(args.out, "samples.txt"), "w") as f:
        for s, _, _, chosen, _, _ in final:
            step = max(1, len(chosen) // args.samples)
            for _, text in chosen[::step][:args.samples]:
                at = len(text) // 3
                piece = text[at:at + 600].decode(errors="replace")
                f.write(f"===== {s['name']}\n{piece}\n")


if __name__ == "__main__":
    try:
        main()
    except packages.Problem as problem:
        raise SystemExit(f"make_corpus.py: {problem}") from None
