"""Checks this checker against what TransformerLens made of two small models."""

import json
import pathlib

import numpy as np

import circuits
from model import Model
from weights import read_safetensors, read_weights


class Ledger:
    """One line for each comparison; counts what is out of bounds."""

    def __init__(self):
        self.failures = 0

    def close(self, name, mine, theirs, rtol=0.0, atol=0.0):
        mine, theirs = np.asarray(mine), np.asarray(theirs)
        same_shape = mine.shape == theirs.shape
        largest, ok = np.inf, False
        if same_shape:
            finite = np.isfinite(theirs)
            gap = np.abs(mine[finite].astype(float) - theirs[finite].astype(float))
            largest = gap.max() if gap.size else 0.0
            ok = (np.array_equal(finite, np.isfinite(mine))
                  and np.all(gap <= atol + rtol * np.abs(theirs[finite])))
        self.line(name, ok, f"largest difference {largest:.1e}  rtol {rtol:g} atol {atol:g}")

    def same(self, name, mine, theirs):
        mine, theirs = list(mine), list(theirs)
        ok = mine == theirs
        self.line(name, ok, f"{len(mine)} the same" if ok else f"{mine} / {theirs}")

    def line(self, name, ok, detail):
        self.failures += not ok
        print(f"{'ok' if ok else 'MISMATCH':9} {name:48} {detail}")


def check_head(out, name, model, layer, head, theirs):
    h = circuits.Head(model, layer, head)
    everyone, some = np.arange(model.d_vocab), 7
    named = {k.split(" ")[0] + " " + k.split(" ")[1]: v for k, v in theirs.items()}
    for W in ("W_OV", "W_QK"):
        mine = circuits.singular_values(getattr(h, W))[:h.d_head]
        out.close(f"{name} singular values of {W}", mine, named[f"{W} singular"], rtol=1e-5)
    out.close(f"{name} overlap", h.overlap(), named["read/write overlap"], rtol=1e-5)
    share = circuits.copy_share(model, h, everyone)
    out.close(f"{name} copying share", share, named["share of"], rtol=1e-5)
    score = circuits.copying_score(model, h)
    out.close(f"{name} copying score", score, named["copying score"], rtol=1e-5)
    column = circuits.ov_columns(model, h, [some])[:, 0]
    out.same(f"{name} OV column of 7", circuits.best(column, 3), named["OV top"])
    row = circuits.qk_row(model, h, some)
    out.same(f"{name} QK row of 7", circuits.best(row, 3), named["QK top"])


def check_model(out, folder, name):
    config = json.loads((folder / f"{name}.config.json").read_text())
    raw = read_safetensors(folder / f"{name}.safetensors")
    pth = read_weights(folder / f"{name}.pth")
    out.same(f"{name} names in .pth", sorted(pth), sorted(raw))
    for key, tensor in pth.items():
        out.close(f"{name} .pth {key}", tensor, raw[key])

    model = Model(config, raw)
    processed = read_safetensors(folder / f"{name}.processed.safetensors")
    out.same(f"{name} names of weights", sorted(model.weights), sorted(processed))
    for key, tensor in processed.items():
        out.close(f"{name} {key}", model.weights[key], tensor, 1e-5, 1e-5)

    theirs = read_safetensors(folder / f"{name}.activations.safetensors")
    tokens = theirs.pop("tokens")
    mine = model.run(tokens)
    out.same(f"{name} names of activations", sorted(mine), sorted(theirs))
    for key, tensor in theirs.items():
        bounds = (0, 1e-4) if key == "unembed.hook_out" else (1e-5, 1e-5)
        if key.endswith("hook_attn_scores"):  # a file's IGNORE may stand for -inf
            tensor[tensor <= -1e5] = -np.inf
        out.close(f"{name} {key}", mine[key], tensor, *bounds)

    facts = json.loads((folder / f"{name}.golden.json").read_text())
    out.same(f"{name} tokens", tokens, facts["tokens"])
    out.same(f"{name} top 3", circuits.best(mine["unembed.hook_out"][-1], 3), facts["top3_last"])
    for key, values in facts.items():
        if key.startswith("head "):
            layer, head = map(int, key[5:].split("."))
            check_head(out, f"{name} {key[5:]}", model, layer, head, values)
        elif key.startswith("composition"):
            for pair, scores in values.items():
                a, b = (circuits.Head(model, *map(int, s.split("."))) for s in pair.split("->"))
                got = circuits.composition(a, b)
                for side, score in scores.items():
                    out.close(f"{name} {side}-composition {pair}", got[side], score, rtol=1e-5)


def check_golden(folder):
    """The number of comparisons that are out of bounds."""
    out, folder = Ledger(), pathlib.Path(folder)
    names = sorted(p.name[:-len(".golden.json")] for p in folder.glob("*.golden.json"))
    if not names:
        raise SystemExit(f"{folder}: no *.golden.json here")
    for name in names:
        check_model(out, folder, name)
    print(f"{out.failures} golden comparisons out of bounds")
    return out.failures
