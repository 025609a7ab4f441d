"""Makes a model set of the size of attn-only-1l and attn-only-2l, with random weights.

    synthetic.py FOLDER [D_VOCAB]

writes FOLDER/{set.json,tokenizer.json} and FOLDER/{1l,2l}/{config.json,model.safetensors}.
It stands in for the real files where only size and form matter, and every claim of
the book holds for it. Each head reads 64 of the 512 dimensions and writes them into
64 others. It copies the share of tokens that was published for attn-only-1l: where it
copies a token, the token's row of W_U has there what the head reads of its embedding,
elsewhere that with the other sign. Head 0.3 looks from " green" at " tea".
"""

import json
import pathlib
import struct
import sys

import numpy as np

D, H, K, C = 512, 8, 64, 1024
SHARES = (0.37, 0, 0, 0.34, 0.26, 0, 0.12, 0)
PROMPT = "I like green tea, so I drink green"
OV = [" tea", " green", " Paris", " Obama", " coffee", " cat", " London", " Potter"]
QK = [" in", " see", " of", " the", " drink"]


def weights(layers, V, tea, green):
    random = np.random.default_rng(layers)
    normal = lambda *shape: random.standard_normal(shape, dtype=np.float32)
    W_E = normal(V, D)
    copied = (np.arange(V)[:, None] * 0.6180339887 % 1) < np.repeat(SHARES, K)
    copied[tea, 3 * K:4 * K] = True
    # What head h reads, block h, it writes into block h + 4.
    W_U = np.roll(np.where(copied, W_E, -W_E), D // 2, axis=1)
    yield "embed.W_E", W_E
    yield "pos_embed.W_pos", 0.1 * normal(C, D)
    own = np.eye(D, dtype=np.float32).reshape(H, K, D)
    for l in range(layers):
        block = f"blocks.{l}."
        yield block + "ln1.w", 1 + 0.01 * normal(D)
        yield block + "ln1.b", 0.01 * normal(D)
        for name, token in (("W_Q", green), ("W_K", tea)):
            W = 0.1 * normal(H, D, K)
            W[3, :, 0] = W_E[token] / 30
            yield block + "attn." + name, W
        yield block + "attn.W_V", own.swapaxes(1, 2) + 0.001 * normal(H, D, K)
        strength = np.where(np.arange(H) == 3, 5, 0.5).astype(np.float32)[:, None, None]
        yield block + "attn.W_O", (strength * np.roll(own, D // 2, axis=2)
                                   + 0.001 * normal(H, K, D))
        for name in ("b_Q", "b_K", "b_V"):
            yield block + "attn." + name, 0.01 * normal(H, K)
        yield block + "attn.b_O", 0.01 * normal(D)
    yield "ln_final.w", 1 + 0.01 * normal(D)
    yield "ln_final.b", 0.01 * normal(D)
    yield "unembed.W_U", W_U.T
    yield "unembed.b_U", np.zeros(V, np.float32)


def write_safetensors(path, tensors):
    header, begin, parts = {}, 0, []
    for name, array in tensors:
        array = np.ascontiguousarray(array, np.float32)
        header[name] = {"dtype": "F32", "shape": list(array.shape),
                        "data_offsets": [begin, begin + array.nbytes]}
        begin += array.nbytes
        parts.append(array)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for array in parts:
            f.write(array.tobytes())


def characters():
    """GPT-2's character for each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table, extra = {}, 256
    for byte in range(256):
        table[byte] = chr(byte) if byte in plain else chr(extra)
        extra += byte not in plain
    return table


def tokenizer(V):
    """Bytes, what the wanted words need to be single tokens, and filler."""
    table = characters()
    vocab, merges = [*table.values()], []
    for word in OV + QK + [" like", " so", " I"]:
        pieces = [table[byte] for byte in word.encode()]
        while len(pieces) > 1:
            pair, pieces = pieces[:2], ["".join(pieces[:2]), *pieces[2:]]
            if pair not in merges:
                merges.append(pair)
            if pieces[0] not in vocab:
                vocab.append(pieces[0])
    filler = (f"filler{i}" for i in range(V))
    vocab += [next(filler) for _ in range(V - 1 - len(vocab))]
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": V - 1, "content": "<|BOS|>", "single_word": False,
                          "lstrip": False, "rstrip": False, "normalized": False,
                          "special": True}],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False,
                          "trim_offsets": True, "use_regex": True},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True,
                    "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "dropout": None, "unk_token": None,
                  "continuing_subword_prefix": None, "end_of_word_suffix": None,
                  "fuse_unk": False, "byte_fallback": False,
                  "vocab": {token: i for i, token in enumerate(vocab)},
                  "merges": merges},
    }


def main(folder, V=48262):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer(V)))
    vocab = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    for layers in (1, 2):
        where = folder / f"{layers}l"
        where.mkdir(parents=True, exist_ok=True)
        (where / "config.json").write_text(json.dumps({
            "n_layers": layers, "d_model": D, "d_head": K, "n_heads": H, "n_ctx": C,
            "d_vocab": V, "attn_only": True, "act_fn": None, "normalization": "LN",
            "tokenizer_name": "tokenizer.json"}))
        write_safetensors(where / "model.safetensors",
                          weights(layers, V, vocab["Ġtea"], vocab["Ġgreen"]))
    (folder / "set.json").write_text(json.dumps({
        "name": folder.name, "about": "Random weights at full size.",
        "models": {"1l": "1l", "2l": "2l"}, "head": "0.3", "prompt": PROMPT,
        "moved": " tea", "ov_tokens": OV, "qk_tokens": QK, "ordinary": [1000, 2999]}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
