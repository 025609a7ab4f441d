/* Windows on numbers, their products, and the decompositions, against results
   worked by hand and against plain loops. */
#define _XOPEN_SOURCE 700
#include "golden.h"
#include "linalg.h"

/* A rows x cols window with the numbers that follow, row by row. */
#define D(rows, cols, ...) dmatrix_view((double[]){__VA_ARGS__}, rows, cols)
#define M(rows, cols, ...) matrix_view((float[]){__VA_ARGS__}, rows, cols)

/* The same columns of a double-precision matrix. */
static dmatrix part_columns(dmatrix m, int first, int count) {
    return (dmatrix){&ENTRY(m, 0, first), m.rows, count, m.rs, m.cs};
}

static void assert_matrix(dmatrix x, dmatrix expected, double bound) {
    assert_int_equal(x.rows, expected.rows);
    assert_int_equal(x.cols, expected.cols);
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++)
            assert_near(ENTRY(x, i, j), ENTRY(expected, i, j), bound);
}

/* x y by three loops. */
static dmatrix naive(fixture *f, dmatrix x, dmatrix y) {
    dmatrix out;
    OK(dmatrix_new(x.rows, y.cols, &out, &f->mem, &f->e));
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < y.cols; j++)
            for (int k = 0; k < x.cols; k++)
                ENTRY(out, i, j) += ENTRY(x, i, k) * ENTRY(y, k, j);
    return out;
}

static void assert_orthonormal_columns(fixture *f, dmatrix q) {
    dmatrix square = naive(f, dmatrix_transpose(q), q);
    for (int i = 0; i < q.cols; i++)
        for (int j = 0; j < q.cols; j++)
            assert_near(ENTRY(square, i, j), i == j, 1e-14);
}

/* ---- Windows ---- */

static void windows_show_parts_without_moving_numbers(void **state) {
    (void)state;
    float at[] = {1, 2, 3, 4, 5, 6};
    matrix m = matrix_view(at, 2, 3), t = matrix_transpose(m);
    assert_int_equal(t.rows, 3);
    assert_int_equal(t.cols, 2);
    assert_near(ENTRY(m, 1, 0), 4, 0);
    assert_near(ENTRY(t, 0, 1), 4, 0);
    matrix column = matrix_columns(m, 2, 1), row = matrix_rows(t, 1, 2);
    assert_int_equal(column.rows, 2);
    assert_int_equal(column.cols, 1);
    assert_near(ENTRY(column, 1, 0), 6, 0);
    assert_int_equal(row.rows, 2);
    assert_near(ENTRY(row, 0, 1), 5, 0); /* t[1][1] */
    ENTRY(row, 1, 0) = 7;                /* t[2][0] is m[0][2] */
    assert_near(at[2], 7, 0);
}

static void windows_of_doubles_do_the_same(void **state) {
    (void)state;
    double at[] = {1, 2, 3, 4, 5, 6};
    dmatrix m = dmatrix_view(at, 3, 2), t = dmatrix_transpose(m);
    assert_near(ENTRY(t, 1, 2), 6, 0);
    assert_near(ENTRY(dmatrix_rows(m, 1, 2), 0, 1), 4, 0);
    assert_near(ENTRY(part_columns(t, 1, 2), 1, 0), 4, 0);
    assert_int_equal(dmatrix_rows(t, 1, 1).rows, 1);
    assert_int_equal(part_columns(m, 1, 1).cols, 1);
}

static void precision_changes_and_nothing_else(void **state) {
    fixture *f = *state;
    dmatrix wide;
    matrix narrow;
    OK(dmatrix_widen(matrix_transpose(M(2, 2, 0.1f, 2, 3, 4)), &wide, &f->mem,
                     &f->e));
    assert_matrix(wide, D(2, 2, (double)0.1f, 3, 2, 4), 0);
    OK(matrix_narrow(D(1, 2, 0.1, 1e-50), &narrow, &f->mem, &f->e));
    assert_near(narrow.at[0], 0.1f, 0);
    assert_near(narrow.at[1], 0, 0);
}

