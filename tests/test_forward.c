/* Processing and the forward pass: against what TransformerLens made of the
   golden models, and by hand. */
#define _XOPEN_SOURCE 700
#include "forward.h"
#include "golden.h"
#include "process.h"

static const char *const golden[] = {"tiny-1l", "tiny-2l"};

/* An array by its name in a file. */
typedef struct {
    const char *name;
    const float *at;
} named;

static const float *pick(const named *all, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].at;
    fail_msg("%s has no counterpart here", name);
    return NULL;
}

/* "blocks.3.rest" gives 3 and "rest", another name -1 and the name. */
static int layer_of(const char *name, const char **rest) {
    int l = -1, used = 0;
    *rest = sscanf(name, "blocks.%d.%n", &l, &used) == 1 ? name + used : name;
    return l;
}

/* The floats of a tensor of a file. */
static float *floats(fixture *f, const tensor *t, size_t *n) {
    float *at;
    int64_t count;
    assert_int_equal(tensor_count(t, &count), 0);
    *n = (size_t)count;
    OK(tensor_floats(t, &f->mem, &at, &f->e));
    return at;
}

static void show(const char *model_name, const char *what, double difference) {
    print_message("# %s %-34s largest difference %.1e\n", model_name, what,
                  difference);
}

/* ---- Weights ---- */

static const float *weight_named(const model *m, const char *name) {
    const named others[] = {{"embed.W_E", m->W_E},
                            {"pos_embed.W_pos", m->W_pos},
                            {"unembed.W_U", m->W_U},
                            {"unembed.b_U", m->b_U}};
    const char *rest;
    int l = layer_of(name, &rest);
    if (l < 0)
        return pick(others, COUNT(others), rest);
    assert_in_range(l, 0, m->c.n_layers - 1);
    const layer_weights *w = &m->layers[l];
    const named all[] = {{"attn.W_Q", w->W_Q}, {"attn.W_K", w->W_K},
                         {"attn.W_V", w->W_V}, {"attn.W_O", w->W_O},
                         {"attn.b_Q", w->b_Q}, {"attn.b_K", w->b_K},
                         {"attn.b_V", w->b_V}, {"attn.b_O", w->b_O}};
    return pick(all, COUNT(all), rest);
}

static void check_weights(fixture *f, const char *name, const model *m) {
    tensor_list list;
    double largest = 0;
    bytes file =
        read_tensors(f, golden_path(f, name, "processed.safetensors"), &list);
    assert_int_equal(list.n, 4 + 8 * m->c.n_layers);
    for (size_t i = 0; i < list.n; i++) {
        const char *what = list.at[i].name;
        size_t n;
        const float *expected = floats(f, &list.at[i], &n);
        double d =
            assert_floats(what, weight_named(m, what), expected, n, 1e-5, 1e-5);
        show(name, what, d);
        largest = fmax(largest, d);
    }
    print_message("# %s: %zu processed weights agree with TransformerLens, "
                  "largest difference %.1e (rtol 1e-5, atol 1e-5)\n",
                  name, list.n, largest);
    file_unmap(&file);
}

static void processed_weights_agree_with_transformerlens(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < COUNT(golden); i++) {
        model m;
        golden_open(f, golden[i], &m);
        OK(model_process(&m, &f->mem, &f->e));
        assert_null(m.ln_final_w);
        assert_null(m.ln_final_b);
        for (int l = 0; l < m.c.n_layers; l++)
            assert_null(m.layers[l].ln1_w);
        check_weights(f, golden[i], &m);
        model_close(&m);
        golden_unlink(f);
    }
}

static void processing_leaves_the_file_as_it_was(void **state) {
    fixture *f = *state;
    model m, again;
    golden_open(f, "tiny-1l", &m);
    OK(model_process(&m, &f->mem, &f->e));
    OK(model_open(f->folder, &again, &f->mem, &f->e));
    tensor_list list;
    bytes file = read_tensors(f, "tests/golden/tiny-1l.safetensors", &list);
    assert_memory_equal(again.file.at, file.at, file.n);
    file_unmap(&file);
    model_close(&again);
    model_close(&m);
}

