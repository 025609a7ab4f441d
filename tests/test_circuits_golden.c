/* The circuits of the golden models, against values that were computed in
   double precision from TransformerLens's weights. */
#define _XOPEN_SOURCE 700
#include "circuits.h"
#include "forward.h"
#include "golden.h"
#include "process.h"

static dmatrix dense(fixture *f, factored x) {
    dmatrix out;
    OK(dmatrix_multiply(x.left, x.right, &out, &f->mem, &f->e));
    return out;
}

static const char *const golden[] = {"tiny-1l", "tiny-2l"};

/* The largest difference of each kind, relative to the expected value. */
typedef struct {
    double ov, qk, dense, overlap, share, score, composition;
} largest;

static void relative(double *most, double x, const json_t *expected,
                     double bound) {
    double y = json_real_value(expected);
    assert_true(json_is_real(expected));
    assert_near(x, y, bound * fabs(y));
    *most = fmax(*most, y == 0 ? 0 : fabs(x - y) / fabs(y));
}

/* Singular values from the thin factors and from the full product; those of the
   full one beyond d_head are rounding: below d_model eps sigma_1. */
static void check_spectrum(fixture *f, factored x, const json_t *expected,
                           double *most, double *most_dense) {
    dmatrix u, v;
    double *s, *all;
    int k = x.left.cols;
    assert_int_equal(json_array_size(expected), k);
    OK(factored_svd(x, &u, &s, &v, &f->mem, &f->e));
    OK(linalg_svd(dense(f, x), &u, &all, &v, &f->mem, &f->e));
    for (int i = 0; i < k; i++) {
        const json_t *y = json_array_get(expected, (size_t)i);
        relative(most, s[i], y, 1e-5);
        relative(most_dense, all[i], y, 1e-5);
        assert_near(s[i], all[i], 1e-13 * s[0]);
    }
    for (int i = k; i < u.rows; i++)
        assert_near(all[i], 0, u.rows * 2.3e-16 * all[0]);
}

static void check_top(matrix values, const json_t *expected) {
    int ids[3];
    assert_int_equal(json_array_size(expected), 3);
    circuit_top(values.at, values.rows * values.cols, 3, ids);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(ids[i],
                         json_integer_value(json_array_get(expected, i)));
}

/* One entry of a head: what it is follows from its key. */
static void check_entry(fixture *f, const model *m, head h, const char *key,
                        const json_t *expected, largest *most) {
    factored ov, qk;
    matrix values;
    double x;
    int token;
    arena *mem = &f->mem;
    OK(circuit_OV(h, &ov, mem, &f->e));
    OK(circuit_QK(h, &qk, mem, &f->e));
    if (strcmp(key, "W_OV singular values") == 0) {
        check_spectrum(f, ov, expected, &most->ov, &most->dense);
    } else if (strcmp(key, "W_QK singular values") == 0) {
        check_spectrum(f, qk, expected, &most->qk, &most->dense);
    } else if (strncmp(key, "read/write overlap", 18) == 0) {
        OK(circuit_overlap(h, &x, mem, &f->e));
        relative(&most->overlap, x, expected, 1e-5);
    } else if (strncmp(key, "share of tokens", 15) == 0) {
        OK(circuit_copy_share(m, h, 0, m->c.d_vocab - 1, &x, NULL, &f->e));
        relative(&most->share, x, expected, 1e-5);
    } else if (strncmp(key, "copying score", 13) == 0) {
        dmatrix W_E_W_U;
        double sum;
        OK(circuit_W_E_W_U(m, &W_E_W_U, mem, &f->e));
        OK(circuit_copy_score(h, W_E_W_U, &x, &sum, mem, &f->e));
        relative(&most->score, x, expected, 1e-5);
    } else if (sscanf(key, "OV top 3 outputs of token %d", &token) == 1) {
        OK(circuit_OV_columns(m, h, &token, 1, &values, mem, &f->e));
        check_top(values, expected);
    } else if (sscanf(key, "QK top 3 sources of query %d", &token) == 1) {
        OK(circuit_QK_rows(m, h, &token, 1, &values, mem, &f->e));
        check_top(values, expected);
    } else {
        fail_msg("\"%s\" is not compared", key);
    }
}

static void check_compositions(fixture *f, const model *m, json_t *pairs,
                               largest *most) {
    const char *key;
    json_t *scores;
    int l0, h0, l1, h1;
    json_object_foreach(pairs, key, scores) {
        factored earlier, ov, qk;
        double x;
        assert_int_equal(sscanf(key, "%d.%d->%d.%d", &l0, &h0, &l1, &h1), 4);
        OK(circuit_OV(model_head(m, l0, h0), &earlier, &f->mem, &f->e));
        OK(circuit_OV(model_head(m, l1, h1), &ov, &f->mem, &f->e));
        OK(circuit_QK(model_head(m, l1, h1), &qk, &f->mem, &f->e));
        const struct {
            const char *kind;
            factored later;
        } all[] = {{"Q", factored_transpose(qk)}, {"K", qk}, {"V", ov}};
        for (size_t i = 0; i < COUNT(all); i++) {
            dmatrix reads, writes;
            const json_t *y = json_object_get(scores, all[i].kind);
            OK(factored_lengths(all[i].later, &reads, &f->mem, &f->e));
            OK(factored_lengths(factored_transpose(earlier), &writes, &f->mem,
                                &f->e));
            OK(circuit_composition(reads, dmatrix_transpose(writes), &x,
                                   &f->mem, &f->e));
            relative(&most->composition, x, y, 1e-5);
            OK(circuit_composition(dense(f, all[i].later), dense(f, earlier),
                                   &x, &f->mem, &f->e));
            relative(&most->composition, x, y, 1e-5);
        }
    }
}