static void the_largest_difference_is_found_and_nan_is_handed_on(void **state) {
    (void)state;
    dmatrix x = D(2, 2, 1, 2, 3, 4), y = D(2, 2, 1, 4, 2.5, 2);
    assert_near(dmatrix_difference(x, dmatrix_transpose(y)), 2, 0);
    assert_near(dmatrix_difference(x, x), 0, 0);
    assert_true(isnan(dmatrix_difference(D(2, 1, NAN, 9), D(2, 1, 0, 0))));
    assert_true(isnan(dmatrix_difference(D(2, 1, 9, NAN), D(2, 1, 0, 0))));
    assert_true(isinf(matrix_difference(M(1, 2, 9, INFINITY), M(1, 2, 0, 0))));
    assert_true(isnan(matrix_difference(M(1, 3, NAN, 9, 9), M(1, 3, 0, 0, 0))));
    assert_near(matrix_difference(M(1, 2, 9, 3), M(1, 2, 7, 8)), 5, 0);
}

/* ---- Products ---- */

enum { PLAIN, TRANSPOSED, PART, PART_TRANSPOSED, KINDS };

/* A rows x cols window of one of four kinds on small whole numbers, whose
   products are exact. */
static dmatrix window(fixture *f, int kind, int rows, int cols) {
    bool turned = kind == TRANSPOSED || kind == PART_TRANSPOSED;
    int edge = kind == PART || kind == PART_TRANSPOSED ? 2 : 0;
    int r = turned ? cols : rows, c = turned ? rows : cols;
    static int seed = 1;
    dmatrix all;
    OK(dmatrix_new(r + 2 * edge, c + 2 * edge, &all, &f->mem, &f->e));
    for (int i = 0; i < all.rows * all.cols; i++)
        all.at[i] = (seed = seed * 1103 % 10007) % 15 - 7;
    all = part_columns(dmatrix_rows(all, edge, r), edge, c);
    return turned ? dmatrix_transpose(all) : all;
}

/* A window with the same strides on the same numbers, in single precision. */
static matrix narrowed(fixture *f, dmatrix d) {
    int step = (int)(d.cs == 1 ? d.rs : d.cs);
    bool rows_in_line = d.cs == 1;
    int line = rows_in_line ? d.cols : d.rows;
    matrix out;
    if (step < line) /* a column, seen as a row: both strides are 1 */
        step = line;
    OK(matrix_new(rows_in_line ? d.rows : d.cols, step, &out, &f->mem, &f->e));
    out = matrix_columns(out, 0, line);
    if (!rows_in_line)
        out = matrix_transpose(out);
    for (int i = 0; i < d.rows; i++)
        for (int j = 0; j < d.cols; j++)
            ENTRY(out, i, j) = (float)ENTRY(d, i, j);
    return out;
}

static void multiply_both(fixture *f, dmatrix x, dmatrix y) {
    dmatrix product, expected = naive(f, x, y), wide;
    matrix single;
    OK(dmatrix_multiply(x, y, &product, &f->mem, &f->e));
    assert_matrix(product, expected, 0);
    OK(matrix_multiply(narrowed(f, x), narrowed(f, y), &single, &f->mem,
                       &f->e));
    OK(dmatrix_widen(single, &wide, &f->mem, &f->e));
    assert_matrix(wide, expected, 0);
}

static void products_of_all_windows_equal_three_loops(void **state) {
    fixture *f = *state;
    const int sizes[] = {1, 2, 5};
    for (int c = 0; c < 27 * KINDS * KINDS; c++) {
        int m = sizes[c % 3], k = sizes[c / 3 % 3], n = sizes[c / 9 % 3];
        int left = c / 27 % KINDS, right = c / 27 / KINDS;
        arena before = f->mem;
        f->mem = (arena){0};
        multiply_both(f, window(f, left, m, k), window(f, right, k, n));
        arena_free(&f->mem);
        f->mem = before;
    }
}

static void a_large_product_equals_three_loops(void **state) {
    fixture *f = *state;
    multiply_both(f, window(f, PART_TRANSPOSED, 65, 130),
                  window(f, PART, 130, 33));
}

