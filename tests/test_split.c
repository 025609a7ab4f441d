/* The parts of a head's output for one logit, against plain loops over what the
   golden models computed. */
#define _XOPEN_SOURCE 700
#include "forward.h"
#include "golden.h"
#include "process.h"
#include "split.h"

enum { TOKENS = 11, WANTED = 7 };

/* What w W_O W_V gets from a row of the stream. */
static double through(const model *m, head h, const float *row) {
    double sum = 0;
    for (int k = 0; k < m->c.d_head; k++) {
        double read = 0, value = 0;
        for (int d = 0; d < m->c.d_model; d++) {
            read += ENTRY(model_W_U(m), WANTED, d) * ENTRY(h.W_O, d, k);
            value += ENTRY(h.W_V, k, d) * row[d];
        }
        sum += read * value;
    }
    return sum;
}

/* What w W_O gets from the vector z + b_V. */
static double whole(const model *m, const cache *x, int l, int h) {
    matrix z = forward_head(m, x->layers[l].z, x->n, h), b = model_b_V(m, l, h);
    matrix W_O = model_head(m, l, h).W_O;
    double sum = 0;
    for (int k = 0; k < m->c.d_head; k++)
        for (int d = 0; d < m->c.d_model; d++)
            sum += ENTRY(model_W_U(m), WANTED, d) * ENTRY(W_O, d, k) *
                   (ENTRY(z, x->n - 1, k) + ENTRY(b, k, 0));
    return sum;
}

static double check_head(fixture *f, const model *m, const cache *x, int l,
                         int h) {
    split s;
    double sum = 0, later = 0;
    head w = model_head(m, l, h);
    OK(split_head(m, x, l, h, WANTED, &s, &f->mem, &f->e));
    for (int j = 0; j < x->n; j++) {
        double A =
            ENTRY(forward_square(x->layers[l].pattern, x->n, h), x->n - 1, j) /
            ENTRY(x->layers[l].scale, j, 0);
        assert_near(s.token[j], A * through(m, w, &ENTRY(x->embed, j, 0)),
                    1e-5);
        assert_near(s.position[j],
                    A * through(m, w, &ENTRY(x->pos_embed, j, 0)), 1e-5);
        double earlier =
            l > 0 ? through(m, w, &ENTRY(x->layers[0].attn_out, j, 0)) : 0;
        assert_near(s.earlier[j], A * earlier, 1e-5);
        sum += s.token[j] + s.position[j] + s.earlier[j] + s.bias[j];
        later = fmax(later, fabs(s.earlier[j]));
    }
    assert_near(sum, whole(m, x, l, h), 1e-5);
    return later;
}

static void the_parts_sum_to_what_the_head_writes(void **state) {
    fixture *f = *state;
    static const char *const golden[] = {"tiny-1l", "tiny-2l"};
    const int tokens[TOKENS] = {0, 3, 5, 3, 8, 2, 13, 21, 3, 5, 1};
    for (size_t i = 0; i < COUNT(golden); i++) {
        model m;
        cache x;
        golden_open(f, golden[i], &m);
        OK(model_process(&m, &f->mem, &f->e));
        OK(forward_run(&m, tokens, TOKENS, &x, &f->mem, &f->e));
        for (int l = 0; l < m.c.n_layers; l++)
            for (int h = 0; h < m.c.n_heads; h++) {
                double later = check_head(f, &m, &x, l, h);
                assert_true(l > 0 ? later > 1e-3 : later == 0);
            }
        model_close(&m);
        golden_unlink(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_parts_sum_to_what_the_head_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
