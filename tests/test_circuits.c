/* Factored products and the circuits of a head, by hand. */
#define _XOPEN_SOURCE 700
#include "circuits.h"
#include "golden.h"
#include "process.h"

#define M(rows, cols, ...) matrix_view((float[]){__VA_ARGS__}, rows, cols)

static factored product(fixture *f, matrix left, matrix right) {
    factored out;
    OK(factored_new(left, right, &out, &f->mem, &f->e));
    return out;
}

static dmatrix dense(fixture *f, factored x) {
    dmatrix out;
    OK(dmatrix_multiply(x.left, x.right, &out, &f->mem, &f->e));
    return out;
}

static dmatrix lengths(fixture *f, factored x) {
    dmatrix out;
    OK(factored_lengths(x, &out, &f->mem, &f->e));
    return out;
}

static double norm(fixture *f, factored x) {
    return dmatrix_norm(lengths(f, x));
}

/* ---- Factored products ---- */

static void factors_multiply_and_turn_like_what_they_stand_for(void **state) {
    fixture *f = *state;
    factored x = product(f, M(2, 1, 1, 2), M(1, 3, 1, 0, -1));
    factored y = product(f, M(3, 1, 2, 5, 1), M(1, 2, 3, 4)), xy;
    OK(factored_multiply(x, y, &xy, &f->mem, &f->e));
    dmatrix d = dense(f, xy); /* (1,2) (2-1) (3,4) */
    assert_near(ENTRY(d, 0, 0), 3, 0);
    assert_near(ENTRY(d, 1, 1), 8, 0);
    assert_near(norm(f, xy), sqrt(5) * 5, 1e-14);
    assert_near(ENTRY(dense(f, factored_transpose(xy)), 1, 0), 4, 0);
}

static void factors_that_do_not_fit_are_refused(void **state) {
    fixture *f = *state;
    factored x = product(f, M(2, 1, 1, 2), M(1, 3, 1, 2, 3)), y;
    double *re, *im;
    REFUSED(factored_new(M(2, 1, 1, 2), M(2, 1, 1, 2), &y, &f->mem, &f->e),
            "factors of 2 x 1 and 2 x 1 do not fit");
    REFUSED(factored_multiply(x, x, &y, &f->mem, &f->e), "1 x 3 matrix by a 2");
    REFUSED(factored_eigenvalues(x, &re, &im, &f->mem, &f->e),
            "square product, not 2 x 3");
}

/* Traps, 2: a head that reads axis 0 and writes axis 1. */
static void a_factored_svd_reads_with_v_and_writes_with_u(void **state) {
    fixture *f = *state;
    dmatrix u, v;
    double *s;
    OK(factored_svd(product(f, M(3, 1, 0, 2, 0), M(1, 3, 3, 0, 0)), &u, &s, &v,
                    &f->mem, &f->e));
    assert_near(s[0], 6, 1e-14);
    assert_near(fabs(ENTRY(v, 0, 0)), 1, 1e-15);
    assert_near(fabs(ENTRY(u, 1, 0)), 1, 1e-15);
    assert_near(ENTRY(u, 1, 0) * ENTRY(v, 0, 0), 1, 1e-15);
    assert_int_equal(u.cols, 1);
}

/* Traps, 18: rounding is relative to the largest singular value. The square
   root of an eigenvalue of W^T W would lose everything below 1e-8 of it. */
static void a_singular_value_of_a_trillionth_survives(void **state) {
    fixture *f = *state;
    dmatrix u, v;
    double *s, *all;
    const float c = 0.6f, d = 0.8f;
    factored x =
        product(f, M(3, 2, c, -d, d, c, 0, 0), M(2, 3, 1, 0, 0, 0, 1e-12f, 0));
    OK(factored_svd(x, &u, &s, &v, &f->mem, &f->e));
    assert_near(s[0], 1, 1e-7);
    assert_near(s[1] / 1e-12, 1, 1e-3);
    OK(linalg_svd(dense(f, x), &u, &all, &v, &f->mem, &f->e));
    assert_near(all[1] / 1e-12, 1, 1e-3);
    assert_near(all[2], 0, 3 * 2.3e-16); /* d_model eps sigma_1 */
}

