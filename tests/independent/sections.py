"""Every key of a model set, section by section: 1 to 5 here, 6 and 7 beside.

A section is a generator over a modelset.Set; a key is one
`yield Entry(key, value, style, rule, meaning)`. To add a key, add a line.
Entry and the styles of printing: rules.py.
"""

import numpy as np

import circuits
from circuits import best, largest
from model import softmax
from rules import Entry
from section6 import section_6
from section7 import section_7


def section_1(s):
    h, m = s.head, s.model()
    yield Entry("1.set", s.about["name"], "text", "exact", "model set")
    yield Entry("1.head", s.about["head"], "text", "exact", "head that the book follows")
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        shape = list(getattr(h, name).shape)
        yield Entry(f"1.{name}.shape", shape, "json", "exact", f"paper shape of {name}")
    yield Entry("1.W.numbers", h.W_Q.size, "json", "exact", "numbers in each of the four")
    yield Entry("1.d_model", m.d_model, "json", "exact")
    yield Entry("1.d_head", m.d_head, "json", "exact")
    yield Entry("1.n_heads", m.n_heads, "json", "exact", "heads in a layer")
    yield Entry("1.score_scale", f"{np.sqrt(m.d_head):g}", "text", "exact", "sqrt(d_head)")


def section_2(s):
    concat = "max |concatenate-then-multiply - sum over heads|"
    added = "max |sum over heads - what the layer added|"
    for name in s.about["models"]:
        m, run = s.model(name), s.run(name)
        for l in range(m.n_layers):
            r = run[f"blocks.{l}.attn.hook_z"]  # [tokens, heads, d_head]
            W_O = [circuits.Head(m, l, h).W_O for h in range(m.n_heads)]
            at_once = np.concatenate(list(r.swapaxes(0, 1)), axis=1) @ np.hstack(W_O).T
            total = sum(r[:, h] @ W_O[h].T for h in range(m.n_heads))
            model = run[f"blocks.{l}.hook_resid_post"] - run[f"blocks.{l}.hook_resid_pre"]
            key = f"2.{name}.L{l}"
            yield Entry(f"{key}.concat_minus_sum", largest(at_once - total), "e1",
                        "noise<=1e-04", concat)
            yield Entry(f"{key}.sum_minus_model", largest(total + m.attn(l, "b_O") - model), "e1",
                        "noise<=1e-04", added)
            concat = added = ""


def section_3(s):
    A, m = s.A, s.model()
    yield Entry("3.tokens", s.texts(s.prompt), "json", "list", "the prompt, tokenised")
    yield Entry("3.prediction", s.tokenizer.text(s.predicted), "json", "exact",
                "the model's next token")
    yield Entry("3.n_tokens", len(s.prompt), "json", "exact", "tokens of the prompt")
    yield Entry("3.moved", s.about["moved"], "json", "exact", "the token that is moved")
    yield Entry("3.first.mean", A[1:, 0].mean(), "f2", "digits",
                "mean weight on the first token, rows 2 and on")
    yield Entry("3.first.even", np.mean(1 / np.arange(2, len(s.prompt) + 1)), "f2", "digits",
                "the same for rows of even weight")
    yield Entry("3.moved.weight", A[-1][s.places].sum(), "f3", "digits",
                "weight of the last row on the moved token, all places")
    sources = best(A[-1], 3)
    yield Entry("3.last_row.top", s.texts(np.array(s.prompt)[sources]), "json", "list",
                "largest weights of the last row of A")
    yield Entry("3.last_row.top.weights", A[-1][sources], "r2", "digits")
    yield Entry("3.row_sum_error", largest(A.sum(1) - 1), "e1", "noise<=1e-05",
                "max |row sum of A - 1|")
    yield Entry("3.future_max", f"{np.triu(A, 1).max():g}", "text", "exact",
                "largest entry of A above the diagonal")
    output = m.weights["unembed.W_U"].T @ (s.head.W_O @ s.z[-1])
    top = best(output, 5)
    yield Entry("3.output.top", s.texts(top), "json", "list",
                "head output at the last position, read with W_U")
    yield Entry("3.output.top.values", output[top], "r2", "digits")
    rank = 1 + int(np.sum(output > output[s.moved]))
    yield Entry("3.output.rank_of_moved", rank, "json", "exact",
                f"rank of '{s.about['moved']}' among d_vocab tokens")
    results = s.run()[f"blocks.{s.layer}.attn.hook_z"][-1]
    first = [f"{s.layer}.{i}" for i, h in enumerate(s.heads())
             if (m.weights["unembed.W_U"].T @ (h.W_O @ results[i])).argmax() == s.moved]
    yield Entry("3.heads_first", ", ".join(first) or "none", "text", "exact",
                "heads of the layer that raise the moved token most")
    yield Entry("3.d_vocab", m.d_vocab, "json", "exact")


def section_4(s):
    h, x, A = s.head, s.x, s.A
    r = A @ (x @ h.W_V.T)
    steps = r @ h.W_O.T
    A_first = (A @ x) @ h.W_OV.T
    W_first = A @ (x @ h.W_OV.T)
    yield Entry("4.three_steps_minus_model", largest(r - s.z), "e1", "noise<=1e-05",
                "max |r by the three steps - r of the model|")
    yield Entry("4.A_first_minus_W_first", largest(A_first - W_first), "e1", "noise<=1e-04")
    yield Entry("4.formula_minus_steps", largest(A_first - steps), "e1", "noise<=1e-04")


def section_5(s):
    W, x = s.head.W_QK_augmented(), s.x
    with_ones = np.column_stack([x, np.ones(len(x))])
    scores = with_ones @ W @ with_ones.T / np.sqrt(s.head.d_head)
    causal = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    yield Entry("5.W_QK_augmented.shape", list(W.shape), "json", "exact",
                "biases folded in as one more dimension")
    yield Entry("5.A_from_W_QK_error", largest(softmax(causal) - s.A), "e1", "noise<=1e-05",
                "max |A from W_QK - A of the model|")
    yield Entry("5.last_row.scores", scores[-1], "r2", "digits",
                "scaled scores of the last row before the softmax")
    first, second = best(scores[-1], 2)
    yield Entry("5.last_row.gap", scores[-1][first] - scores[-1][second], "f3", "digits",
                "difference of the two largest scores of the last row")
    yield Entry("5.last_row.ratio", s.A[-1][first] / s.A[-1][second], "f3", "digits",
                "ratio of the weights of these two sources")
    product, factors = s.head.W_QK.size, s.head.W_Q.size + s.head.W_K.size
    yield Entry("5.cost.product", product, "json", "exact", "numbers of W_QK")
    yield Entry("5.cost.factors", factors, "json", "exact", "numbers of W_Q and W_K")
    yield Entry("5.cost.ratio", f"{product / factors:g}", "text", "exact")


SECTIONS = {str(n): f for n, f in enumerate(
    (section_1, section_2, section_3, section_4, section_5, section_6, section_7), 1)}
