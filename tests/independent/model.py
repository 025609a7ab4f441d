"""An attention-only transformer in float64: its processed weights, its run.

Tensors keep the file's shapes here (W_Q [H, D, K], W_O [H, K, D], W_U [D, V]);
circuits.py turns a head into the paper's shapes.
"""

import re

import numpy as np

LN_EPS = 1e-5
SKIPPED = re.compile(r"blocks\.\d+\.attn\.(mask|IGNORE)")


class Model:
    """Weights after fold_ln, center_writing_weights, center_unembed and
    fold_value_biases, in that order."""

    def __init__(self, config, raw):
        if not config["attn_only"] or config.get("shortformer_pos"):
            raise SystemExit("only attention-only models with standard positions")
        self.n_layers, self.n_heads = config["n_layers"], config["n_heads"]
        self.d_model, self.d_head = config["d_model"], config["d_head"]
        self.d_vocab = config["d_vocab"]
        w = {k: v.copy() for k, v in raw.items() if not SKIPPED.fullmatch(k)}
        self.weights = w
        self.add_missing_biases()
        self.fold_layer_norms()
        self.center_what_writes()
        w["unembed.W_U"] -= w["unembed.W_U"].mean(1, keepdims=True)
        w["unembed.b_U"] -= w["unembed.b_U"].mean()
        self.fold_value_biases()

    def attn(self, layer, name):
        return self.weights[f"blocks.{layer}.attn.{name}"]

    def add_missing_biases(self):
        w, heads = self.weights, (self.n_heads, self.d_head)
        for l in range(self.n_layers):
            for name in ("b_Q", "b_K", "b_V"):
                w.setdefault(f"blocks.{l}.attn.{name}", np.zeros(heads))
            w.setdefault(f"blocks.{l}.attn.b_O", np.zeros(self.d_model))
        w.setdefault("unembed.b_U", np.zeros(self.d_vocab))

    def fold_layer_norms(self):
        """Scale and shift go into the matrix that reads, whose columns are then
        centred over d_model; the normalisation itself stays in the run."""
        w = self.weights
        for l in range(self.n_layers):
            gain = w.pop(f"blocks.{l}.ln1.w", None)
            shift = w.pop(f"blocks.{l}.ln1.b", None)
            if gain is None:
                continue
            for m in "QKV":
                W, b = self.attn(l, f"W_{m}"), self.attn(l, f"b_{m}")
                b += shift @ W
                W *= gain[:, None]
                W -= W.mean(1, keepdims=True)
        gain, shift = w.pop("ln_final.w", None), w.pop("ln_final.b", None)
        if gain is not None:
            W_U = w["unembed.W_U"]
            w["unembed.b_U"] += shift @ W_U
            W_U *= gain[:, None]
            W_U -= W_U.mean(0)

    def center_what_writes(self):
        """A layer norm takes the mean away anyway; so nothing writes one."""
        names = ["embed.W_E", "pos_embed.W_pos"]
        for l in range(self.n_layers):
            names += [f"blocks.{l}.attn.W_O", f"blocks.{l}.attn.b_O"]
        for name in names:
            self.weights[name] -= self.weights[name].mean(-1, keepdims=True)

    def fold_value_biases(self):
        """Rows of a pattern sum to 1, so a value bias adds the same everywhere.
        What it was is kept beside the weights, one [H, K] a layer."""
        self.value_biases = []
        for l in range(self.n_layers):
            b_O, b_V = self.attn(l, "b_O"), self.attn(l, "b_V")
            b_O += np.einsum("hk,hkd->d", b_V, self.attn(l, "W_O"))
            self.value_biases.append(b_V.copy())
            b_V[:] = 0
            b_O -= b_O.mean()

    def run(self, tokens):
        """Every activation under TransformerLens's hook names."""
        w, n = self.weights, len(tokens)
        future = np.triu(np.ones((n, n), bool), 1)
        c = {"hook_embed": w["embed.W_E"][tokens], "hook_pos_embed": w["pos_embed.W_pos"][:n]}
        x = c["hook_embed"] + c["hook_pos_embed"]
        for l in range(self.n_layers):
            c[f"blocks.{l}.hook_resid_pre"] = x
            normal, scale = layer_norm(x)
            c[f"blocks.{l}.ln1.hook_scale"] = scale
            c[f"blocks.{l}.ln1.hook_normalized"] = normal
            q, k, v = (np.einsum("pd,hdk->phk", normal, self.attn(l, f"W_{m}"))
                       + self.attn(l, f"b_{m}") for m in "QKV")
            scores = np.einsum("ihk,jhk->hij", q, k) / np.sqrt(self.d_head)
            scores[:, future] = -np.inf
            pattern = softmax(scores)
            z = np.einsum("hij,jhk->ihk", pattern, v)
            added = np.einsum("ihk,hkd->id", z, self.attn(l, "W_O")) + self.attn(l, "b_O")
            x = x + added
            kept = {"q": q, "k": k, "v": v, "attn_scores": scores, "pattern": pattern, "z": z}
            c.update({f"blocks.{l}.attn.hook_{m}": a for m, a in kept.items()})
            c[f"blocks.{l}.hook_attn_out"] = added
            c[f"blocks.{l}.hook_resid_post"] = x
        normal, c["ln_final.hook_scale"] = layer_norm(x)
        c["ln_final.hook_normalized"] = c["unembed.hook_in"] = normal
        c["unembed.hook_out"] = normal @ w["unembed.W_U"] + w["unembed.b_U"]
        return c


def layer_norm(x):
    """What is left of the layer norm: (normalised x, the scale it divided by)."""
    x = x - x.mean(-1, keepdims=True)
    scale = np.sqrt((x ** 2).mean(-1, keepdims=True) + LN_EPS)
    return x / scale, scale


def softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