/* Long ones are shared among the cores: many rows, and many columns. */
static void a_product_in_strips_equals_three_loops(void **state) {
    fixture *f = *state;
    for (int left = 0; left < KINDS; left++)
        for (int right = 0; right < KINDS; right++) {
            multiply_both(f, window(f, left, 777, 3), window(f, right, 3, 5));
            multiply_both(f, window(f, left, 5, 3), window(f, right, 3, 777));
        }
}

static void the_norm_is_that_of_all_entries(void **state) {
    (void)state;
    assert_near(dmatrix_norm(D(2, 2, 1, 2, 4, -2)), 5, 0);
    assert_near(dmatrix_norm(part_columns(D(2, 2, 9, 3, 9, 4), 1, 1)), 5, 0);
}

static void a_product_over_nothing_is_zero(void **state) {
    fixture *f = *state;
    dmatrix product;
    matrix single;
    double nothing = 0;
    float none = 0;
    OK(dmatrix_multiply(dmatrix_view(&nothing, 2, 0),
                        dmatrix_view(&nothing, 0, 3), &product, &f->mem,
                        &f->e));
    assert_matrix(product, D(2, 3, 0, 0, 0, 0, 0, 0), 0);
    OK(matrix_multiply(matrix_view(&none, 0, 2), M(2, 1, 1, 2), &single,
                       &f->mem, &f->e));
    assert_int_equal(single.rows, 0);
}

/* A sum may be a part of a larger array, as one head's queries are. */
static void a_product_is_added_inside_its_window_alone(void **state) {
    fixture *f = *state;
    float at[] = {9, 1, 2, 9, 9, 3, 4, 9};
    matrix sum = matrix_columns(matrix_view(at, 2, 4), 1, 2);
    OK(matrix_multiply_add(M(2, 1, 1, 2), M(1, 2, 10, 20), sum, &f->e));
    const float expected[] = {9, 11, 22, 9, 9, 23, 44, 9};
    assert_memory_equal(at, expected, sizeof at);
}

static void shapes_that_do_not_fit_are_both_named(void **state) {
    fixture *f = *state;
    matrix x = M(2, 3, 0, 0, 0, 0, 0, 0), single;
    dmatrix y = D(2, 3, 0, 0, 0, 0, 0, 0), product;
    const char *says = "multiply a 2 x 3 matrix by a 2 x 3 one";
    REFUSED(matrix_multiply(x, x, &single, &f->mem, &f->e), says);
    REFUSED(matrix_multiply_add(x, x, x, &f->e), says);
    REFUSED(dmatrix_multiply(y, y, &product, &f->mem, &f->e), says);
}

/* ---- QR ---- */

static void qr_of_a_known_matrix(void **state) {
    fixture *f = *state;
    /* (3,4,0) has length 5; (5,0,0) has 3 along it and 4 across. */
    dmatrix a = D(3, 2, 3, 5, 4, 0, 0, 0), q, r;
    OK(linalg_qr(a, &q, &r, &f->mem, &f->e));
    assert_int_equal(q.rows, 3);
    assert_int_equal(q.cols, 2);
    assert_near(fabs(ENTRY(r, 0, 0)), 5, 1e-14);
    assert_near(fabs(ENTRY(r, 0, 1)), 3, 1e-14);
    assert_near(fabs(ENTRY(r, 1, 1)), 4, 1e-14);
    assert_near(ENTRY(r, 1, 0), 0, 0);
    assert_orthonormal_columns(f, q);
    assert_matrix(naive(f, q, r), a, 1e-14);
    assert_matrix(a, D(3, 2, 3, 5, 4, 0, 0, 0), 0); /* left as it was */
}

static void qr_of_a_matrix_without_full_rank(void **state) {
    fixture *f = *state;
    dmatrix a = dmatrix_transpose(D(2, 3, 1, 2, 2, 2, 4, 4)), q, r;
    OK(linalg_qr(a, &q, &r, &f->mem, &f->e));
    assert_orthonormal_columns(f, q);
    assert_matrix(naive(f, q, r), a, 1e-14);
    assert_near(ENTRY(r, 1, 1), 0, 1e-14);
}

