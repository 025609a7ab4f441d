/* The training: gradients against finite differences and a naive pass, the loss
   against the book's own forward pass, the optimizers, the order of the text,
   and runs that resume with the same bits. */
#define _XOPEN_SOURCE 700
#include "golden.h"

#include "chance.h"
#include "forward.h"
#include "layers.h"
#include "linalg.h"
#include "naive.h"
#include "training.h"

/* ---- Models with random weights, and batches ---- */

static const config tiny = {.n_layers = 2,
                            .d_model = 8,
                            .n_heads = 2,
                            .d_head = 4,
                            .n_ctx = 5,
                            .d_vocab = 13,
                            .layer_norm = true,
                            .eps = 1e-5};
/* Longer than two strips of attention, wider than a block of gradients. */
static const config middle = {.n_layers = 2,
                              .d_model = 72,
                              .n_heads = 3,
                              .d_head = 24,
                              .n_ctx = 150,
                              .d_vocab = 300,
                              .layer_norm = true,
                              .eps = 1e-5};

typedef struct {
    config c;
    int windows, n_parts;
    part *parts;
    team *t;
    net w, g;
    pass p;
    shortlist list;
    int *inputs, *targets;
    double *frequency;
    naive wide, gradient; /* the weights, and room for a gradient */
} subject;

/* Every weight random, so that no gradient is zero by chance. */
static void subject_new(fixture *f, const config *c, int windows, int threads,
                        subject *s) {
    size_t batch = (size_t)windows * (size_t)c->n_ctx, V = (size_t)c->d_vocab;
    uint64_t chance = chance_start(7, CHANCE_TEST, 0);
    *s = (subject){.c = *c, .windows = windows};
    s->parts = arena_alloc(&f->mem, 64, sizeof *s->parts, &f->e);
    s->n_parts = net_parts(c, s->parts);
    OK(team_open(threads, &s->t, &f->e));
    OK(net_new(c, &s->w, &f->mem, &f->e));
    OK(net_new(c, &s->g, &f->mem, &f->e));
    OK(pass_new(c, windows, s->t, &s->p, &f->mem, &f->e));
    s->inputs = arena_alloc(&f->mem, batch, sizeof(int), &f->e);
    s->targets = arena_alloc(&f->mem, batch, sizeof(int), &f->e);
    s->frequency = arena_alloc(&f->mem, V, sizeof(double), &f->e);
    for (size_t i = 0; i < batch; i++) {
        s->inputs[i] = (int)(chance_bits(&chance) % V);
        s->targets[i] = (int)(chance_bits(&chance) % V);
    }
    double sum = 0;
    for (size_t t = 0; t < V; t++)
        sum += 1 / (double)(t + 1);
    for (size_t t = 0; t < V; t++)
        s->frequency[t] = 1 / ((double)(t + 1) * sum);
    OK(shortlist_new(s->frequency, c->d_vocab, (int)batch, (int)V / 8, &s->list,
                     &f->mem, &f->e));
    for (int i = 0; i < s->n_parts; i++) {
        const part *p = &s->parts[i];
        bool one = strstr(p->name, ".w");
        for (size_t j = 0; j < (size_t)p->rows * (size_t)p->cols; j++)
            s->w.at[p->first + j] =
                (float)(one + chance_normal(&chance) / sqrt(c->d_model));
    }
    s->wide = (naive){&s->c, s->parts, arena_alloc(&f->mem, s->w.n, 8, &f->e)};
    s->gradient =
        (naive){&s->c, s->parts, arena_alloc(&f->mem, s->w.n, 8, &f->e)};
    for (size_t i = 0; i < s->w.n; i++)
        s->wide.at[i] = (double)s->w.at[i];
}

static const shortlist *draw(subject *s) {
    uint64_t chance = chance_start(7, CHANCE_DRAW, 0);
    shortlist_draw(&s->list, s->targets, s->windows * s->c.n_ctx, &chance);
    return &s->list;
}

/* Largest |x - y| of an array over its largest |y|. */
typedef double at_index(const void *from, size_t i);
static double of_floats(const void *from, size_t i) {
    return (double)((const float *)from)[i];
}
static double of_doubles(const void *from, size_t i) {
    return ((const double *)from)[i];
}