/* ---- Activations ---- */

/* The cache's array of that hook name. */
static const float *hook_named(const cache *x, int n_layers, const char *name) {
    const named others[] = {{"hook_embed", x->embed.at},
                            {"hook_pos_embed", x->pos_embed.at},
                            {"ln_final.hook_scale", x->scale.at},
                            {"ln_final.hook_normalized", x->normalized.at},
                            {"unembed.hook_in", x->normalized.at},
                            {"unembed.hook_out", x->logits.at}};
    const char *rest;
    int l = layer_of(name, &rest);
    if (l < 0)
        return pick(others, COUNT(others), rest);
    assert_in_range(l, 0, n_layers - 1);
    const layer_cache *y = &x->layers[l];
    const named all[] = {{"hook_resid_pre", y->resid_pre.at},
                         {"ln1.hook_scale", y->scale.at},
                         {"ln1.hook_normalized", y->normalized.at},
                         {"attn.hook_q", y->q},
                         {"attn.hook_k", y->k},
                         {"attn.hook_v", y->v},
                         {"attn.hook_attn_scores", y->attn_scores},
                         {"attn.hook_pattern", y->pattern},
                         {"attn.hook_z", y->z},
                         {"hook_attn_out", y->attn_out.at},
                         {"hook_resid_post", y->resid_post.at}};
    return pick(all, COUNT(all), rest);
}

/* The future is masked with -1e5 in the file of tiny-1l, with minus infinity in
   that of tiny-2l and here: the other scores are compared, these looked at. */
static double check_scores(const char *name, const float *x,
                           const float *expected, int heads, int n) {
    double largest = 0;
    for (int row = 0; row < heads * n; row++) {
        int i = row % n;
        largest =
            fmax(largest, assert_floats(name, x + row * n, expected + row * n,
                                        (size_t)i + 1, 1e-5, 1e-5));
        for (int j = i + 1; j < n; j++) {
            assert_true(isinf(x[row * n + j]) && x[row * n + j] < 0);
            assert_true(expected[row * n + j] <= -1e5f);
        }
    }
    return largest;
}

static void check_activations(fixture *f, const char *name, const model *m,
                              const cache *x, const tensor_list *list) {
    double largest = 0, logits = 0;
    for (size_t i = 0; i < list->n; i++) {
        const tensor *t = &list->at[i];
        if (strcmp(t->name, "tokens") == 0)
            continue;
        size_t n;
        const float *expected = floats(f, t, &n);
        const float *at = hook_named(x, m->c.n_layers, t->name);
        bool last = strcmp(t->name, "unembed.hook_out") == 0;
        double d = strstr(t->name, "hook_attn_scores")
                       ? check_scores(t->name, at, expected, m->c.n_heads, x->n)
                       : assert_floats(t->name, at, expected, n,
                                       last ? 0 : 1e-5, last ? 1e-4 : 1e-5);
        show(name, t->name, d);
        *(last ? &logits : &largest) = fmax(last ? logits : largest, d);
    }
    print_message("# %s: %zu activations agree with TransformerLens, largest "
                  "difference %.1e (rtol 1e-5, atol 1e-5; scores of future "
                  "tokens left out); logits %.1e (atol 1e-4)\n",
                  name, list->n - 2, largest, logits);
}

/* The tokens of the file, as int. */
static int *golden_tokens(fixture *f, const tensor_list *list, int *n) {
    const tensor *t = tensor_find(list, "tokens");
    assert_non_null(t);
    assert_int_equal(t->dtype, DTYPE_I64);
    *n = (int)t->shape[0];
    int *tokens = arena_alloc(&f->mem, (size_t)*n, sizeof *tokens, &f->e);
    assert_non_null(tokens);
    for (int i = 0; i < *n; i++) {
        int64_t id;
        memcpy(&id, t->at + i * 8, sizeof id);
        tokens[i] = (int)id;
    }
    return tokens;
}