static void qr_of_a_wide_matrix_is_refused(void **state) {
    fixture *f = *state;
    dmatrix q, r;
    REFUSED(linalg_qr(D(1, 2, 1, 2), &q, &r, &f->mem, &f->e), "not 1 x 2");
}

/* ---- Singular values ---- */

static void singular_values_of_a_diagonal(void **state) {
    fixture *f = *state;
    double *s;
    OK(linalg_singular_values(D(3, 3, 0, 0, 0, 0, -3, 0, 0, 0, 2), &s, &f->mem,
                              &f->e));
    assert_near(s[0], 3, 1e-15);
    assert_near(s[1], 2, 1e-15);
    assert_near(s[2], 0, 1e-15);
    float *single;
    OK(linalg_singular_values_single(M(2, 3, 0, 0, 4, -5, 0, 0), &single,
                                     &f->mem, &f->e));
    assert_near(single[0], 5, 1e-6);
    assert_near(single[1], 4, 1e-6);
}

/* Traps, 2: with column vectors V reads and U writes. */
static void in_an_svd_v_reads_and_u_writes(void **state) {
    fixture *f = *state;
    dmatrix u, v, w = D(2, 2, 0, 0, 2, 0); /* reads axis 0, writes axis 1 */
    double *s;
    OK(linalg_svd(w, &u, &s, &v, &f->mem, &f->e));
    assert_near(s[0], 2, 1e-15);
    assert_near(s[1], 0, 1e-15);
    assert_near(fabs(ENTRY(v, 0, 0)), 1, 1e-15);
    assert_near(fabs(ENTRY(v, 1, 0)), 0, 1e-15);
    assert_near(fabs(ENTRY(u, 0, 0)), 0, 1e-15);
    assert_near(fabs(ENTRY(u, 1, 0)), 1, 1e-15);
    assert_near(ENTRY(u, 1, 0) * ENTRY(v, 0, 0), 1, 1e-15); /* signs agree */
}

/* u diag(s) v^T */
static dmatrix put_together(fixture *f, dmatrix u, const double *s, dmatrix v) {
    dmatrix scaled;
    OK(dmatrix_new(u.rows, u.cols, &scaled, &f->mem, &f->e));
    for (int i = 0; i < u.rows; i++)
        for (int j = 0; j < u.cols; j++)
            ENTRY(scaled, i, j) = ENTRY(u, i, j) * s[j];
    return naive(f, scaled, dmatrix_transpose(v));
}

static void an_svd_of_any_shape_gives_the_matrix_back(void **state) {
    fixture *f = *state;
    const int sizes[] = {1, 3, 6};
    for (int c = 0; c < 9 * KINDS; c++) {
        int m = sizes[c % 3], n = sizes[c / 3 % 3], k = m < n ? m : n;
        dmatrix a = window(f, c / 9, m, n), u, v;
        double *s, *alone;
        OK(linalg_svd(a, &u, &s, &v, &f->mem, &f->e));
        OK(linalg_singular_values(a, &alone, &f->mem, &f->e));
        assert_int_equal(u.rows, m);
        assert_int_equal(v.rows, n);
        assert_int_equal(u.cols, k);
        assert_int_equal(v.cols, k);
        assert_orthonormal_columns(f, u);
        assert_orthonormal_columns(f, v);
        assert_matrix(put_together(f, u, s, v), a, 1e-13);
        for (int i = 0; i < k; i++)
            assert_near(s[i], alone[i], 1e-13);
        for (int i = 1; i < k; i++)
            assert_true(s[i - 1] >= s[i] && s[i] >= 0);
    }
}

static void a_product_of_rank_one_has_one_singular_value(void **state) {
    fixture *f = *state;
    double *s;
    dmatrix a = naive(f, D(3, 1, 1, 2, 2), D(1, 3, 0, 3, 4)); /* 3 times 5 */
    OK(linalg_singular_values(a, &s, &f->mem, &f->e));
    assert_near(s[0], 15, 1e-13);
    assert_near(s[1], 0, 1e-13);
    assert_near(s[2], 0, 1e-13);
}