static bool is_live(const subject *s, const part *p, int row, bool fast) {
    return !fast || p->touched == ROWS_ALL ||
           (p->touched == ROWS_READ ? s->p.read[row] : s->p.scored[row]);
}

/* Prints the largest relative difference of each array; returns the worst. */
static double compare(const char *what, const subject *s, const void *x,
                      at_index *x_at, const double *y) {
    double worst = 0;
    for (int i = 0; i < s->n_parts; i++) {
        const part *p = &s->parts[i];
        double most = 0, difference = 0;
        for (int r = 0; r < p->rows; r++)
            for (int c = 0; c < p->cols; c++) {
                size_t at = p->first + (size_t)(r * p->cols + c);
                bool live = is_live(s, p, r, x_at == of_floats);
                double d = fabs((live ? x_at(x, at) : 0) - y[at]);
                most = fmax(most, fabs(y[at]));
                difference = isnan(d) ? INFINITY : fmax(difference, d);
            }
        print_message("# %-28s %-10s largest |gradient| %.1e, relative "
                      "difference %.1e\n",
                      what, p->name, most, difference / most);
        worst = fmax(worst, difference / most);
    }
    return worst;
}

/* ---- Gradients ---- */

/* Central differences of the naive loss, for every weight. */
static void difference_gradient(subject *s, const shortlist *list,
                                double *out) {
    static const double step = 1e-5;
    for (int i = 0; i < s->n_parts; i++) {
        size_t n = (size_t)s->parts[i].rows * (size_t)s->parts[i].cols;
        for (size_t j = s->parts[i].first; j < s->parts[i].first + n; j++) {
            double was = s->wide.at[j], side[2];
            for (int k = 0; k < 2; k++) {
                s->wide.at[j] = was + (k ? step : -step);
                side[k] = naive_loss(&s->wide, s->windows, s->inputs,
                                     s->targets, list);
            }
            s->wide.at[j] = was;
            out[j] = (side[1] - side[0]) / (2 * step);
        }
    }
}

static void check_differences(fixture *f, const char *what, bool with_list) {
    subject s;
    subject_new(f, &tiny, 2, 1, &s);
    const shortlist *list = with_list ? draw(&s) : NULL;
    double *finite = arena_alloc(&f->mem, s.w.n, sizeof *finite, &f->e);
    difference_gradient(&s, list, finite);
    naive_gradient(&s.wide, s.windows, s.inputs, s.targets, list, &s.gradient);
    double naive_worst = compare(what, &s, s.gradient.at, of_doubles, finite);
    pass_gradient(&s.p, s.t, &s.w, s.inputs, s.targets, list, &s.g);
    double fast_worst =
        compare("the same, fast", &s, s.g.at, of_floats, finite);
    print_message("# %s: naive backward differs by %.1e from finite "
                  "differences, the training's by %.1e\n",
                  what, naive_worst, fast_worst);
    assert_near(naive_worst, 0, 1e-7);
    assert_near(fast_worst, 0, 1e-5);
    team_close(s.t);
}

static void gradients_are_finite_differences(void **state) {
    check_differences(*state, "all tokens", false);
}

static void gradients_over_a_shortlist_are_too(void **state) {
    check_differences(*state, "a shortlist", true);
}

static void check_naive(fixture *f, const char *what, bool with_list) {
    subject s;
    subject_new(f, &middle, 3, 2, &s);
    const shortlist *list = with_list ? draw(&s) : NULL;
    double slow = naive_gradient(&s.wide, s.windows, s.inputs, s.targets, list,
                                 &s.gradient);
    double fast =
        pass_gradient(&s.p, s.t, &s.w, s.inputs, s.targets, list, &s.g);
    double worst = compare(what, &s, s.g.at, of_floats, s.gradient.at);
    print_message("# %s: loss %.6f, naively %.6f; gradients differ by %.1e\n",
                  what, fast, slow, worst);
    assert_near(fast, slow, 2e-6 * slow);
    assert_near(worst, 0, 5e-6);
    team_close(s.t);
}

static void gradients_agree_with_the_naive_pass(void **state) {
    check_naive(*state, "150 tokens, all scored", false);
    check_naive(*state, "150 tokens, a shortlist", true);
}