static void activations_and_logits_agree_with_transformerlens(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < COUNT(golden); i++) {
        model m;
        cache x;
        tensor_list list;
        int n;
        golden_open(f, golden[i], &m);
        OK(model_process(&m, &f->mem, &f->e));
        bytes file = read_tensors(
            f, golden_path(f, golden[i], "activations.safetensors"), &list);
        assert_int_equal(list.n, 7 + 11 * m.c.n_layers);
        int *tokens = golden_tokens(f, &list, &n);
        OK(forward_run(&m, tokens, n, &x, &f->mem, &f->e));
        check_activations(f, golden[i], &m, &x, &list);
        file_unmap(&file);
        model_close(&m);
        golden_unlink(f);
    }
}

/* Of each row the softmax. */
static void softmax_rows(matrix m) {
    for (int i = 0; i < m.rows; i++) {
        double sum = 0, largest = -INFINITY;
        for (int j = 0; j < m.cols; j++)
            largest = fmax(largest, ENTRY(m, i, j));
        for (int j = 0; j < m.cols; j++)
            sum += exp(ENTRY(m, i, j) - largest);
        for (int j = 0; j < m.cols; j++)
            ENTRY(m, i, j) = (float)(exp(ENTRY(m, i, j) - largest) / sum);
    }
}

static void check_predictions(fixture *f, const char *name, model *m,
                              const int *tokens, int n) {
    cache raw, processed;
    OK(forward_run(m, tokens, n, &raw, &f->mem, &f->e));
    OK(model_process(m, &f->mem, &f->e));
    OK(forward_run(m, tokens, n, &processed, &f->mem, &f->e));
    softmax_rows(raw.logits);
    softmax_rows(processed.logits);
    double d = assert_floats("probability", processed.logits.at, raw.logits.at,
                             (size_t)n * (size_t)m->c.d_vocab, 0, 1e-5);
    print_message("# %s: processing changes no probability by more than %.1e\n",
                  name, d);
}

static void processing_changes_no_prediction(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < COUNT(golden); i++) {
        model m;
        golden_open(f, golden[i], &m);
        int tokens[32];
        for (int t = 0; t < m.c.n_ctx; t++)
            tokens[t] = (7 * t + 3) % m.c.d_vocab;
        check_predictions(f, golden[i], &m, tokens, m.c.n_ctx);
        model_close(&m);
        golden_unlink(f);
    }
}

/* ---- Tokens that cannot be read ---- */

static void tokens_that_do_not_fit_are_refused(void **state) {
    fixture *f = *state;
    model m;
    cache x;
    golden_open(f, "tiny-1l", &m);
    int tokens[33] = {60, 0, 60};
    OK(forward_run(&m, tokens, 32, &x, &f->mem, &f->e));
    REFUSED(forward_run(&m, tokens, 33, &x, &f->mem, &f->e),
            "33 tokens, but the model reads at most n_ctx = 32");
    REFUSED(forward_run(&m, tokens, 0, &x, &f->mem, &f->e), "no tokens");
    REFUSED(forward_run(&m, tokens, -1, &x, &f->mem, &f->e), "no tokens");
    tokens[2] = 61;
    REFUSED(forward_run(&m, tokens, 3, &x, &f->mem, &f->e),
            "token 2 is 61, expected 0 to 60");
    tokens[0] = -1;
    REFUSED(forward_run(&m, tokens, 3, &x, &f->mem, &f->e),
            "token 0 is -1, expected 0 to 60");
    model_close(&m);
}

/* ---- By hand ---- */

/* Traps, 5: two centrings. Writers are centred over d_model, each row by
   itself, and the unembedding over the vocabulary. */
