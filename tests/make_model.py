"""Writes a small attention-only model with random weights.

make_model.py FOLDER [KEY=VALUE...]: config.json and model.safetensors. A key is
one of the sizes below; norm=LN, LNPre or none; shortformer=1; zero=NAME sets
the tensors whose names end so to zeros. The same arguments give the same bytes.
"""
import json
import os
import sys

import numpy as np

SIZES = {"n_layers": 1, "d_model": 12, "n_heads": 3, "d_head": 4, "n_ctx": 16,
         "d_vocab": 20}


def tensors(c, norms):
    D, H, K = c["d_model"], c["n_heads"], c["d_head"]
    yield "embed.W_E", (c["d_vocab"], D)
    yield "pos_embed.W_pos", (c["n_ctx"], D)
    for l in range(c["n_layers"]):
        for name in ("ln1.w", "ln1.b") if norms else ():
            yield f"blocks.{l}.{name}", (D,)
        for name in "QKV":
            yield f"blocks.{l}.attn.W_{name}", (H, D, K)
            yield f"blocks.{l}.attn.b_{name}", (H, K)
        yield f"blocks.{l}.attn.W_O", (H, K, D)
        yield f"blocks.{l}.attn.b_O", (D,)
    for name in ("ln_final.w", "ln_final.b") if norms else ():
        yield name, (D,)
    yield "unembed.W_U", (D, c["d_vocab"])
    yield "unembed.b_U", (c["d_vocab"],)


def main():
    folder, given = sys.argv[1], dict(a.split("=", 1) for a in sys.argv[2:])
    norm, zero = given.get("norm", "LN"), given.get("zero")
    config = {key: int(given.get(key, size)) for key, size in SIZES.items()}
    random = np.random.default_rng(11)
    header, data = {}, b""
    for name, shape in tensors(config, norm == "LN"):
        x = random.standard_normal(shape)
        if zero and name.endswith(zero):
            x *= 0
        part = x.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": shape,
                        "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    config |= {"attn_only": True, "normalization": None if norm == "none" else norm,
               "shortformer_pos": "shortformer" in given}
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/config.json", "w") as f:
        json.dump(config, f)
    with open(f"{folder}/model.safetensors", "wb") as f:
        text = json.dumps(header).encode()
        f.write(len(text).to_bytes(8, "little") + text + data)


main()