static void the_number_of_threads_changes_no_bit(void **state) {
    fixture *f = *state;
    subject one, other;
    subject_new(f, &middle, 5, 1, &one);
    double loss = pass_gradient(&one.p, one.t, &one.w, one.inputs, one.targets,
                                NULL, &one.g);
    for (int threads = 2; threads <= 4; threads++) {
        subject_new(f, &middle, 5, threads, &other);
        double again = pass_gradient(&other.p, other.t, &other.w, other.inputs,
                                     other.targets, NULL, &other.g);
        assert_true(loss == again);
        assert_memory_equal(one.g.at, other.g.at, one.g.n * sizeof(float));
        team_close(other.t);
    }
    team_close(one.t);
}

/* ---- The model that is written ---- */

static void the_written_model_has_the_same_logits(void **state) {
    fixture *f = *state;
    subject s;
    model m;
    subject_new(f, &middle, 2, 2, &s);
    OK(net_write(&s.w, f->folder, DTYPE_F32, &f->e));
    OK(model_open(f->folder, &m, &f->mem, &f->e));
    double loss = pass_loss(&s.p, s.t, &s.w, s.inputs, s.targets), own = 0;
    int T = s.c.n_ctx, V = s.c.d_vocab, N = s.windows * T;
    double most = 0, worst = 0;
    cache x = {.n = 0};
    for (int i = 0; i < N; i++) {
        if (i % T == 0)
            OK(forward_run(&m, s.inputs + i, T, &x, &f->mem, &f->e));
        const float *logits = &ENTRY(x.logits, i % T, 0);
        double sum = 0;
        for (int t = 0; t < V; t++)
            sum += exp((double)logits[t]);
        own += (log(sum) - (double)logits[s.targets[i]]) / N;
        /* What is left of the logits is (softmax - target) / N. */
        for (int t = 0; t < V; t++) {
            double p =
                N * (double)s.p.k.logits[i * V + t] + (t == s.targets[i]);
            double q = exp((double)logits[t]) / sum;
            most = fmax(most, q);
            worst = fmax(worst, fabs(p - q));
        }
    }
    print_message("# loss %.7f, by forward_run %.7f; probabilities differ by "
                  "%.1e, the largest is %.2f\n",
                  loss, own, worst, most);
    assert_near(loss, own, 1e-6 * own);
    assert_near(worst, 0, 2e-6);
    model_close(&m);
    team_close(s.t);
}

static float half_to_float(fixture *f, uint16_t half) {
    float *x;
    tensor t = {.name = "x",
                .dtype = DTYPE_F16,
                .n_dims = 1,
                .shape = {1},
                .stride = {1},
                .at = (unsigned char *)&half};
    OK(tensor_floats(&t, &f->mem, &x, &f->e));
    return *x;
}

static void halves_are_rounded_to_nearest(void **state) {
    fixture *f = *state;
    float before = 0;
    for (int i = 0; i < 0x7c00; i++) {
        float x = half_to_float(f, (uint16_t)i);
        assert_int_equal(net_half(x), i);
        assert_int_equal(net_half(-x), i | 0x8000);
        if (i > 0) { /* a tie goes to the even one, all else to the nearer */
            float middle_of = (float)(((double)x + (double)before) / 2);
            assert_int_equal(net_half(middle_of), i % 2 ? i - 1 : i);
            assert_int_equal(net_half(nextafterf(middle_of, 1e9F)), i);
            assert_int_equal(net_half(nextafterf(middle_of, 0)), i - 1);
        }
        before = x;
    }
    assert_int_equal(net_half(65519), 0x7bff);
    assert_int_equal(net_half(65520), 0x7c00);
    assert_int_equal(net_half(NAN) & 0x7e00, 0x7e00);
}

static void a_weight_too_large_for_a_half_is_refused(void **state) {
    fixture *f = *state;
    subject s;
    subject_new(f, &tiny, 1, 1, &s);
    s.w.W_U[3] = 1e5F;
    REFUSED(net_write(&s.w, f->folder, DTYPE_F16, &f->e), "unembed.W_U");
    team_close(s.t);
}

/* ---- The shortlist ---- */