static void the_two_centrings_run_over_different_axes(void **state) {
    fixture *f = *state;
    model m = hand_model(f, (config){.n_layers = 1,
                                     .d_model = 2,
                                     .n_heads = 1,
                                     .d_head = 1,
                                     .n_ctx = 1,
                                     .d_vocab = 2,
                                     .layer_norm = true,
                                     .eps = 1e-5});
    FILL(m.W_E, 1, 3, 5, 5);
    FILL(m.W_pos, 2, 6);
    FILL(m.layers[0].W_O, 1, 0);
    FILL(m.layers[0].b_O, 0, 8);
    FILL(m.W_U, 1, 5, 2, 2);
    FILL(m.b_U, 1, 3);
    OK(model_process(&m, &f->mem, &f->e));
    assert_floats("W_E", m.W_E, (float[]){-1, 1, 0, 0}, 4, 0, 0);
    assert_floats("W_pos", m.W_pos, (float[]){-2, 2}, 2, 0, 0);
    assert_floats("W_O", m.layers[0].W_O, (float[]){0.5, -0.5}, 2, 0, 0);
    assert_floats("b_O", m.layers[0].b_O, (float[]){-4, 4}, 2, 0, 0);
    assert_floats("W_U", m.W_U, (float[]){-2, 2, 0, 0}, 4, 0, 0);
    assert_floats("b_U", m.b_U, (float[]){-1, 1}, 2, 0, 0);
}

/* The bias takes W times the norm's b before W is scaled; W is scaled and each
   of its columns centred; the value bias then goes through the centred W_O. */
static void a_norm_is_folded_before_anything_is_centred(void **state) {
    fixture *f = *state;
    model m = hand_model(f, (config){.n_layers = 1,
                                     .d_model = 2,
                                     .n_heads = 1,
                                     .d_head = 1,
                                     .n_ctx = 1,
                                     .d_vocab = 2,
                                     .layer_norm = true,
                                     .eps = 1e-5});
    float w[] = {2, 10}, b[] = {3, 7};
    layer_weights *l = &m.layers[0];
    l->ln1_w = w;
    l->ln1_b = b;
    FILL(l->W_V, 1, 4); /* scaled (2, 40), centred (-19, 19) */
    FILL(l->b_V, 5);    /* 5 + 1*3 + 4*7 = 36, folded into b_O */
    FILL(l->W_O, 3, 1); /* centred (1, -1) */
    OK(model_process(&m, &f->mem, &f->e));
    assert_floats("W_V", l->W_V, (float[]){-19, 19}, 2, 0, 0);
    assert_floats("W_O", l->W_O, (float[]){1, -1}, 2, 0, 0);
    assert_floats("b_O", l->b_O, (float[]){36, -36}, 2, 0, 0);
    assert_near(l->b_V[0], 0, 0);
    assert_near(*model_b_V(&m, 0, 0).at, 36, 0); /* kept aside */
}

/* Traps, 7 and 9: minus infinity over the future, softmax over the sources, and
   the division by the square root of d_head. Token t is ln(t + 1), every query
   asks for it, and b_Q = 2 undoes the root of 4. */
static void attention_looks_back_and_its_weights_sum_to_one(void **state) {
    fixture *f = *state;
    model m = hand_model(f, (config){.n_layers = 1,
                                     .d_model = 1,
                                     .n_heads = 1,
                                     .d_head = 4,
                                     .n_ctx = 3,
                                     .d_vocab = 3});
    FILL(m.W_E, 0, logf(2), logf(3));
    FILL(m.layers[0].W_K, 1);
    FILL(m.layers[0].b_Q, 2);
    cache x;
    OK(forward_run(&m, (int[]){2, 0, 1}, 3, &x, &f->mem, &f->e));
    const float pattern[] = {1, 0,       0,       3 / 4.f, 1 / 4.f,
                             0, 3 / 6.f, 1 / 6.f, 2 / 6.f};
    const layer_cache *y = &x.layers[0];
    assert_floats("pattern", y->pattern, pattern, 9, 0, 1e-7);
    assert_near(y->pattern[1], 0, 0); /* exactly */
    assert_near(y->attn_scores[3], logf(3), 1e-7);
    assert_true(isinf(y->attn_scores[5]) && y->attn_scores[5] < 0);
}