static void factors_without_full_rank_are_decomposed(void **state) {
    fixture *f = *state;
    dmatrix u, v;
    double *s;
    factored x =
        product(f, M(3, 2, 1, 2, 2, 4, 2, 4), M(2, 3, 0, 3, 4, 0, 0, 0));
    OK(factored_svd(x, &u, &s, &v, &f->mem, &f->e));
    assert_near(s[0], 15, 1e-13); /* (1,2,2) has length 3, (3,4) 5 */
    assert_near(s[1], 0, 1e-13);
}

/* Traps, 20: no token need be copied when all eigenvalues are 1. */
static void the_eigenvalues_of_a_product_are_those_of_its_core(void **state) {
    fixture *f = *state;
    double *re, *im;
    factored x = product(f, M(3, 2, -1, -4, 1, 3, 7, 9),
                         M(2, 3, 1, 0, 0, 0, 1, 0)); /* zeros on the right */
    OK(factored_eigenvalues(x, &re, &im, &f->mem, &f->e));
    assert_near(re[0], 1, 1e-7);
    assert_near(re[1], 1, 1e-7);
    assert_near(im[0], 0, 1e-7);
}

/* ---- Circuits by hand ---- */

/* Head size 1 in two dimensions; the factors have the paper's shapes. */
static head small_head(float q0, float q1, float k0, float k1, float v0,
                       float v1, float o0, float o1) {
    static float at[16][8];
    static size_t next;
    float *x = at[next++ % COUNT(at)];
    FILL(x, q0, q1, k0, k1, v0, v1, o0, o1);
    return (head){.W_Q = matrix_view(x, 1, 2),
                  .W_K = matrix_view(x + 2, 1, 2),
                  .W_V = matrix_view(x + 4, 1, 2),
                  .W_O = matrix_view(x + 6, 2, 1)};
}

static void the_circuits_are_the_products_of_the_paper(void **state) {
    fixture *f = *state;
    head h = small_head(1, 2, 3, 4, 5, 6, 7, 8);
    factored ov, qk;
    OK(circuit_OV(h, &ov, &f->mem, &f->e));
    OK(circuit_QK(h, &qk, &f->mem, &f->e));
    dmatrix o = dense(f, ov), q = dense(f, qk);
    assert_near(ENTRY(o, 1, 0), 8 * 5, 0); /* W_O W_V: writes 1, reads 0 */
    assert_near(ENTRY(o, 0, 1), 7 * 6, 0);
    assert_near(ENTRY(q, 1, 0), 2 * 3, 0); /* query 1, key 0 */
    assert_near(ENTRY(q, 0, 1), 1 * 4, 0);
}

static void overlap_is_the_squared_cosine(void **state) {
    fixture *f = *state;
    double x;
    OK(circuit_overlap(small_head(0, 0, 0, 0, 2, 0, -7, 0), &x, &f->mem,
                       &f->e));
    assert_near(x, 1, 1e-15);
    OK(circuit_overlap(small_head(0, 0, 0, 0, 2, 0, 0, 3), &x, &f->mem, &f->e));
    assert_near(x, 0, 1e-15);
    OK(circuit_overlap(small_head(0, 0, 0, 0, 2, 0, 5, 5), &x, &f->mem, &f->e));
    assert_near(x, 0.5, 1e-15);
}

/* Traps, 1: the Frobenius norm is not cyclic. B A = W_Q^T W_K W_O W_V has the
   norm |W_K W_O| |W_Q| |W_V| = 3 2 3, but W_K W_O W_V W_Q^T is 0 here. */