/* The tokens of the file's run, and the three likeliest after the last. */
static void check_run(fixture *f, const model *m, const json_t *tokens,
                      const json_t *expected) {
    int ids[32], n = (int)json_array_size(tokens);
    cache x;
    assert_in_range(n, 1, COUNT(ids));
    for (int i = 0; i < n; i++)
        ids[i] = (int)json_integer_value(json_array_get(tokens, (size_t)i));
    OK(forward_run(m, ids, n, &x, &f->mem, &f->e));
    check_top(matrix_rows(x.logits, n - 1, 1), expected);
}

static void check_golden(fixture *f, const char *name, const model *m) {
    json_t *root = read_json(golden_path(f, name, "golden.json")), *part;
    const char *key, *what;
    largest most = {0};
    int l, h, heads = 0;
    json_object_foreach(root, key, part) {
        json_t *entry;
        if (sscanf(key, "head %d.%d", &l, &h) == 2) {
            heads++;
            json_object_foreach(part, what, entry)
                check_entry(f, m, model_head(m, l, h), what, entry, &most);
        } else if (strncmp(key, "composition", 11) == 0) {
            assert_int_equal(json_object_size(part), 16);
            check_compositions(f, m, part, &most);
        }
    }
    assert_int_equal(heads, m->c.n_layers * m->c.n_heads);
    check_run(f, m, json_object_get(root, "tokens"),
              json_object_get(root, "top3_last"));
    print_message("# %s, largest relative differences (1e-5 allowed): W_OV "
                  "singular values %.1e, W_QK %.1e, from the full products "
                  "%.1e; overlap %.1e; copying share %.1e; copying score %.1e; "
                  "composition %.1e\n",
                  name, most.ov, most.qk, most.dense, most.overlap, most.share,
                  most.score, most.composition);
    json_decref(root);
}

static void circuits_agree_with_transformerlens(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < COUNT(golden); i++) {
        model m;
        golden_open(f, golden[i], &m);
        OK(model_process(&m, &f->mem, &f->e));
        check_golden(f, golden[i], &m);
        model_close(&m);
        golden_unlink(f);
    }
}

/* W_QK with the biases as one more dimension (traps, 12). */
static dmatrix extended_QK(fixture *f, head h) {
    matrix q, k;
    int D = h.W_Q.cols, K = h.W_Q.rows;
    OK(matrix_new(K, D + 1, &q, &f->mem, &f->e));
    OK(matrix_new(K, D + 1, &k, &f->mem, &f->e));
    for (int i = 0; i < K; i++) {
        for (int d = 0; d < D; d++) {
            ENTRY(q, i, d) = ENTRY(h.W_Q, i, d);
            ENTRY(k, i, d) = ENTRY(h.W_K, i, d);
        }
        ENTRY(q, i, D) = ENTRY(h.b_Q, i, 0);
        ENTRY(k, i, D) = ENTRY(h.b_K, i, 0);
    }
    factored qk;
    h.W_Q = q;
    h.W_K = k;
    OK(circuit_QK(h, &qk, &f->mem, &f->e));
    return dense(f, qk);
}

/* x_i^T W_QK x_j, where x ends in 1. */
static double bilinear(dmatrix qk, const float *xi, const float *xj) {
    double sum = 0;
    int D = qk.cols - 1;
    for (int a = 0; a <= D; a++)
        for (int b = 0; b <= D; b++)
            sum += (a < D ? xi[a] : 1) * ENTRY(qk, a, b) * (b < D ? xj[b] : 1);
    return sum;
}

/* Traps, 9: x_i^T W_QK x_j is a score only when divided by sqrt(d_head). The
   scores are TransformerLens's own, of its own run. */
static void the_QK_circuit_gives_the_scores_of_a_run(void **state) {
    fixture *f = *state;
    model m;
    tensor_list list;
    double most = 0;
    float *x, *scores;
    golden_open(f, "tiny-1l", &m);
    OK(model_process(&m, &f->mem, &f->e));
    bytes file =
        read_tensors(f, "tests/golden/tiny-1l.activations.safetensors", &list);
    OK(tensor_floats(tensor_find(&list, "blocks.0.ln1.hook_normalized"),
                     &f->mem, &x, &f->e));
    OK(tensor_floats(tensor_find(&list, "blocks.0.attn.hook_attn_scores"),
                     &f->mem, &scores, &f->e));
    for (int h = 0; h < 3; h++) {
        dmatrix qk = extended_QK(f, model_head(&m, 0, h));
        for (int i = 0; i < 11; i++)
            for (int j = 0; j <= i; j++) {
                double s = bilinear(qk, x + 48 * i, x + 48 * j) / sqrt(8);
                double expected = scores[(h * 11 + i) * 11 + j];
                assert_near(s, expected, 1e-5 + 1e-5 * fabs(expected));
                most = fmax(most, fabs(s - expected));
            }
    }
    print_message("# tiny-1l: scores by W_QK, largest difference %.1e\n", most);
    file_unmap(&file);
    model_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(circuits_agree_with_transformerlens),
        TEST(the_QK_circuit_gives_the_scores_of_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