static void large_scores_do_not_overflow(void **state) {
    fixture *f = *state;
    model m = hand_model(f, (config){.n_layers = 1,
                                     .d_model = 1,
                                     .n_heads = 1,
                                     .d_head = 1,
                                     .n_ctx = 2,
                                     .d_vocab = 2});
    FILL(m.W_E, 1000, 1001);
    FILL(m.layers[0].W_K, 1);
    FILL(m.layers[0].b_Q, 1);
    cache x;
    OK(forward_run(&m, (int[]){0, 1}, 2, &x, &f->mem, &f->e));
    assert_near(x.layers[0].pattern[2], 1 / (1 + exp(1)), 1e-6);
    assert_near(x.layers[0].pattern[3], exp(1) / (1 + exp(1)), 1e-6);
}

/* Traps, 11: the weights of a row sum to 1, so b_V adds W_O b_V everywhere. */
static void a_value_bias_is_the_same_constant_at_every_position(void **state) {
    fixture *f = *state;
    model m = hand_model(f, (config){.n_layers = 1,
                                     .d_model = 2,
                                     .n_heads = 2,
                                     .d_head = 1,
                                     .n_ctx = 3,
                                     .d_vocab = 2});
    FILL(m.W_E, 1, 5, 2, -3);
    FILL(m.layers[0].W_Q, 1, 1, 1, 0);
    FILL(m.layers[0].W_K, 2, 1, 0, 1);
    FILL(m.layers[0].b_V, 3, 5);
    FILL(m.layers[0].W_O, 1, 2, 10, 20); /* 3 (1, 2) + 5 (10, 20) */
    FILL(m.layers[0].b_O, 100, 0);
    const float expected[] = {153, 106, 153, 106, 153, 106};
    cache x;
    OK(forward_run(&m, (int[]){0, 1, 0}, 3, &x, &f->mem, &f->e));
    assert_floats("raw", x.layers[0].attn_out.at, expected, 6, 0, 1e-4);
    OK(model_process(&m, &f->mem, &f->e));
    assert_floats("b_O", m.layers[0].b_O, expected, 2, 0, 0);
    OK(forward_run(&m, (int[]){0, 1, 0}, 3, &x, &f->mem, &f->e));
    assert_floats("folded", x.layers[0].attn_out.at, expected, 6, 0, 0);
}

/* Traps, 13 and 22: the variance divides by n and has eps inside the root; the
   affine part is folded away and the variance stays. */
static void layer_norm_divides_by_n_with_eps_inside_the_root(void **state) {
    fixture *f = *state;
    model m = hand_model(f, (config){.n_layers = 1,
                                     .d_model = 3,
                                     .n_heads = 1,
                                     .d_head = 1,
                                     .n_ctx = 2,
                                     .d_vocab = 2,
                                     .layer_norm = true,
                                     .eps = 1e-5});
    float small = sqrtf(1.5e-5f); /* variance 1e-5, no more than eps */
    float w[] = {2, 3, 4}, b[] = {10, 20, 30};
    FILL(m.W_E, 1, -1, 0, small, -small, 0);
    m.layers[0].ln1_w = w;
    m.layers[0].ln1_b = b;
    const float scale[] = {(float)sqrt(2 / 3. + 1e-5), (float)sqrt(2e-5)};
    cache x;
    OK(forward_run(&m, (int[]){0, 1}, 2, &x, &f->mem, &f->e));
    assert_floats("scale", x.layers[0].scale.at, scale, 2, 1e-6, 0);
    const float *row = x.layers[0].normalized.at;
    assert_near(row[0], 2 / scale[0] + 10, 1e-5);
    assert_near(row[1], -3 / scale[0] + 20, 1e-5);
    assert_near(row[2], 30, 1e-5);
    OK(model_process(&m, &f->mem, &f->e));
    OK(forward_run(&m, (int[]){0, 1}, 2, &x, &f->mem, &f->e));
    assert_floats("scale", x.layers[0].scale.at, scale, 2, 1e-6, 0);
    assert_near(x.layers[0].normalized.at[0], 1 / scale[0], 1e-6);
}

