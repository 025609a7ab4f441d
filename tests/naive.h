/* The training pass once more, in double precision, number by number and
   without any thought of speed: what the fast one is held against. */
#ifndef NAIVE_H
#define NAIVE_H

#include "net.h"
#include "shortlist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Weights or gradients in double precision, in the layout of a net. */
typedef struct {
    const config *c;
    const part *parts;
    double *at;
} naive;

static inline double *naive_part(const naive *w, int layer, int which) {
    int i = layer < 0 ? which : NET_PARTS + layer * NET_LAYER_PARTS + which;
    return w->at + w->parts[i].first;
}

enum { W_E, W_POS, W_U, B_U, LN_W, LN_B };
enum { LN1_W, LN1_B, W_QKV, B_QKV, W_O, B_O };

/* What one window's forward pass computed. */
typedef struct {
    double *x;     /* [n_layers + 1, T, D], the stream */
    double *u, *n; /* [n_layers + 1, T, D], normalized; times w plus b */
    double *scale; /* [n_layers + 1, T] */
    double *qkv;   /* [n_layers, T, 3 HK] */
    double *a;     /* [n_layers, H, T, T] */
    double *z;     /* [n_layers, T, HK] */
    double *p;     /* [T, scored], probabilities */
} naive_cache;

static inline double *naive_new(size_t n) {
    return calloc(n, sizeof(double));
}

static inline naive_cache naive_cache_new(const config *c, int scored) {
    size_t L = (size_t)c->n_layers, T = (size_t)c->n_ctx;
    size_t D = (size_t)c->d_model, H = (size_t)c->n_heads;
    size_t HK = H * (size_t)c->d_head;
    return (naive_cache){
        naive_new((L + 1) * T * D), naive_new((L + 1) * T * D),
        naive_new((L + 1) * T * D), naive_new((L + 1) * T),
        naive_new(L * T * 3 * HK),  naive_new(L * H * T * T),
        naive_new(L * T * HK),      naive_new(T * (size_t)scored)};
}

static inline void naive_cache_free(naive_cache *k) {
    free(k->x), free(k->u), free(k->n), free(k->scale);
    free(k->qkv), free(k->a), free(k->z), free(k->p);
}

static inline void naive_norm(const config *c, naive_cache *k, int l,
                              const double *w, const double *b) {
    int T = c->n_ctx, D = c->d_model;
    for (int t = 0; t < T; t++) {
        const double *x = k->x + (l * T + t) * D;
        double mean = 0, variance = 0;
        for (int d = 0; d < D; d++)
            mean += x[d] / D;
        for (int d = 0; d < D; d++)
            variance += (x[d] - mean) * (x[d] - mean) / D;
        double s = k->scale[l * T + t] = sqrt(variance + c->eps);
        for (int d = 0; d < D; d++) {
            double u = k->u[(l * T + t) * D + d] = (x[d] - mean) / s;
            k->n[(l * T + t) * D + d] = u * w[d] + b[d];
        }
    }
}

static inline void naive_head(const config *c, naive_cache *k, int l, int h) {
    int T = c->n_ctx, K = c->d_head, HK = c->n_heads * K;
    const double *qkv = k->qkv + l * T * 3 * HK;
    for (int i = 0; i < T; i++) {
        double *a = k->a + ((l * c->n_heads + h) * T + i) * T, sum = 0;
        for (int j = 0; j <= i; j++) {
            double s = 0;
            for (int m = 0; m < K; m++)
                s += qkv[i * 3 * HK + h * K + m] *
                     qkv[j * 3 * HK + HK + h * K + m];
            sum += a[j] = exp(s / sqrt(K));
        }
        for (int j = 0; j < T; j++)
            a[j] = j <= i ? a[j] / sum : 0;
        for (int m = 0; m < K; m++) {
            double z = 0;
            for (int j = 0; j <= i; j++)
                z += a[j] * qkv[j * 3 * HK + 2 * HK + h * K + m];
            k->z[(l * T + i) * HK + h * K + m] = z;
        }
    }
}

