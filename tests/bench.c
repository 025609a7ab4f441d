/* What low rank buys, measured: each figure is the ratio of two ways to the
   same answer, timed in the same run on the same data. Nothing here is a test;
   times differ from machine to machine, ratios less so.

     bench [TOKENS [D_VOCAB]]     2000 tokens of a vocabulary of 48,262 by
   default */

#define _POSIX_C_SOURCE 200809L
#include "circuits.h"
#include "dense.h"
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { D = 512, H = 8, K = 64, REPEATS = 3 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const error *e) {
    fprintf(stderr, "bench: %s\n", e->message);
    exit(1);
}

/* ---- a synthetic model ----------------------------------------------------
 */

/* Each head has 64 of the 512 dimensions for itself: W_V and W_O pass block h
   on. A token's embedding is random. Its row of W_U repeats block h of the
   embedding where the head is to copy the token, and has it with the other sign
   where it is not, so that its own entry of the column is the least likely one.
 */
static void make_blocks(model *m, const double *share, arena *mem, error *e) {
    int V = m->c.d_vocab, seed[4] = {7, 7, 7, 7};
    dmatrix random;
    if (dmatrix_new(V, D, &random, mem, e))
        stop(e);
    linalg_random(random, seed);
    for (int t = 0; t < V; t++)
        for (int d = 0; d < D; d++)
            m->W_E[(ptrdiff_t)t * D + d] = (float)ENTRY(random, t, d);
    for (int t = 0; t < V; t++)
        for (int d = 0; d < D; d++) {
            /* the golden ratio spreads the copied tokens evenly */
            bool copied = fmod(t * 0.6180339887, 1) < share[d / K];
            float x = m->W_E[(ptrdiff_t)t * D + d];
            m->W_U[(ptrdiff_t)d * V + t] = copied ? x : -x;
        }
}

static void make_model(model *m, int V, const double *share, arena *mem,
                       error *e) {
    *m = (model){.c = {1, D, H, K, 1, V, true, false, 1e-5}};
    m->layers = arena_alloc(mem, 1, sizeof *m->layers, e);
    m->W_E = arena_alloc(mem, (size_t)V * D, sizeof(float), e);
    m->W_U = arena_alloc(mem, (size_t)V * D, sizeof(float), e);
    if (!m->layers || !m->W_E || !m->W_U)
        stop(e);
    layer_weights *w = m->layers;
    w->W_V = arena_alloc(mem, (size_t)D * D, sizeof(float), e);
    w->W_O = arena_alloc(mem, (size_t)D * D, sizeof(float), e);
    w->b_V = arena_alloc(mem, D, sizeof(float), e);
    if (!w->W_V || !w->W_O || !w->b_V)
        stop(e);
    w->W_Q = w->W_K = w->W_V;
    w->b_Q = w->b_K = w->b_V;
    for (int h = 0; h < H; h++)
        for (int k = 0; k < K; k++) {
            w->W_V[((ptrdiff_t)h * D + h * K + k) * K + k] = 1;
            w->W_O[((ptrdiff_t)h * K + k) * D + h * K + k] = 1;
        }
    make_blocks(m, share, mem, e);
}

/* ---- copying shares -------------------------------------------------------
 */

static void bench_copying(const char *name, int V, int tokens,
                          const double *share, error *e) {
    arena mem = {0};
    model m;
    double dense[H], thin[H], best = INFINITY, work = 0, dense_work = 0;
    make_model(&m, V, share, &mem, e);
    double start = now();
    for (int h = 0; h < H; h++)
        if (dense_copy_share(&m, model_head(&m, 0, h), 1000, 1000 + tokens - 1,
                             &dense[h], &dense_work, e))
            stop(e);
    double dense_time = now() - start;
    for (int i = 0; i < REPEATS; i++) {
        start = now();
        work = 0;
        for (int h = 0; h < H; h++)
            if (circuit_copy_share(&m, model_head(&m, 0, h), 1000,
                                   1000 + tokens - 1, &thin[h], &work, e))
                stop(e);
        best = fmin(best, now() - start);
    }
    printf("copying shares, %s: %d tokens, vocabulary %d\n  shares   ", name,
           tokens, V);
    for (int h = 0; h < H; h++)
        printf(" %.3f%s", thin[h], thin[h] == dense[h] ? "" : " DIFFERS");
    printf("\n  dense     %7.3f s  %.2e multiply-adds\n", dense_time,
           dense_work);
    printf("  factored  %7.3f s  %.2e multiply-adds\n", best, work);
    printf("  dense : factored = %.1f\n", dense_time / best);
    arena_free(&mem);
}

/* ---- scores by the product and by the factors ------------------------------
 */

static void bench_scores(error *e) {
    enum { N = 1024 };
    arena mem = {0};
    int seed[4] = {1, 2, 3, 5};
    dmatrix r;
    matrix x, W_Q, W_K, W_QK, scratch, scores;
    double product = INFINITY, factors = INFINITY;
    if (dmatrix_new(N, D, &r, &mem, e))
        stop(e);
    linalg_random(r, seed);
    if (matrix_narrow(r, &x, &mem, e) ||
        matrix_multiply(matrix_transpose(matrix_rows(x, 0, K)),
                        matrix_rows(x, K, K), &W_QK, &mem, e))
        stop(e);
    W_Q = matrix_rows(x, 0, K);
    W_K = matrix_rows(x, K, K);
    for (int i = 0; i < 5 * REPEATS; i++) {
        double start = now();
        if (matrix_multiply(x, W_QK, &scratch, &mem, e))
            stop(e);
        product = fmin(product, now() - start);
        start = now();
        if (matrix_multiply(x, matrix_transpose(W_Q), &scratch, &mem, e) ||
            matrix_multiply(x, matrix_transpose(W_K), &scores, &mem, e))
            stop(e);
        factors = fmin(factors, now() - start);
    }
    printf("%d rows through W_QK and through W_Q and W_K\n"
           "  product   %7.3f ms\n  factors   %7.3f ms\n"
           "  product : factors = %.1f (counted %.1f)\n",
           N, 1e3 * product, 1e3 * factors, product / factors,
           (double)D / (2 * K));
    arena_free(&mem);
}

int main(int argc, char **argv) {
    static const double published[H] = {0.37, 0, 0, 0.34, 0.26, 0, 0.12, 0};
    static const double all[H] = {1, 1, 1, 1, 1, 1, 1, 1};
    int tokens = argc > 1 ? atoi(argv[1]) : 2000;
    int V = argc > 2 ? atoi(argv[2]) : 48262;
    error e;
    if (tokens < 1 || V < 1000 + tokens) {
        fprintf(stderr,
                "bench: needs at least 1 token and a vocabulary of 1000 "
                "more\n");
        return 1;
    }
    bench_scores(&e);
    bench_copying("heads that copy as published", V, tokens, published, &e);
    bench_copying("every head copies every token", V, tokens, all, &e);
    return 0;
}
