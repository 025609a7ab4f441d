"""Section 6: what the two matrices of a head show."""

import itertools

import numpy as np

import circuits
from circuits import largest, singular_values
from rules import Entry


def section_6(s):
    h, D, K = s.head, s.head.d_model, s.head.d_head
    yield Entry("6.W_OV.shape", [D, D], "json", "exact", "shape of W_OV")
    yield Entry("6.W_OV.entries", D * D, "json", "exact")
    for name, W in (("W_OV", h.W_OV), ("W_QK", h.W_QK)):
        yield Entry(f"6.{name}.rank", circuits.rank(W), "json", "exact")
        if name == "W_OV":
            yield Entry("6.W_OV.factored", 2 * D * K, "json", "exact",
                        "numbers when stored as two factors")
        sv = singular_values(W)
        for n, style, rule in ((1, "f3", "digits"), (2, "f3", "digits"), (K, "f4", "digits"),
                               (K + 1, "e1", "noise<=1e-05"), (D, "e1", "noise<=1e-05")):
            meaning = {1: "largest singular value", K + 1: "zero up to rounding"}.get(n, "")
            yield Entry(f"6.{name}.sv.{n}", sv[n - 1], style, rule,
                        meaning if name == "W_OV" else "")
        yield Entry(f"6.{name}.sv.{K + 1}.double", sv[K], "e1", "noise<=1e-12",
                    "the same in double precision")
        if name == "W_OV":
            yield Entry("6.W_OV.tolerance", D * 2.0 ** -23 * sv[0], "e1", "digits",
                        "d_model * epsilon * sigma_1 in single precision")
        thin = circuits.thin_singular_values(*h.factors[name])
        yield Entry(f"6.{name}.thin_minus_full", largest(thin - sv[:K]), "e1", "noise<=1e-12",
                    "singular values from the core of the thin factors")
    yield from overlaps(s)
    yield from random_change_of_basis(s)
    yield from virtual_head(s)


def overlaps(s):
    D, K, heads = s.head.d_model, s.head.d_head, s.heads()
    found = [h.overlap() for h in heads]
    yield Entry("6.overlap", found, "f3", "digits",
                "read/write subspace overlap of W_OV, "
                f"heads {s.layer}.0 to {s.layer}.{len(heads) - 1}")
    yield Entry("6.overlap.random", f"{K / D:g}", "text", "exact", "d_head / d_model")
    samples = list(circuits.random_overlaps(D, K, 256))
    mean, sd = np.mean(samples), np.std(samples)
    error = sd / np.sqrt(32)  # of a mean over as many samples as the book takes
    yield Entry("6.overlap.random.mean", mean, "f4", "free", "measured on random subspaces",
                (K / D - 4 * error, K / D + 4 * error))
    yield Entry("6.overlap.random.sd", sd, "f4", "free", "", (sd / 2, 2 * sd))
    high = [f"{s.layer}.{i}" for i, o in enumerate(found) if o >= 1.5 * K / D]
    yield Entry("6.overlap.high", ", ".join(high) or "none", "text", "exact",
                "heads with at least 1.5 times the random overlap")


def random_change_of_basis(s):
    """M on the values and M^-1 on what writes them; M on queries, M^-T on keys."""
    h, x = s.head, s.x
    M = np.random.default_rng(1).standard_normal((h.d_head, h.d_head))
    inverse = np.linalg.inv(M)
    v, q, k = x @ h.W_V.T, x @ h.W_Q.T + h.b_Q, x @ h.W_K.T + h.b_K
    v_M, q_M, k_M = v @ M.T, q @ M.T, k @ inverse
    output, scores = s.A @ v @ h.W_O.T, q @ k.T
    # Mine is about eight times the mean size; what the book says, "several times",
    # allows a third of that and more than that.
    change_v, change_q = np.abs(v_M - v).mean(), np.abs(q_M - q).mean()
    yield Entry("6.M.values.mean_change", change_v, "f2", "free", "several times the mean size",
                (0.3 * change_v, 30 * change_v))
    yield Entry("6.M.values.mean_size", np.abs(v).mean(), "f2", "digits",
                "mean |value| of the head on the prompt")
    yield Entry("6.M.output.max_change", largest(s.A @ v_M @ (h.W_O @ inverse).T - output), "e1",
                "noise<=1e-11", "in double precision")
    yield Entry("6.M.queries.mean_change", change_q, "f2", "free", "",
                (0.3 * change_q, 30 * change_q))
    yield Entry("6.M.queries.mean_size", np.abs(q).mean(), "f2", "digits")
    yield Entry("6.M.scores.max_change", largest(q_M @ k_M.T - scores), "e1", "noise<=1e-09",
                "every unscaled query-key score")
    yield Entry("6.M.scores.mean_size", np.abs(scores).mean(), "f2", "digits",
                "mean |unscaled score|")


def virtual_head(s):
    """Two heads in a row act like one: pattern A2 A1, matrix W_OV2 W_OV1."""
    name = next((n for n in s.about["models"] if s.model(n).n_layers > 1), None)
    if name is None:
        raise SystemExit("section 6 needs a model with two layers in the set")
    earlier, later = s.heads(name, 0), s.heads(name, 1)
    size = {(a, b): circuits.product_size(later[b].W_OV, earlier[a].W_OV)
            for a, b in itertools.product(range(len(earlier)), range(len(later)))}
    a, b = max(size, key=size.get)
    yield Entry("6.virtual.earlier", f"0.{a}", "text", "exact",
                "the pair of heads with the largest composition of their W_OV")
    yield Entry("6.virtual.later", f"1.{b}", "text", "exact")
    yield Entry("6.virtual.composition", size[a, b], "f3", "digits",
                "||W_OV2 W_OV1|| / (||W_OV2|| ||W_OV1||)")
    chance, sizes = 1 / np.sqrt(s.model(name).d_model), list(size.values())
    yield Entry("6.virtual.median", np.median(sizes), "f3", "digits", "median of all pairs")
    yield Entry("6.virtual.least", min(sizes), "f3", "digits", "smallest of all pairs")
    yield Entry("6.virtual.pairs", len(sizes), "json", "exact", "pairs of heads")
    yield Entry("6.virtual.above", int(sum(v > chance for v in sizes)), "json", "exact",
                "pairs that compose more than chance")
    x = s.run(name)["blocks.0.ln1.hook_normalized"]
    A_1 = s.run(name)["blocks.0.attn.hook_pattern"][a]
    A_2 = s.run(name)["blocks.1.attn.hook_pattern"][b]
    W_1, W_2 = earlier[a].W_OV, later[b].W_OV
    one_by_one = A_2 @ (A_1 @ x @ W_1.T) @ W_2.T
    at_once = (A_2 @ A_1) @ x @ (W_2 @ W_1).T
    yield Entry("6.virtual.random", chance, "f3", "digits",
                "composition by chance, 1 / sqrt(d_model)")
    yield Entry("6.virtual.difference", largest(one_by_one - at_once), "e1", "noise<=1e-11",
                "max |one head after the other - the virtual head|")