static inline void naive_layer(const naive *w, naive_cache *k, int l) {
    const config *c = w->c;
    int T = c->n_ctx, D = c->d_model, HK = c->n_heads * c->d_head;
    const double *W = naive_part(w, l, W_QKV), *b = naive_part(w, l, B_QKV);
    const double *O = naive_part(w, l, W_O), *b_O = naive_part(w, l, B_O);
    naive_norm(c, k, l, naive_part(w, l, LN1_W), naive_part(w, l, LN1_B));
    for (int t = 0; t < T; t++)
        for (int r = 0; r < 3 * HK; r++) {
            double y = b[r];
            for (int d = 0; d < D; d++)
                y += W[r * D + d] * k->n[(l * T + t) * D + d];
            k->qkv[(l * T + t) * 3 * HK + r] = y;
        }
    for (int h = 0; h < c->n_heads; h++)
        naive_head(c, k, l, h);
    for (int t = 0; t < T; t++)
        for (int d = 0; d < D; d++) {
            double y = b_O[d];
            for (int r = 0; r < HK; r++)
                y += k->z[(l * T + t) * HK + r] * O[r * D + d];
            k->x[((l + 1) * T + t) * D + d] = k->x[(l * T + t) * D + d] + y;
        }
}

static inline int naive_token(const shortlist *s, int i) {
    return s ? s->tokens[i] : i;
}

/* The sum of the losses of one window; k->p gets the probabilities. */
static inline double naive_window(const naive *w, const int *inputs,
                                  const int *targets, const shortlist *s,
                                  naive_cache *k) {
    const config *c = w->c;
    int T = c->n_ctx, D = c->d_model, L = c->n_layers;
    int scored = s ? s->n : c->d_vocab;
    double loss = 0;
    for (int i = 0; i < T * D; i++)
        k->x[i] = naive_part(w, -1, W_E)[inputs[i / D] * D + i % D] +
                  naive_part(w, -1, W_POS)[i];
    for (int l = 0; l < L; l++)
        naive_layer(w, k, l);
    naive_norm(c, k, L, naive_part(w, -1, LN_W), naive_part(w, -1, LN_B));
    for (int t = 0; t < T; t++) {
        double sum = 0, *p = k->p + t * scored;
        for (int i = 0; i < scored; i++) {
            int token = naive_token(s, i);
            double y = naive_part(w, -1, B_U)[token];
            if (s)
                y += (double)s->correction[token];
            for (int d = 0; d < D; d++)
                y += k->n[(L * T + t) * D + d] *
                     naive_part(w, -1, W_U)[token * D + d];
            sum += p[i] = exp(y);
        }
        for (int i = 0; i < scored; i++)
            p[i] /= sum;
        loss -= log(p[s ? s->place[targets[t]] : targets[t]]);
    }
    return loss;
}

static inline double naive_loss(const naive *w, int windows, const int *inputs,
                                const int *targets, const shortlist *s) {
    int T = w->c->n_ctx;
    naive_cache k = naive_cache_new(w->c, s ? s->n : w->c->d_vocab);
    double loss = 0;
    for (int i = 0; i < windows; i++)
        loss += naive_window(w, inputs + i * T, targets + i * T, s, &k);
    naive_cache_free(&k);
    return loss / (windows * T);
}

/* ---- Backward ---- */

/* From d_n, [T, D], through norm l: adds to d_x, d_w, d_b. */
static inline void naive_norm_back(const config *c, const naive_cache *k, int l,
                                   const double *w, const double *d_n,
                                   double *d_x, double *d_w, double *d_b) {
    int T = c->n_ctx, D = c->d_model;
    for (int t = 0; t < T; t++)
        for (int d = 0; d < D; d++) {
            const double *u = k->u + (l * T + t) * D;
            double g = d_n[t * D + d];
            d_w[d] += g * u[d];
            d_b[d] += g;
            /* u_e depends on x_d: ((d == e) - 1/D - u_d u_e / D) / scale */
            for (int e = 0; e < D; e++)
                d_x[t * D + e] += g * w[d] *
                                  ((d == e) - 1.0 / D - u[d] * u[e] / D) /
                                  k->scale[l * T + t];
        }
}

static inline void naive_head_back(const config *c, const naive_cache *k, int l,
                                   int h, const double *d_z, double *d_qkv) {
    int T = c->n_ctx, K = c->d_head, HK = c->n_heads * K, R = 3 * HK;
    const double *qkv = k->qkv + l * T * R;
    for (int i = 0; i < T; i++) {
        const double *a = k->a + ((l * c->n_heads + h) * T + i) * T;
        for (int j = 0; j <= i; j++)
            for (int m = 0; m < K; m++)
                d_qkv[j * R + 2 * HK + h * K + m] +=
                    a[j] * d_z[i * HK + h * K + m];
        for (int j = 0; j <= i; j++) { /* the score of i for j */
            double d_s = 0;
            for (int f = 0; f <= i; f++)
                for (int m = 0; m < K; m++)
                    d_s += d_z[i * HK + h * K + m] *
                           qkv[f * R + 2 * HK + h * K + m] * a[f] *
                           ((f == j) - a[j]);
            for (int m = 0; m < K; m++) {
                d_qkv[i * R + h * K + m] +=
                    d_s / sqrt(K) * qkv[j * R + HK + h * K + m];
                d_qkv[j * R + HK + h * K + m] +=
                    d_s / sqrt(K) * qkv[i * R + h * K + m];
            }
        }
    }
}