static void k_composition_is_no_norm_of_a_turned_product(void **state) {
    fixture *f = *state;
    factored first, qk, ov;
    double q, k, v;
    head later = small_head(2, 0, 1, 1, 1, 0, 1, 0);
    OK(circuit_OV(small_head(0, 0, 0, 0, 0, 3, 1, 2), &first, &f->mem, &f->e));
    dmatrix earlier = dmatrix_transpose(lengths(f, factored_transpose(first)));
    OK(circuit_QK(later, &qk, &f->mem, &f->e));
    OK(circuit_OV(later, &ov, &f->mem, &f->e));
    OK(circuit_composition(lengths(f, qk), earlier, &k, &f->mem, &f->e));
    OK(circuit_composition(lengths(f, factored_transpose(qk)), earlier, &q,
                           &f->mem, &f->e));
    OK(circuit_composition(lengths(f, ov), earlier, &v, &f->mem, &f->e));
    assert_near(k, 18 / (2 * sqrt(2) * 3 * sqrt(5)), 1e-15);
    assert_near(q, 2 * sqrt(2) * 3 / (2 * sqrt(2) * 3 * sqrt(5)), 1e-15);
    assert_near(v, 3 / (3 * sqrt(5)), 1e-15);
}

static void a_circuit_of_zero_composes_with_nothing(void **state) {
    fixture *f = *state;
    dmatrix zero = dense(f, product(f, M(2, 1, 0, 0), M(1, 2, 1, 1)));
    double x;
    REFUSED(circuit_composition(zero, zero, &x, &f->mem, &f->e), "is zero");
}

/* Traps, 6: the earlier head reads axis 0 and writes axis 1, which the later
   one takes to axis 2. The other order gives nothing. */
static void a_virtual_head_is_later_times_earlier(void **state) {
    fixture *f = *state;
    factored earlier = product(f, M(3, 1, 0, 1, 0), M(1, 3, 5, 0, 0));
    factored later = product(f, M(3, 1, 0, 0, 1), M(1, 3, 0, 7, 0)), both;
    OK(factored_multiply(later, earlier, &both, &f->mem, &f->e));
    assert_near(ENTRY(dense(f, both), 2, 0), 35, 0);
    assert_near(norm(f, both), 35, 0);
    OK(factored_multiply(earlier, later, &both, &f->mem, &f->e));
    assert_near(norm(f, both), 0, 0);
}

/* Two tokens whose embeddings have mean 0 and standard deviation 1 already, so
   that W_U W_OV W_E is the table t, written row by row. */
static model table_model(fixture *f, const float *t) {
    model m = hand_model(f, (config){.n_layers = 1,
                                     .d_model = 3,
                                     .n_heads = 1,
                                     .d_head = 2,
                                     .n_ctx = 1,
                                     .d_vocab = 2});
    const float r = (float)sqrt(1 / 3.);
    FILL(m.W_E, 1, -1, 0, r, r, -2 * r);
    for (int d = 0; d < 3; d++)     /* W_V W_E = identity: half of W_E */
        for (int k = 0; k < 2; k++) /* transposed, since |x|^2 is 2 */
            m.layers[0].W_V[2 * d + k] = m.W_E[3 * k + d] / 2;
    FILL(m.layers[0].W_O, 1, 0, 0, 0, 1, 0); /* axes 0 and 1 */
    FILL(m.W_U, t[0], t[2], t[1], t[3], 0, 0);
    return m;
}

static int top_output(fixture *f, const model *m, int token) {
    matrix column;
    int top;
    OK(circuit_OV_columns(m, model_head(m, 0, 0), &token, 1, &column, &f->mem,
                          &f->e));
    circuit_top(column.at, column.cols, 1, &top);
    return top;
}

static void copying(fixture *f, const model *m, double *share, double *score) {
    head h = model_head(m, 0, 0);
    OK(circuit_copy_share(m, h, 0, 1, share, NULL, &f->e));
    dmatrix W_E_W_U;
    double sum;
    OK(circuit_W_E_W_U(m, &W_E_W_U, &f->mem, &f->e));
    OK(circuit_copy_score(h, W_E_W_U, score, &sum, &f->mem, &f->e));
}

/* Traps, 3: what token b raises most is the largest entry of column b. The
   largest entry of row 0 is at 1. */
