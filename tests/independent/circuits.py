"""One head in the paper's shapes, and what can be computed from its weights.

W_Q, W_K, W_V are d_head x d_model, W_O is d_model x d_head, W_E is
d_model x d_vocab, W_U is d_vocab x d_model; vectors are columns.
"""

import numpy as np


class Head:
    def __init__(self, model, layer, head):
        self.W_Q, self.W_K, self.W_V, self.W_O = (
            model.attn(layer, f"W_{m}")[head].T for m in "QKVO")
        self.b_Q, self.b_K = model.attn(layer, "b_Q")[head], model.attn(layer, "b_K")[head]
        self.d_head, self.d_model = self.W_Q.shape
        self.W_OV = self.W_O @ self.W_V
        self.W_QK = self.W_Q.T @ self.W_K
        self.factors = {"W_OV": (self.W_O, self.W_V), "W_QK": (self.W_Q.T, self.W_K)}

    def W_QK_augmented(self):
        """W_QK for a stream with one more dimension that is always 1."""
        with_biases_q = np.column_stack([self.W_Q, self.b_Q])
        with_biases_k = np.column_stack([self.W_K, self.b_K])
        return with_biases_q.T @ with_biases_k

    def overlap(self):
        """1: reads the subspace that it writes; 0: an orthogonal one."""
        Q_w = np.linalg.qr(self.W_O)[0]
        Q_r = np.linalg.qr(self.W_V.T)[0]
        return np.sum((Q_w.T @ Q_r) ** 2) / self.d_head


def largest(difference):
    return np.abs(difference).max()


def singular_values(W):
    return np.linalg.svd(W, compute_uv=False)


def thin_singular_values(left, right):
    """Those of left @ right, tall times wide, from the core between two QRs."""
    return singular_values(np.linalg.qr(left, "r") @ np.linalg.qr(right.T, "r").T)


def random_overlaps(d_model, d_head, count, seed=1):
    """Overlaps of random subspaces with a fixed one; any will do, so the first axes."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        Q = np.linalg.qr(random.standard_normal((d_model, d_head)))[0]
        yield np.sum(Q[:d_head] ** 2) / d_head


def rank(W):
    s = singular_values(W)
    return int(np.sum(s > max(W.shape) * np.finfo(float).eps * s[0]))


def best(values, count):
    """Indices of the largest values, largest first, the lower index on a tie."""
    return np.argsort(-values, kind="stable")[:count]


def embeddings(model, tokens):
    """Columns W_E t, centred and scaled (n - 1) to the size of a layer norm's output."""
    E = model.weights["embed.W_E"][tokens]
    E = E - E.mean(1, keepdims=True)
    return (E / E.std(1, ddof=1, keepdims=True)).T


def ov_columns(model, head, tokens):
    """Columns of W_U W_OV W_E for some tokens: d_vocab x len(tokens)."""
    return model.weights["unembed.W_U"].T @ (head.W_O @ (head.W_V @ embeddings(model, tokens)))


def qk_row(model, head, query):
    """One row of W_E^T W_QK W_E / sqrt(d_head), without biases and positions."""
    q = head.W_Q @ embeddings(model, [query])[:, 0]
    reads = head.W_K.T @ q  # the direction in the stream that the query looks for
    everyone = np.arange(model.d_vocab)
    blocks = np.array_split(everyone, 1 + model.d_vocab // 4096)
    scores = [reads @ embeddings(model, block) for block in blocks]
    return np.concatenate(scores) / np.sqrt(head.d_head)


def copy_share(model, head, tokens):
    """Share of the tokens whose OV column is largest at the token itself."""
    hits = 0
    for block in np.array_split(tokens, 1 + len(tokens) // 256):
        hits += np.sum(ov_columns(model, head, block).argmax(0) == block)
    return hits / len(tokens)


def vocabulary_factors(model, head):
    """W_U W_OV W_E, embeddings as they are, as d_vocab x d_head times d_head x d_vocab."""
    return (model.weights["unembed.W_U"].T @ head.W_O,
            head.W_V @ model.weights["embed.W_E"].T)


def ov_eigenvalues(model, head):
    """The d_head eigenvalues of W_U W_OV W_E that can differ from 0."""
    out, into = vocabulary_factors(model, head)
    return np.linalg.eigvals(into @ out)


def ov_trace(model, head):
    """The sum of the diagonal of W_U W_OV W_E, entry by entry."""
    out, into = vocabulary_factors(model, head)
    return np.sum(out * into.T)


def copying_score(model, head):
    """Re(sum of eigenvalues) / sum of |eigenvalues| of W_U W_OV W_E."""
    values = ov_eigenvalues(model, head)
    return values.sum().real / np.abs(values).sum()


def product_size(B, A):
    """||B A|| / (||B|| ||A||)"""
    norm = np.linalg.norm
    return norm(B @ A) / (norm(B) * norm(A))


def composition(earlier, later):
    """product_size for the later head's queries, keys and values."""
    sides = {"Q": later.W_QK.T, "K": later.W_QK, "V": later.W_OV}
    return {m: product_size(B, earlier.W_OV) for m, B in sides.items()}