/* d_x: [T, D], the gradient above the layer, then below. */
static inline void naive_layer_back(const naive *w, const naive *g,
                                    const naive_cache *k, int l, double *d_x) {
    const config *c = w->c;
    int T = c->n_ctx, D = c->d_model, HK = c->n_heads * c->d_head, R = 3 * HK;
    double *d_z = naive_new((size_t)T * (size_t)HK),
           *d_n = naive_new((size_t)T * (size_t)D);
    double *d_qkv = naive_new((size_t)T * (size_t)R);
    for (int t = 0; t < T; t++)
        for (int d = 0; d < D; d++) {
            naive_part(g, l, B_O)[d] += d_x[t * D + d];
            for (int r = 0; r < HK; r++) {
                d_z[t * HK + r] +=
                    d_x[t * D + d] * naive_part(w, l, W_O)[r * D + d];
                naive_part(g, l, W_O)[r * D + d] +=
                    d_x[t * D + d] * k->z[(l * T + t) * HK + r];
            }
        }
    for (int h = 0; h < c->n_heads; h++)
        naive_head_back(c, k, l, h, d_z, d_qkv);
    for (int t = 0; t < T; t++)
        for (int r = 0; r < R; r++) {
            naive_part(g, l, B_QKV)[r] += d_qkv[t * R + r];
            for (int d = 0; d < D; d++) {
                naive_part(g, l, W_QKV)[r * D + d] +=
                    d_qkv[t * R + r] * k->n[(l * T + t) * D + d];
                d_n[t * D + d] +=
                    d_qkv[t * R + r] * naive_part(w, l, W_QKV)[r * D + d];
            }
        }
    naive_norm_back(c, k, l, naive_part(w, l, LN1_W), d_n, d_x,
                    naive_part(g, l, LN1_W), naive_part(g, l, LN1_B));
    free(d_z), free(d_n), free(d_qkv);
}

static inline void naive_window_back(const naive *w, const naive *g,
                                     const int *inputs, const int *targets,
                                     const shortlist *s, const naive_cache *k,
                                     double factor) {
    const config *c = w->c;
    int T = c->n_ctx, D = c->d_model, L = c->n_layers;
    int scored = s ? s->n : c->d_vocab;
    double *d_x = naive_new((size_t)T * (size_t)D),
           *d_n = naive_new((size_t)T * (size_t)D);
    for (int t = 0; t < T; t++)
        for (int i = 0; i < scored; i++) {
            int token = naive_token(s, i);
            double d_y =
                factor * (k->p[t * scored + i] - (token == targets[t]));
            naive_part(g, -1, B_U)[token] += d_y;
            for (int d = 0; d < D; d++) {
                naive_part(g, -1, W_U)[token * D + d] +=
                    d_y * k->n[(L * T + t) * D + d];
                d_n[t * D + d] += d_y * naive_part(w, -1, W_U)[token * D + d];
            }
        }
    naive_norm_back(c, k, L, naive_part(w, -1, LN_W), d_n, d_x,
                    naive_part(g, -1, LN_W), naive_part(g, -1, LN_B));
    for (int l = L - 1; l >= 0; l--)
        naive_layer_back(w, g, k, l, d_x);
    for (int i = 0; i < T * D; i++) {
        naive_part(g, -1, W_E)[inputs[i / D] * D + i % D] += d_x[i];
        naive_part(g, -1, W_POS)[i] += d_x[i];
    }
    free(d_x), free(d_n);
}

/* g: zeros at first. Returns the mean loss. */
static inline double naive_gradient(const naive *w, int windows,
                                    const int *inputs, const int *targets,
                                    const shortlist *s, const naive *g) {
    int T = w->c->n_ctx;
    naive_cache k = naive_cache_new(w->c, s ? s->n : w->c->d_vocab);
    double loss = 0;
    for (int i = 0; i < windows; i++) {
        loss += naive_window(w, inputs + i * T, targets + i * T, s, &k);
        naive_window_back(w, g, inputs + i * T, targets + i * T, s, &k,
                          1.0 / (windows * T));
    }
    naive_cache_free(&k);
    return loss / (windows * T);
}

#endif