/* Traps, 14: a shortformer model shows positions to queries and keys alone. */
static void shortformer_positions_reach_queries_and_keys_alone(void **state) {
    fixture *f = *state;
    for (int shortformer = 0; shortformer < 2; shortformer++) {
        model m = hand_model(f, (config){.n_layers = 1,
                                         .d_model = 2,
                                         .n_heads = 1,
                                         .d_head = 1,
                                         .n_ctx = 2,
                                         .d_vocab = 2,
                                         .shortformer = shortformer});
        FILL(m.W_E, 1, 0, 2, 0);   /* tokens in dimension 0 */
        FILL(m.W_pos, 0, 3, 0, 5); /* positions in dimension 1 */
        FILL(m.layers[0].W_Q, 1, 1);
        FILL(m.layers[0].W_K, 0, 1);
        FILL(m.layers[0].W_V, 1, 1);
        cache x;
        OK(forward_run(&m, (int[]){0, 1}, 2, &x, &f->mem, &f->e));
        const layer_cache *y = &x.layers[0];
        assert_floats("q", y->q, (float[]){4, 7}, 2, 0, 0);
        assert_floats("k", y->k, (float[]){3, 5}, 2, 0, 0);
        assert_floats("v", y->v,
                      shortformer ? (float[]){1, 2} : (float[]){4, 7}, 2, 0, 0);
        assert_floats("stream", y->resid_pre.at,
                      shortformer ? (float[]){1, 0, 2, 0}
                                  : (float[]){1, 3, 2, 5},
                      4, 0, 0);
        assert_floats("pos_embed", x.pos_embed.at, m.W_pos, 4, 0, 0);
    }
}

/* Positions come behind the norm there, so neither can be moved past the other.
 */
static void processing_changes_no_prediction_of_a_shortformer(void **state) {
    fixture *f = *state;
    model m;
    golden_open(f, "tiny-1l", &m);
    m.c.shortformer = true;
    const int tokens[] = {5, 1, 60, 7, 7, 30};
    check_predictions(f, "tiny-1l as a shortformer", &m, tokens, 6);
    model_close(&m);
}

/* Mistake 10: b_K adds W_Q x_i . b_K to every score of row i, a term of the
   query alone, which the softmax does not see; so scores of two queries cannot
   be compared. */
static void a_term_of_the_query_alone_changes_no_pattern(void **state) {
    fixture *f = *state;
    model m;
    cache before, after;
    const int tokens[] = {5, 1, 60, 7, 7, 30};
    golden_open(f, "tiny-1l", &m);
    OK(forward_run(&m, tokens, 6, &before, &f->mem, &f->e));
    for (int i = 0; i < m.c.n_heads * m.c.d_head; i++)
        m.layers[0].b_K[i] += 0.5F;
    OK(forward_run(&m, tokens, 6, &after, &f->mem, &f->e));
    const layer_cache *x = &before.layers[0], *y = &after.layers[0];
    for (int h = 0; h < m.c.n_heads; h++) {
        matrix s = forward_square(x->attn_scores, 6, h);
        matrix t = forward_square(y->attn_scores, 6, h);
        double shift = ENTRY(t, 5, 0) - ENTRY(s, 5, 0);
        assert_true(fabs(shift) > 1e-3);
        for (int j = 1; j < 6; j++)
            assert_near(ENTRY(t, 5, j) - ENTRY(s, 5, j), shift, 1e-5);
    }
    assert_floats("pattern", y->pattern, x->pattern, (size_t)m.c.n_heads * 36,
                  0, 1e-5);
    model_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(processed_weights_agree_with_transformerlens),
        TEST(processing_leaves_the_file_as_it_was),
        TEST(activations_and_logits_agree_with_transformerlens),
        TEST(processing_changes_no_prediction),
        TEST(tokens_that_do_not_fit_are_refused),
        TEST(the_two_centrings_run_over_different_axes),
        TEST(a_norm_is_folded_before_anything_is_centred),
        TEST(attention_looks_back_and_its_weights_sum_to_one),
        TEST(large_scores_do_not_overflow),
        TEST(a_value_bias_is_the_same_constant_at_every_position),
        TEST(layer_norm_divides_by_n_with_eps_inside_the_root),
        TEST(shortformer_positions_reach_queries_and_keys_alone),
        TEST(processing_changes_no_prediction_of_a_shortformer),
        TEST(a_term_of_the_query_alone_changes_no_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
