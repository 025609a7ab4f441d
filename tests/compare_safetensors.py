"""Holds a safetensors file against one or more golden ones.

compare_safetensors.py FILE GOLDEN...: the names of all GOLDEN together must be
those of FILE, and so must shapes, types and numbers, within the bounds of
tests/golden/README.md. With --part in front FILE may have more names. Prints the
largest differences; exits with 1 when a number is outside its bound.
"""
import json
import sys

import numpy as np

TYPES = {"F32": np.float32, "I64": np.int64}
SKIPPED = (".attn.mask", ".attn.IGNORE")  # leftovers of old checkpoints


def load(path):
    with open(path, "rb") as f:
        header = json.loads(f.read(int.from_bytes(f.read(8), "little")))
        data = f.read()
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        if name.endswith(SKIPPED):
            continue
        begin, end = entry["data_offsets"]
        numbers = np.frombuffer(data[begin:end], TYPES[entry["dtype"]])
        tensors[name] = numbers.reshape(entry["shape"])
    return tensors


def difference(name, x, golden):
    """The largest |x - golden|, and whether all are within bounds."""
    if x.shape != golden.shape or x.dtype != golden.dtype:
        print(f"{name}: {x.dtype}{x.shape}, expected {golden.dtype}{golden.shape}")
        return np.inf, False
    if x.dtype == np.int64:
        return np.abs(x - golden).max(), np.array_equal(x, golden)
    x, golden = x.astype(float), golden.astype(float)
    if name.endswith("hook_attn_scores"):
        future = np.broadcast_to(np.triu(np.ones(x.shape[1:], bool), 1), x.shape)
        if not np.isneginf(x[future]).all() or not (golden[future] <= -1e5).all():
            print(f"{name}: a score of a future token is not -inf")
            return np.inf, False
        x, golden = x[~future], golden[~future]
    atol = 1e-4 if name == "unembed.hook_out" else 1e-5
    apart = np.abs(x - golden)
    return apart.max(), bool((apart <= atol + 1e-5 * np.abs(golden)).all())


def main():
    part = sys.argv[1] == "--part"
    ours, golden, good = load(sys.argv[1 + part]), {}, True
    for path in sys.argv[2 + part:]:
        golden.update(load(path))
    for name in sorted(golden.keys() - ours.keys() if part else
                       golden.keys() ^ ours.keys()):
        print(f"{name}: only in {'the file' if name in ours else 'the golden files'}")
        good = False
    largest = {}
    for name in ours.keys() & golden.keys():
        apart, within = difference(name, ours[name], golden[name])
        if not within:
            print(f"{name}: differs by {apart:.3g}, more than its bound")
            good = False
        kind = name.split(".", 2)[-1] if name.startswith("blocks.") else name
        largest[kind] = max(largest.get(kind, 0), apart)
    for kind, apart in sorted(largest.items(), key=lambda item: -item[1]):
        print(f"{apart:8.2g}  {kind}")
    return not good


sys.exit(main())