/* Traps, 19: signs are free and equal pairs rotate, but the plane is fixed. */
static void singular_vectors_of_an_equal_pair_span_a_fixed_plane(void **state) {
    fixture *f = *state;
    /* 2 on the plane across (1,2,2)/3, and 1 along it: 2 - (1,2,2)(1,2,2)^T/9
     */
    dmatrix a = D(3, 3, 17 / 9., -2 / 9., -2 / 9., -2 / 9., 14 / 9., -4 / 9.,
                  -2 / 9., -4 / 9., 14 / 9.);
    dmatrix plane = D(3, 3, 8 / 9., -2 / 9., -2 / 9., -2 / 9., 5 / 9., -4 / 9.,
                      -2 / 9., -4 / 9., 5 / 9.);
    dmatrix u, v;
    double *s;
    OK(linalg_svd(a, &u, &s, &v, &f->mem, &f->e));
    assert_near(s[0], 2, 1e-14);
    assert_near(s[1], 2, 1e-14);
    assert_near(s[2], 1, 1e-14);
    dmatrix pair = part_columns(u, 0, 2);
    assert_matrix(naive(f, pair, dmatrix_transpose(pair)), plane, 1e-14);
    pair = part_columns(v, 0, 2);
    assert_matrix(naive(f, pair, dmatrix_transpose(pair)), plane, 1e-14);
}

/* ---- Eigenvalues and equations ---- */

static void eigenvalues_of_known_matrices(void **state) {
    fixture *f = *state;
    double *re, *im;
    /* Trace 2, determinant 1: 1 twice, and a defective pair splits by the
       square root of the rounding error. */
    OK(linalg_eigenvalues(D(2, 2, -1, -4, 1, 3), &re, &im, &f->mem, &f->e));
    assert_near(re[0], 1, 1e-7);
    assert_near(re[1], 1, 1e-7);
    assert_near(im[0], 0, 1e-7);
    OK(linalg_eigenvalues(D(2, 2, 3, -4, 4, 3), &re, &im, &f->mem, &f->e));
    assert_near(re[0], 3, 1e-14); /* 3 + 4i and 3 - 4i */
    assert_near(re[1], 3, 1e-14);
    assert_near(im[0], 4, 1e-14);
    assert_near(im[1], -4, 1e-14);
    OK(linalg_eigenvalues(D(3, 3, 1, 5, 6, 0, 2, 7, 0, 0, -3), &re, &im,
                          &f->mem, &f->e));
    assert_near(re[0] + re[1] + re[2], 0, 1e-14);
    assert_near(re[0] * re[1] * re[2], -6, 1e-13);
    OK(linalg_eigenvalues(D(1, 1, -7), &re, &im, &f->mem, &f->e));
    assert_near(re[0], -7, 0);
}

static void equations_are_solved(void **state) {
    fixture *f = *state;
    dmatrix x, a = D(2, 2, 2, 1, 1, 3);
    OK(linalg_solve(a, D(2, 1, 3, 5), &x, &f->mem, &f->e));
    assert_matrix(x, D(2, 1, 0.8, 1.4), 1e-15);
    /* Many right sides, and a window that is read by its strides. */
    OK(linalg_solve(dmatrix_transpose(D(2, 2, 1, 2, 0, 4)),
                    dmatrix_transpose(D(3, 2, 1, 2, 0, 4, 3, 10)), &x, &f->mem,
                    &f->e));
    assert_matrix(x, D(2, 3, 1, 0, 3, 0, 1, 1), 1e-15);
    assert_matrix(a, D(2, 2, 2, 1, 1, 3), 0); /* left as it was */
}

static void random_numbers_are_normal_and_follow_their_seed(void **state) {
    fixture *f = *state;
    dmatrix x, y;
    int seed[4] = {1, 2, 3, 5}, again[4] = {1, 2, 3, 5};
    double mean = 0, square = 0;
    OK(dmatrix_new(100, 100, &x, &f->mem, &f->e));
    OK(dmatrix_new(100, 100, &y, &f->mem, &f->e));
    linalg_random(x, seed);
    linalg_random(y, again);
    assert_near(dmatrix_difference(x, y), 0, 0);
    linalg_random(y, again); /* the seed has moved on */
    assert_true(dmatrix_difference(x, y) > 1);
    for (int i = 0; i < 10000; i++) {
        mean += x.at[i] / 10000;
        square += x.at[i] * x.at[i] / 10000;
    }
    assert_near(mean, 0, 0.04); /* four standard errors */
    assert_near(square, 1, 0.06);
}