static void the_top_output_is_looked_for_down_a_column(void **state) {
    fixture *f = *state;
    model m = table_model(f, (float[]){3, 9, 1, 2});
    matrix column;
    OK(circuit_OV_columns(&m, model_head(&m, 0, 0), &(int){1}, 1, &column,
                          &f->mem, &f->e));
    assert_near(column.at[0], 9, 1e-6);
    assert_near(column.at[1], 2, 1e-6);
    assert_int_equal(top_output(f, &m, 0), 0);
    assert_int_equal(top_output(f, &m, 1), 0);
}

/* Traps, 4: eigenvalues (5 +- sqrt 37)/2 before; the centred table is
   (1, 3.5; -1, -3.5) with -2.5 and 0. */
static void
centring_the_unembedding_moves_the_score_and_no_argmax(void **state) {
    fixture *f = *state;
    model m = table_model(f, (float[]){3, 9, 1, 2});
    double share, score, centred_share, centred_score;
    copying(f, &m, &share, &score);
    assert_near(score, 5 / sqrt(37), 1e-6);
    OK(model_process(&m, &f->mem, &f->e)); /* no norm: centres W_U alone */
    copying(f, &m, &centred_share, &centred_score);
    assert_near(centred_score, -1, 1e-6);
    assert_near(share, 0.5, 0);
    assert_near(centred_share, 0.5, 0);
    assert_int_equal(top_output(f, &m, 0), 0);
    assert_int_equal(top_output(f, &m, 1), 0);
}

/* Traps, 20: both eigenvalues are 1, and token 0 raises token 1 most. */
static void positive_eigenvalues_are_no_copying(void **state) {
    fixture *f = *state;
    model m = table_model(f, (float[]){-1, -4, 1, 3});
    double share, score;
    copying(f, &m, &share, &score);
    assert_near(score, 1, 1e-6);
    assert_near(share, 0.5, 0);
    assert_int_equal(top_output(f, &m, 0), 1);
}

static void a_copying_score_needs_an_eigenvalue(void **state) {
    fixture *f = *state;
    model m = table_model(f, (float[]){0, 0, 0, 0});
    double x;
    dmatrix W_E_W_U;
    double sum;
    OK(circuit_W_E_W_U(&m, &W_E_W_U, &f->mem, &f->e));
    REFUSED(circuit_copy_score(model_head(&m, 0, 0), W_E_W_U, &x, &sum, &f->mem,
                               &f->e),
            "all eigenvalues are zero");
    OK(circuit_copy_share(&m, model_head(&m, 0, 0), 0, 1, &x, NULL, &f->e));
    assert_near(x, 0, 0); /* equal to all others is not the largest */
}

/* A query in axis 0 looks for keys in axis 0, doubled; d_head is 2. */
static void a_QK_row_has_a_score_for_every_source(void **state) {
    fixture *f = *state;
    model m = table_model(f, (float[]){0, 0, 0, 0});
    m.layers[0].W_Q[0] = 1;
    m.layers[0].W_K[0] = 2;
    m.layers[0].b_Q[0] = 100; /* left out */
    matrix row;
    OK(circuit_QK_rows(&m, model_head(&m, 0, 0), &(int){0}, 1, &row, &f->mem,
                       &f->e));
    assert_int_equal(row.cols, 2);
    assert_near(row.at[0], 2 / sqrt(2), 1e-6);
    assert_near(row.at[1], 2 / sqrt(3) / sqrt(2), 1e-6);
}

/* A model that reads the first four dimensions and writes them back: row t of
   W_U W_O has the direction of token t and one of seven lengths. A token is
   copied unless a longer row is near to it in direction. */
static model copying_model(fixture *f) {
    model m = hand_model(f, (config){.n_layers = 1,
                                     .d_model = 8,
                                     .n_heads = 1,
                                     .d_head = 4,
                                     .n_ctx = 1,
                                     .d_vocab = 700});
    unsigned seed = 1;
    for (int k = 0; k < 4; k++)
        m.layers[0].W_V[k * 4 + k] = m.layers[0].W_O[k * 8 + k] = 1;
    for (int t = 0; t < 700; t++) {
        double square = 0;
        float *x = m.W_E + t * 8;
        x[5] = (float)(t % 5 * 300); /* values of several lengths */
        x[6] = -x[5];
        for (int d = 0; d < 4; d++) {
            seed = seed * 1103515245 + 12345;
            x[d] = (float)(seed >> 16 & 1023) - 512;
            x[4] -= x[d]; /* mean 0 */
            square += x[d] * x[d];
        }
        for (int d = 0; d < 4; d++)
            m.W_U[d * 700 + t] =
                x[d] / (float)sqrt(square) * (1 + (float)(t % 7) / 50);
    }
    return m;
}

