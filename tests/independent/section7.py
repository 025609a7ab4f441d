"""Section 7: from weights to tokens, the OV and QK circuits."""

import numpy as np

import circuits
from circuits import best
from rules import Entry


def section_7(s):
    m, first, last = s.model(), *s.about["ordinary"]
    yield Entry("7.table.entries", m.d_vocab ** 2, "json", "exact",
                "numbers of a d_vocab x d_vocab circuit")
    yield Entry("7.table.factored", 2 * m.d_vocab * m.d_head, "json", "exact",
                "numbers when kept as two thin factors")
    own = 0
    for i, token in enumerate(s.about["ov_tokens"]):
        column = circuits.ov_columns(m, s.head, [s.tokenizer.single(token)])[:, 0]
        own += int(column.argmax() == s.tokenizer.single(token))
        yield Entry(f"7.ov.'{token}'", s.texts(best(column, 6)), "json", "list",
                    "" if i else "top outputs of the OV column")
    yield Entry("7.ov.own", own, "json", "exact", "columns that begin with their own token")
    yield Entry("7.ordinary", f"{first} to {last}", "text", "exact", "ordinary tokens")
    ordinary = np.arange(first, last + 1)
    shares = [circuits.copy_share(m, h, ordinary) for h in s.heads()]
    heads = f"heads {s.layer}.0 to {s.layer}.{m.n_heads - 1}"
    yield Entry("7.copy_share", shares, "f2", "digits",
                f"share of tokens {first}..{last} whose top OV output is the token itself, {heads}")
    yield from copy_scores(s, heads)
    yield from count_costs(s, len(ordinary))
    for i, token in enumerate(s.about["qk_tokens"]):
        row = circuits.qk_row(m, s.head, s.tokenizer.single(token))
        top = best(row, 8)
        yield Entry(f"7.qk.'{token}'", s.texts(top), "json", "list",
                    "" if i else "top sources of the QK row")
        yield Entry(f"7.qk.'{token}'.range", [row[top[0]], row[top[7]], np.median(row)], "r1",
                    "digits", "" if i else "largest, eighth, median score")
    yield from prediction(s)


def copy_scores(s, heads):
    m = s.model()
    scores = [circuits.copying_score(m, h) for h in s.heads()]
    yield Entry("7.copy_score", scores, "f3", "digits",
                f"Re(sum of eigenvalues) / sum of |eigenvalues| of W_U W_OV W_E, {heads}")
    total, trace = circuits.ov_eigenvalues(m, s.head).sum(), circuits.ov_trace(m, s.head)
    yield Entry("7.copy_score.trace_error", abs(total - trace) / abs(trace), "e1", "noise<=1e-06",
                "|sum of eigenvalues - trace| / |trace|")


def count_costs(s, n_ordinary):
    """Multiplications behind the copy shares of a layer."""
    m = s.model()
    columns = m.n_heads * n_ordinary
    # The rows W_U W_O of d_head numbers are made once a head, then used by every token.
    factored = columns * m.d_vocab * m.d_head + m.n_heads * m.d_vocab * m.d_model * m.d_head
    yield Entry("7.count.thin", f"{m.d_model / m.d_head:g}", "text", "exact", "d_model / d_head")
    dense = columns * (m.d_vocab * m.d_model + m.d_model ** 2)  # W_OV x, then W_U
    yield Entry("7.count.dense", dense, "e2", "digits",
                "multiplications when every column is formed from W_U and W_OV W_E")
    yield Entry("7.count.factored", factored, "e2", "digits", "the same from thin factors")
    # How much is done depends on the way of counting; mine here is the least there
    # can be, one entry a column, and half is what the book's may not reach.
    yield Entry("7.count.done", columns * m.d_head, "e2", "free",
                "when what is beaten is dropped", (0, factored / 2))


def prediction(s):
    """What the head adds at the last position to the predicted token's logit
    (before b_U and the final norm), split by where it comes from."""
    if s.layer != 0:
        raise SystemExit("section 7 splits a head of layer 0, which sees tokens and positions only")
    m, h, run = s.model(), s.head, s.run()
    reads = m.weights["unembed.W_U"][:, s.predicted] @ h.W_O  # d_head numbers
    weights = s.A[-1] / run["blocks.0.ln1.hook_scale"][:, 0]
    tokens = weights * (run["hook_embed"] @ h.W_V.T @ reads)
    positions = weights * (run["hook_pos_embed"] @ h.W_V.T @ reads)
    b_V = m.value_biases[0][s.number]
    parts = {"token": tokens.sum(), "position": positions.sum(), "bias": reads @ b_V}
    total, whole = sum(parts.values()), reads @ (s.z[-1] + b_V)
    for name, part in parts.items():
        yield Entry(f"7.split.{name}", part, "f3", "digits",
                    f"{name} part of what the head adds to the predicted token's logit")
    yield Entry("7.split.sum", total, "f3", "digits", "the three parts together")
    yield Entry("7.split.whole", whole, "f3", "digits", "the head's output itself")
    yield Entry("7.split.error", abs(total - whole), "e1", "noise<=1e-04", "|sum - whole|")

    entry = circuits.ov_columns(m, h, [s.moved])[s.predicted, 0]
    yield Entry("7.explain.column", entry, "f2", "digits",
                "OV column of the moved token, entry of the predicted one")
    yield Entry("7.explain.predicted", entry * s.A[-1][s.places].sum(), "f2", "digits",
                "times the weight on the moved token")
    yield Entry("7.explain.measured", tokens[s.places].sum(), "f2", "digits",
                "token parts of these places")
    row = circuits.qk_row(m, h, s.prompt[-1])
    yield Entry("7.explain.qk", row[s.moved], "f2", "digits",
                "QK row of the last token, entry of the moved one")
    yield Entry("7.explain.qk_median", np.median(row), "f2", "digits", "median of that row")
    higher = row[sorted(set(s.prompt))] > row[s.moved]
    yield Entry("7.explain.qk_prompt_rank", 1 + int(higher.sum()), "json", "exact",
                "its rank among the tokens of the prompt")
    yield Entry("7.explain.qk_rank", 1 + int(np.sum(row > row[s.moved])), "json", "exact",
                "rank of the moved token in it")