static void a_singular_matrix_is_refused(void **state) {
    fixture *f = *state;
    dmatrix x;
    REFUSED(
        linalg_solve(D(2, 2, 1, 2, 2, 4), D(2, 1, 1, 1), &x, &f->mem, &f->e),
        "the 2 x 2 matrix is singular");
}

static void shapes_without_an_answer_are_refused(void **state) {
    fixture *f = *state;
    dmatrix x, wide = D(2, 3, 1, 2, 3, 4, 5, 6);
    double *re, *im;
    REFUSED(linalg_eigenvalues(wide, &re, &im, &f->mem, &f->e),
            "square matrix, not 2 x 3");
    REFUSED(linalg_solve(wide, D(2, 1, 1, 1), &x, &f->mem, &f->e),
            "2 x 3 equations for 2 right sides");
    REFUSED(linalg_solve(D(1, 1, 1), D(2, 1, 1, 1), &x, &f->mem, &f->e),
            "1 x 1 equations for 2 right sides");
}

static void
numbers_that_are_not_finite_are_refused_with_their_place(void **state) {
    fixture *f = *state;
    dmatrix bad = D(2, 2, 1, 2, INFINITY, 4), good = D(2, 2, 1, 0, 0, 1), x, y;
    double *s, *t;
    float *single;
    arena *mem = &f->mem;
    error *e = &f->e;
    REFUSED(linalg_qr(bad, &x, &y, mem, e), "QR: entry [1, 0] is inf");
    REFUSED(linalg_svd(dmatrix_transpose(bad), &x, &s, &y, mem, e),
            "SVD: entry [0, 1] is inf");
    REFUSED(linalg_singular_values(bad, &s, mem, e),
            "singular values: entry [1, 0] is inf");
    REFUSED(
        linalg_singular_values_single(M(1, 2, 0, -INFINITY), &single, mem, e),
        "singular values: entry [0, 1] is -inf");
    REFUSED(linalg_eigenvalues(D(1, 1, NAN), &s, &t, mem, e),
            "eigenvalues: entry [0, 0] is nan");
    REFUSED(linalg_solve(bad, good, &x, mem, e), "solve: entry [1, 0] is inf");
    REFUSED(linalg_solve(good, bad, &x, mem, e), "solve: entry [1, 0] is inf");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(windows_show_parts_without_moving_numbers),
        TEST(windows_of_doubles_do_the_same),
        TEST(precision_changes_and_nothing_else),
        TEST(the_largest_difference_is_found_and_nan_is_handed_on),
        TEST(products_of_all_windows_equal_three_loops),
        TEST(a_large_product_equals_three_loops),
        TEST(a_product_in_strips_equals_three_loops),
        TEST(the_norm_is_that_of_all_entries),
        TEST(a_product_over_nothing_is_zero),
        TEST(a_product_is_added_inside_its_window_alone),
        TEST(shapes_that_do_not_fit_are_both_named),
        TEST(qr_of_a_known_matrix),
        TEST(qr_of_a_matrix_without_full_rank),
        TEST(qr_of_a_wide_matrix_is_refused),
        TEST(singular_values_of_a_diagonal),
        TEST(in_an_svd_v_reads_and_u_writes),
        TEST(an_svd_of_any_shape_gives_the_matrix_back),
        TEST(a_product_of_rank_one_has_one_singular_value),
        TEST(singular_vectors_of_an_equal_pair_span_a_fixed_plane),
        TEST(eigenvalues_of_known_matrices),
        TEST(equations_are_solved),
        TEST(random_numbers_are_normal_and_follow_their_seed),
        TEST(a_singular_matrix_is_refused),
        TEST(shapes_without_an_answer_are_refused),
        TEST(numbers_that_are_not_finite_are_refused_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