/* Tokens are dropped early; all columns in full must give the same count. */
static void copies_are_counted_as_from_all_columns(void **state) {
    fixture *f = *state;
    model m = copying_model(f);
    head h = model_head(&m, 0, 0);
    int copied = 0;
    double share, work = 1;
    for (int t = 0; t < 700; t++) {
        matrix column;
        bool largest = true;
        OK(circuit_OV_columns(&m, h, &t, 1, &column, &f->mem, &f->e));
        for (int i = 0; i < 700; i++)
            largest = largest && (i == t || column.at[i] < column.at[t]);
        copied += largest;
        OK(circuit_copy_share(&m, h, t, t, &share, NULL, &f->e));
        assert_near(share, largest, 0);
    }
    assert_in_range(copied, 100, 600);
    OK(circuit_copy_share(&m, h, 0, 699, &share, &work, &f->e));
    assert_near(share, copied / 700., 1e-15);
    assert_true(work > 1 && work < 700. * 700 * 4);
}

/* Traps, 22: here by n - 1; the layer norm would divide by sqrt(2/3). */
static void an_embedding_is_scaled_with_n_minus_one(void **state) {
    fixture *f = *state;
    model m = table_model(f, (float[]){0, 0, 0, 0});
    FILL(m.W_E, 15, 5, 10);
    matrix x;
    OK(circuit_embeddings(&m, &(int){0}, 1, &x, &f->mem, &f->e));
    assert_floats("x", x.at, (float[]){1, -1, 0}, 3, 0, 1e-7);
}

static void tokens_outside_the_vocabulary_are_refused(void **state) {
    fixture *f = *state;
    model m = table_model(f, (float[]){1, 0, 0, 1});
    head h = model_head(&m, 0, 0);
    matrix x;
    double share;
    const char *one = "token 2 is not in the vocabulary, 0 to 1";
    REFUSED(circuit_embeddings(&m, &(int){2}, 1, &x, &f->mem, &f->e), one);
    REFUSED(circuit_OV_columns(&m, h, &(int){2}, 1, &x, &f->mem, &f->e), one);
    REFUSED(circuit_QK_rows(&m, h, &(int){-1}, 1, &x, &f->mem, &f->e),
            "token -1 is not");
    static const int bad[][2] = {{0, 2}, {-1, 1}, {1, 0}};
    for (size_t i = 0; i < COUNT(bad); i++)
        REFUSED(circuit_copy_share(&m, h, bad[i][0], bad[i][1], &share, NULL,
                                   &f->e),
                "not a range of 0 to 1");
}

static void the_largest_come_first_and_of_equal_ones_the_lower(void **state) {
    (void)state;
    const float values[] = {1, 5, -2, 5, 3};
    int ids[6] = {-1, -1, -1, -1, -1, -1};
    const int expected[] = {1, 3, 4, 0, 2, -1};
    assert_int_equal(circuit_top(values, 5, 6, ids), 5);
    assert_memory_equal(ids, expected, sizeof ids);
}

/* Traps, 17: half-precision weights are widened before anything is computed
   from them: with W_V = (1365/4096, 0) and W_O = (1, 2) the singular value is
   exact to double precision. */