static void a_shortlist_has_targets_and_draws(void **state) {
    fixture *f = *state;
    subject s;
    enum { LISTS = 20000, TARGETS = 20 };
    subject_new(f, &tiny, 1, 1, &s);
    shortlist list;
    OK(shortlist_new(s.frequency, 13, TARGETS, 6, &list, &f->mem, &f->e));
    uint64_t chance = chance_start(1, CHANCE_TEST, 1);
    double listed[13] = {0}, worst = 0;
    for (int i = 0; i < LISTS; i++) {
        int targets[TARGETS];
        for (int j = 0; j < TARGETS; j++) {
            double x = chance_uniform(&chance);
            for (targets[j] = 0; targets[j] < 12; targets[j]++)
                if ((x -= s.frequency[targets[j]]) < 0)
                    break;
        }
        shortlist_draw(&list, targets, TARGETS, &chance);
        for (int j = 0; j < TARGETS; j++)
            assert_int_equal(list.tokens[list.place[targets[j]]], targets[j]);
        for (int j = 0; j < list.n; j++) {
            assert_true(j == 0 || list.tokens[j] > list.tokens[j - 1]);
            listed[list.tokens[j]] += 1.0 / LISTS;
        }
    }
    for (int t = 0; t < 13; t++)
        worst = fmax(worst, fabs(listed[t] - exp(-(double)list.correction[t])));
    print_message("# chance of being listed, counted and computed: %.4f\n",
                  worst);
    assert_near(worst, 0, 0.015);
    team_close(s.t);
}

/* ---- Optimizers ---- */

static void adam_follows_its_formula(void **state) {
    (void)state;
    float w[3] = {1, -2, 0.5F}, m[3] = {0}, v[3] = {0};
    double W[3] = {1, -2, 0.5}, M[3] = {0}, S[3] = {0};
    for (int step = 1; step <= 5; step++) {
        float g[3] = {0.1F * (float)step, -0.3F, 2};
        bool still = step == 4; /* no gradient: as if it were zero */
        double c1 = 1 - pow(0.9, step), c2 = 1 - pow(0.99, step);
        adam a = {.beta1 = 0.9F,
                  .beta2 = 0.99F,
                  .epsilon = 1e-8F,
                  .step_size = (float)(0.01 / c1),
                  .root = (float)(1 / c2),
                  .keep = 0.999F,
                  .shrink = 0.5F};
        optimizer_adam(&a, w, still ? NULL : g, m, v, 3);
        for (int i = 0; i < 3; i++) {
            double d = still ? 0 : 0.5 * (double)g[i];
            M[i] = 0.9 * M[i] + 0.1 * d;
            S[i] = 0.99 * S[i] + 0.01 * d * d;
            W[i] = 0.999 * W[i] - 0.01 * (M[i] / c1) / (sqrt(S[i] / c2) + 1e-8);
            assert_near((double)w[i], W[i], 2e-6);
        }
    }
}

static void orthogonal_keeps_directions_and_flattens_the_rest(void **state) {
    fixture *f = *state;
    enum { R = 16, C = 40 };
    matrix x, before;
    float *scratch = arena_alloc(&f->mem, R * C + 2 * R * R, 4, &f->e), *s;
    uint64_t chance = chance_start(1, CHANCE_TEST, 2);
    OK(matrix_new(R, C, &x, &f->mem, &f->e));
    OK(matrix_new(R, C, &before, &f->mem, &f->e));
    for (int i = 0; i < R * C; i++) /* rows of very different size */
        x.at[i] = before.at[i] =
            (float)(pow(0.8, i / (double)C) * chance_normal(&chance));
    optimizer_orthogonal(x.at, R, C, scratch);
    OK(linalg_singular_values_single(x, &s, &f->mem, &f->e));
    print_message("# singular values %.3f to %.3f\n", (double)s[R - 1],
                  (double)s[0]);
    assert_near((double)s[0], 1, 0.3);
    assert_near((double)s[R - 1], 1, 0.4);
    /* U f(S) V^T (U S V^T)^T = U f(S) S U^T is symmetric. */
    matrix product;
    OK(matrix_multiply(x, matrix_transpose(before), &product, &f->mem, &f->e));
    assert_near(matrix_difference(product, matrix_transpose(product)), 0, 1e-4);
}