static void half_precision_weights_are_widened_first(void **state) {
    fixture *f = *state;
    static uint16_t v[] = {0x3555, 0}, o[] = {0x3c00, 0x4000};
    static uint16_t others[] = {0x3800, 0xc200}; /* 0.5, -3 */
    const struct {
        const char *name;
        uint16_t *at;
        int64_t shape[3];
    } all[] = {
        {"embed.W_E", others, {1, 2}},
        {"pos_embed.W_pos", others, {1, 2}},
        {"blocks.0.attn.W_Q", others, {1, 2, 1}},
        {"blocks.0.attn.W_K", others, {1, 2, 1}},
        {"blocks.0.attn.W_V", v, {1, 2, 1}},
        {"blocks.0.attn.W_O", o, {1, 1, 2}},
        {"unembed.W_U", others, {2, 1}},
    };
    tensor t[COUNT(all)];
    for (size_t i = 0; i < COUNT(all); i++) {
        t[i] = (tensor){.name = all[i].name,
                        .dtype = DTYPE_F16,
                        .at = (unsigned char *)all[i].at};
        for (; t[i].n_dims < 3 && all[i].shape[t[i].n_dims]; t[i].n_dims++)
            t[i].shape[t[i].n_dims] = all[i].shape[t[i].n_dims];
        tensor_make_dense(&t[i]);
    }
    OK(safetensors_write(in_folder(f, "model.safetensors"),
                         &(tensor_list){.at = t, .n = COUNT(all)}, &f->e));
    write_text(in_folder(f, "config.json"),
               "{\"attn_only\": true, \"n_layers\": 1, \"d_model\": 2,"
               " \"n_heads\": 1, \"d_head\": 1, \"n_ctx\": 1, \"d_vocab\": 1}");
    model m;
    factored ov;
    dmatrix x, y;
    double *s;
    OK(model_open(f->folder, &m, &f->mem, &f->e));
    OK(circuit_OV(model_head(&m, 0, 0), &ov, &f->mem, &f->e));
    OK(factored_svd(ov, &x, &s, &y, &f->mem, &f->e));
    assert_near(s[0], 1365 / 4096. * sqrt(5), 1e-15);
    assert_near(m.W_U[1], -3, 0);
    model_close(&m);
}

/* The layer norm shows nothing of such a token, and nothing is copied. */
static void an_embedding_without_direction_is_zero(void **state) {
    fixture *f = *state;
    model m = table_model(f, (float[]){3, 1, 1, 3});
    FILL(m.W_E, 5, 5, 5);
    matrix x, row;
    double share;
    OK(circuit_embeddings(&m, &(int){0}, 1, &x, &f->mem, &f->e));
    assert_floats("x", x.at, (float[]){0, 0, 0}, 3, 0, 0);
    OK(circuit_copy_share(&m, model_head(&m, 0, 0), 0, 0, &share, NULL, &f->e));
    assert_near(share, 0, 0);
    OK(circuit_QK_rows(&m, model_head(&m, 0, 0), &(int){1}, 1, &row, &f->mem,
                       &f->e));
    assert_near(row.at[0], 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(factors_multiply_and_turn_like_what_they_stand_for),
        TEST(factors_that_do_not_fit_are_refused),
        TEST(a_factored_svd_reads_with_v_and_writes_with_u),
        TEST(a_singular_value_of_a_trillionth_survives),
        TEST(factors_without_full_rank_are_decomposed),
        TEST(the_eigenvalues_of_a_product_are_those_of_its_core),
        TEST(the_circuits_are_the_products_of_the_paper),
        TEST(overlap_is_the_squared_cosine),
        TEST(k_composition_is_no_norm_of_a_turned_product),
        TEST(a_circuit_of_zero_composes_with_nothing),
        TEST(a_virtual_head_is_later_times_earlier),
        TEST(the_top_output_is_looked_for_down_a_column),
        TEST(centring_the_unembedding_moves_the_score_and_no_argmax),
        TEST(positive_eigenvalues_are_no_copying),
        TEST(a_copying_score_needs_an_eigenvalue),
        TEST(a_QK_row_has_a_score_for_every_source),
        TEST(copies_are_counted_as_from_all_columns),
        TEST(an_embedding_is_scaled_with_n_minus_one),
        TEST(tokens_outside_the_vocabulary_are_refused),
        TEST(the_largest_come_first_and_of_equal_ones_the_lower),
        TEST(half_precision_weights_are_widened_first),
        TEST(an_embedding_without_direction_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