/* The block of one head, by momentum and by what the last test looked at. */
static void muon_follows_its_formula(void **state) {
    fixture *f = *state;
    enum { K = 4, D = 8 };
    const recipe how = {.beta1 = 0.9,
                        .beta2 = 0.99,
                        .epsilon = 1e-8,
                        .momentum = 0.9,
                        .muon = 4,
                        .decay = 0.1,
                        .clip = 1e9};
    float w[K * D], mean[K * D] = {0}, step[K * D], scratch[K * D + 2 * K * K];
    uint64_t chance = chance_start(1, CHANCE_TEST, 4);
    subject s;
    optimizer o;
    subject_new(f, &tiny, 1, 1, &s);
    OK(optimizer_new(&s.c, &how, s.t, &o, &f->mem, &f->e));
    const float *block = s.w.layers[1].W_O, *g = s.g.layers[1].W_O;
    memcpy(w, block, sizeof w);
    for (int n = 1; n <= 3; n++) {
        for (size_t i = 0; i < s.g.n; i++)
            s.g.at[i] = (float)chance_normal(&chance);
        for (int i = 0; i < K * D; i++) {
            mean[i] = 0.9F * mean[i] + 0.1F * g[i];
            step[i] = 0.9F * mean[i] + 0.1F * g[i];
        }
        optimizer_orthogonal(step, K, D, scratch);
        optimizer_step(&o, s.t, &s.w, &s.g, (touched){NULL, NULL}, n, 0.01);
        for (int i = 0; i < K * D; i++) {
            w[i] = (1 - 0.04F * 0.1F) * w[i] - 0.04F * step[i];
            assert_near((double)block[i], (double)w[i], 1e-6);
        }
    }
    team_close(s.t);
}

/* ---- Text ---- */

enum { BOS = 0, VOCAB = 40 };

/* A text in which every token follows from the one before it, mostly. */
static char *write_tokens(fixture *f, const char *name, int n, uint64_t seed) {
    char *path = in_folder(f, name);
    FILE *file = fopen(path, "wb");
    uint64_t chance = chance_start(seed, CHANCE_TEST, 3);
    int last = 1;
    assert_non_null(file);
    for (int i = 0; i < n; i++) {
        int next = 1 + 5 * last % (VOCAB - 1);
        if (chance_uniform(&chance) < 0.2)
            next = 1 + (int)(chance_bits(&chance) % (VOCAB - 1));
        if (i == 0 || chance_uniform(&chance) < 0.02)
            next = BOS;
        putc(next & 255, file);
        putc(next >> 8, file);
        last = next;
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

static void windows_cover_the_text_once_a_walk(void **state) {
    fixture *f = *state;
    enum { T = 16, N = 1000 };
    token_file text;
    window_order order, again;
    int inputs[T], targets[T], *seen, shifted = 0;
    OK(tokens_open(write_tokens(f, "t.bin", N, 1), VOCAB, BOS, &text, &f->e));
    OK(window_order_new(&text, T, 5, &order, &f->mem, &f->e));
    OK(window_order_new(&text, T, 5, &again, &f->mem, &f->e));
    seen = arena_alloc(&f->mem, (size_t)order.n, sizeof *seen, &f->e);
    for (long w = 0; w < 3L * order.n; w++) {
        int other[2][T];
        window_next(&order, w, inputs, targets);
        window_next(&again, 3L * order.n - 1 - w, other[0], other[1]);
        size_t first =
            order.shift + (size_t)(T - 1) * (size_t)order.order[w % order.n];
        window_cut(&text, first, T, other[0], other[1]);
        assert_memory_equal(inputs, other[0], sizeof inputs);
        shifted += order.shift > 0;
        assert_int_equal(inputs[0], BOS);
        for (int i = 1; i < T; i++)
            assert_int_equal(inputs[i], targets[i - 1]);
        seen[order.order[w % order.n]]++;
    }
    assert_true(shifted > 0);
    for (int i = 0; i < order.n; i++)
        assert_int_equal(seen[i], 3);
    int back[2][T]; /* the order does not depend on how one came there */
    window_next(&order, 7, inputs, targets);
    window_next(&again, 7, back[0], back[1]);
    assert_memory_equal(inputs, back[0], sizeof inputs);
    window_cut(&text, (size_t)(window_count(&text, T) - 1) * (T - 1), T, inputs,
               targets);
    tokens_close(&text);
}

static void texts_that_cannot_be_used_are_refused(void **state) {
    fixture *f = *state;
    token_file text;
    window_order order;
    char *path = in_folder(f, "x.bin");
    write_text(path, "abc");
    REFUSED(tokens_open(path, 40000, 0, &text, &f->e), "3 bytes");
    tokens_close(&text);
    write_text(path, "abcd");
    REFUSED(tokens_open(path, 40000, 0, &text, &f->e), "begins with token");
    tokens_close(&text);
    REFUSED(tokens_open(path, 25186, 'a' + 256 * 'b', &text, &f->e),
            "token 1 is 25699, expected 0 to 25185");
    tokens_close(&text);
    OK(tokens_open(path, 40000, 'a' + 256 * 'b', &text, &f->e));
    REFUSED(window_order_new(&text, 16, 1, &order, &f->mem, &f->e),
            "at least 32");
    tokens_close(&text);
}

/* ---- Runs ---- */

typedef struct {
    team *t;
    training r;
    char *train, *valid;
} small_run;

static settings small_settings(void) {
    settings s = settings_usual();
    s.layers = 2;
    s.d_model = 32;
    s.heads = 2;
    s.d_head = 16;
    s.context = 16;
    s.windows = 4;
    s.drawn = 8;
    s.tokens = 20 * 4 * 16;
    return s;
}

static void small_open(fixture *f, const settings *s, small_run *r) {
    r->train = write_tokens(f, "train.bin", 3000, 1);
    r->valid = write_tokens(f, "valid.bin", 1000, 2);
    OK(team_open(2, &r->t, &f->e));
    OK(training_open(s, VOCAB, BOS, r->train, r->valid, r->t, &r->r, &f->mem,
                     &f->e));
}

static void small_close(small_run *r) {
    training_close(&r->r);
    team_close(r->t);
}

static void take_steps(fixture *f, training *r, int n) {
    double loss, length;
    for (int i = 0; i < n; i++)
        OK(training_step(r, &loss, &length, &f->e));
}

static void assert_same_bits(const training *a, const training *b) {
    size_t n = a->weights.n * sizeof(float);
    assert_int_equal(a->step, b->step);
    assert_memory_equal(a->weights.at, b->weights.at, n);
    assert_memory_equal(a->o.mean.at, b->o.mean.at, n);
    assert_memory_equal(a->o.square.at, b->o.square.at, n);
}

static void a_resumed_run_has_the_same_bits(void **state) {
    fixture *f = *state;
    settings s = small_settings();
    small_run whole, first, second;
    bool found = true;
    small_open(f, &s, &whole);
    take_steps(f, &whole.r, 20);
    small_open(f, &s, &first);
    OK(training_resume(&first.r, f->folder, false, &found, &f->e));
    assert_false(found);
    take_steps(f, &first.r, 10);
    training_note(&first.r, 3, 4);
    OK(training_save(&first.r, f->folder, &f->e));
    small_open(f, &s, &second);
    OK(training_resume(&second.r, f->folder, false, &found, &f->e));
    assert_true(found);
    assert_same_bits(&first.r, &second.r);
    assert_int_equal(second.r.n_curve, 1);
    assert_true(second.r.curve[0].valid_loss == 4);
    assert_true(training_is_sampled(&second.r));
    training_validate(&second.r, 7); /* looking changes nothing */
    take_steps(f, &second.r, 10);
    assert_false(training_is_sampled(&second.r));
    assert_same_bits(&whole.r, &second.r);
    small_close(&whole);
    small_close(&first);
    small_close(&second);
}

static void the_curve_ends_where_the_run_is(void **state) {
    fixture *f = *state;
    settings s = small_settings();
    small_run r;
    small_open(f, &s, &r);
    for (int i = 0; i <= CURVE; i++)
        training_note(&r.r, i, i);
    assert_int_equal(r.r.n_curve, CURVE);
    assert_true(r.r.curve[CURVE - 2].valid_loss == CURVE - 2);
    assert_true(r.r.curve[CURVE - 1].valid_loss == CURVE);
    small_close(&r);
}

static void other_settings_do_not_resume(void **state) {
    fixture *f = *state;
    settings s = small_settings();
    small_run r, other;
    bool found;
    small_open(f, &s, &r);
    take_steps(f, &r.r, 1);
    OK(training_save(&r.r, f->folder, &f->e));
    s.rate = 0.01;
    small_open(f, &s, &other);
    REFUSED(training_resume(&other.r, f->folder, false, &found, &f->e),
            "--rate 0.003");
    OK(training_resume(&other.r, f->folder, true, &found, &f->e));
    small_close(&other);
    s.d_model = 48;
    small_open(f, &s, &other);
    REFUSED(training_resume(&other.r, f->folder, true, &found, &f->e),
            "--d_model 32");
    small_close(&other);
    s = small_settings();
    small_open(f, &s, &other);
    other.r.sums[0]++;
    REFUSED(training_resume(&other.r, f->folder, true, &found, &f->e),
            "another --train");
    char *path = in_folder(f, "checkpoint.safetensors");
    assert_int_equal(truncate(path, 1000), 0);
    REFUSED(training_resume(&other.r, f->folder, true, &found, &f->e), path);
    small_close(&other);
    small_close(&r);
}

static void a_run_learns_what_its_text_repeats(void **state) {
    fixture *f = *state;
    settings s = small_settings();
    small_run r;
    s.tokens *= 30;
    s.rate = 0.01;
    small_open(f, &s, &r);
    double before = training_validate(&r.r, 20);
    take_steps(f, &r.r, (int)r.r.n_steps);
    double after = training_validate(&r.r, 20);
    print_message("# validation loss %.3f, after %ld steps %.3f\n", before,
                  r.r.n_steps, after);
    assert_true(after < before - 1);
    small_close(&r);
}

static void a_run_that_diverges_says_so(void **state) {
    fixture *f = *state;
    settings s = small_settings();
    small_run r;
    double loss, length;
    small_open(f, &s, &r);
    r.r.weights.W_E[VOCAB * 32 - 1] = NAN;
    for (int i = 0; i < VOCAB * 32; i++)
        r.r.weights.W_E[i] = NAN;
    REFUSED(training_step(&r.r, &loss, &length, &f->e), "step 1: the loss is");
    small_close(&r);
}

static void settings_are_checked(void **state) {
    fixture *f = *state;
    settings s = settings_usual();
    for (int i = 0; i < training_n_settings; i++) {
        const setting *k = &training_settings[i];
        assert_true(settings_get(&s, i) == k->usual);
        assert_in_range(k->usual >= k->low && k->usual <= k->high, 1, 1);
        REFUSED(settings_put(&s, i, "1e300", &f->e), k->name);
        REFUSED(settings_put(&s, i, "one", &f->e), "expected a number");
        REFUSED(settings_put(&s, i, "", &f->e), "expected a number");
        if (k->whole && k->low < 2.5)
            REFUSED(settings_put(&s, i, "2.5", &f->e), "whole number");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(gradients_are_finite_differences),
        TEST(gradients_over_a_shortlist_are_too),
        TEST(gradients_agree_with_the_naive_pass),
        TEST(the_number_of_threads_changes_no_bit),
        TEST(the_written_model_has_the_same_logits),
        TEST(halves_are_rounded_to_nearest),
        TEST(a_weight_too_large_for_a_half_is_refused),
        TEST(a_shortlist_has_targets_and_draws),
        TEST(adam_follows_its_formula),
        TEST(orthogonal_keeps_directions_and_flattens_the_rest),
        TEST(muon_follows_its_formula),
        TEST(windows_cover_the_text_once_a_walk),
        TEST(texts_that_cannot_be_used_are_refused),
        TEST(a_resumed_run_has_the_same_bits),
        TEST(the_curve_ends_where_the_run_is),
        TEST(other_settings_do_not_resume),
        TEST(a_run_learns_what_its_text_repeats),
        TEST(a_run_that_diverges_says_so),
        TEST(settings_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
