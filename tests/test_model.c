/* The folder of a model: its sizes, its file of weights, its tensors. What is
   right is compared with the golden files, what is wrong is refused. */
#define _XOPEN_SOURCE 700
#include "checkpoint.h"
#include "golden.h"

/* ---- config.json ---- */

static int parse(fixture *f, const char *text, config *c) {
    return config_parse((const unsigned char *)text, strlen(text),
                        "config.json", c, &f->e);
}

/* The sizes of tiny-1l, with `key` set to `value`, which is JSON; "" takes the
   key out. The caller frees the text. */
static char *config_with(const char *key, const char *value) {
    json_t *root = read_json("tests/golden/tiny-1l.config.json");
    if (*value)
        json_object_set_new(root, key,
                            json_loads(value, JSON_DECODE_ANY, NULL));
    else
        json_object_del(root, key);
    char *text = json_dumps(root, 0);
    json_decref(root);
    assert_non_null(text);
    return text;
}

static int parse_with(fixture *f, const char *key, const char *value,
                      config *c) {
    char *text = config_with(key, value);
    int status = parse(f, text, c);
    free(text);
    return status;
}

static void the_sizes_of_a_published_config_are_read(void **state) {
    fixture *f = *state;
    config c;
    OK(parse_with(f, "no_such_key", "1", &c)); /* others are passed over */
    assert_int_equal(c.n_layers, 1);
    assert_int_equal(c.d_model, 48);
    assert_int_equal(c.n_heads, 3);
    assert_int_equal(c.d_head, 8);
    assert_int_equal(c.n_ctx, 32);
    assert_int_equal(c.d_vocab, 61);
    assert_true(c.layer_norm);
    assert_false(c.shortformer);
    assert_near(c.eps, 1e-5, 0);
}

static void the_norm_is_read_under_both_of_its_names(void **state) {
    fixture *f = *state;
    static const struct {
        const char *key, *value;
        bool layer_norm;
    } all[] = {
        {"normalization", "\"LN\"", true},
        {"normalization", "\"LNPre\"", true},
        {"normalization", "null", false},
        {"normalization", "", true},
        {"normalization_type", "null", true}, /* the other name goes first */
    };
    config c;
    for (size_t i = 0; i < COUNT(all); i++) {
        OK(parse_with(f, all[i].key, all[i].value, &c));
        assert_int_equal(c.layer_norm, all[i].layer_norm);
    }
    const char *newer = "{\"attn_only\": true, \"n_layers\": 1, \"d_model\": 1,"
                        "\"n_heads\": 1, \"d_head\": 1, \"n_ctx\": 1,"
                        "\"d_vocab\": 1, \"normalization_type\": null,"
                        "\"shortformer_pos\": true}";
    OK(parse(f, newer, &c));
    assert_false(c.layer_norm);
    assert_true(c.shortformer);
}

static void bad_sizes_are_refused_by_name(void **state) {
    fixture *f = *state;
    static const struct {
        const char *key, *value, *says;
    } all[] = {
        {"n_layers", "", "config.json: \"n_layers\" is missing"},
        {"d_model", "", "\"d_model\" is missing"},
        {"n_heads", "", "\"n_heads\" is missing"},
        {"d_head", "", "\"d_head\" is missing"},
        {"n_ctx", "", "\"n_ctx\" is missing"},
        {"d_vocab", "", "\"d_vocab\" is missing"},
        {"n_layers", "0", "\"n_layers\" is 0, expected 1 to 64"},
        {"n_layers", "65", "\"n_layers\" is 65, expected 1 to 64"},
        {"d_model", "-48", "\"d_model\" is -48, expected 1 to 8192"},
        {"d_model", "8193", "\"d_model\" is 8193"},
        {"n_heads", "257", "\"n_heads\" is 257, expected 1 to 256"},
        {"d_head", "1025", "\"d_head\" is 1025, expected 1 to 1024"},
        {"n_ctx", "32769", "\"n_ctx\" is 32769, expected 1 to 32768"},
        {"d_vocab", "200001", "\"d_vocab\" is 200001, expected 1 to 200000"},
        {"d_vocab", "4294967357", "\"d_vocab\" is 4294967357"}, /* 2^32 + 61 */
        {"d_model", "48.0", "\"d_model\" is not a whole number"},
        {"d_model", "\"48\"", "\"d_model\" is not a whole number"},
        {"d_model", "null", "\"d_model\" is not a whole number"},
        {"d_model", "true", "\"d_model\" is not a whole number"},
        {"attn_only", "", "config.json: \"attn_only\" is not true"},
        {"attn_only", "false", "only attention-only models are read"},
        {"attn_only", "1", "\"attn_only\" is not true"},
        {"normalization", "\"RMS\"", "normalization \"RMS\" is not known"},
        {"normalization", "\"a\\nb\"", "normalization \"a?b\" is not known"},
        {"normalization", "7", "normalization \"(not a string)\""},
    };
    config c;
    for (size_t i = 0; i < COUNT(all); i++)
        REFUSED(parse_with(f, all[i].key, all[i].value, &c), all[i].says);
}

static void what_is_no_object_of_sizes_is_refused(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text, *says;
    } all[] = {
        {"", "config.json:"},
        {"[1]", "config.json: expected a JSON object of sizes"},
        {"{\"n_layers\": 1,\n\"d_model\": }", "config.json:2: not valid JSON"},
        {"{\"n_layers\": 1, \"n_layers\": 2}", "duplicate object key"},
        {"{\"n_layers\": 99999999999999999999}", "too big integer"},
        {"{} {}", "config.json:1: not valid JSON"},
        {"{\"\xff\": 1}", "config.json:1: not valid JSON"},
    };
    config c;
    for (size_t i = 0; i < COUNT(all); i++)
        REFUSED(parse(f, all[i].text, &c), all[i].says);
    const unsigned char zero[] = {'{', '}', 0};
    REFUSED(config_parse(zero, 3, "config.json", &c, &f->e), "config.json:1:");
    REFUSED(config_parse(zero, 65537, "config.json", &c, &f->e),
            "config.json: 65537 bytes are more than the 65536 that are read");
}

/* ---- The folder ---- */

static void refuse_folder(fixture *f, const char *says) {
    model m;
    REFUSED(model_open(f->folder, &m, &f->mem, &f->e), says);
    assert_int_equal(strncmp(f->e.message, f->folder, strlen(f->folder)), 0);
    model_close(&m);
}

static void a_folder_that_is_no_model_is_refused(void **state) {
    fixture *f = *state;
    const char *weights = in_folder(f, "model.safetensors");
    refuse_folder(f, "/config.json: cannot open: No such file");
    golden_link(f, "tiny-1l");
    unlink(weights);
    refuse_folder(f, ": no weights file (*.pth or *.safetensors) in it");
    mkdir(weights, 0700);
    refuse_folder(f, "/model.safetensors: is a directory");
    rmdir(weights);
    write_text(weights, "<!DOCTYPE html><html>");
    refuse_folder(f, "/model.safetensors");
    write_text(in_folder(f, "other.safetensors"), "");
    refuse_folder(f, ": more than one weights file; keep one");
}

static void a_folder_that_is_not_there_is_refused(void **state) {
    fixture *f = *state;
    bytes file;
    tensor_list list;
    REFUSED(
        checkpoint_open(in_folder(f, "absent"), &file, &list, &f->mem, &f->e),
        "/absent: cannot open the model's folder: No such file");
    assert_null(file.at);
    model m;
    REFUSED(model_open("", &m, &f->mem, &f->e), "/config.json: cannot open");
    model_close(&m);
}

static void a_broken_file_of_weights_is_refused_by_path(void **state) {
    fixture *f = *state;
    static const char *const all[] = {
        "body-cut",          "duplicate-name",  "header-longer-than-file",
        "offset-past-shape", "shape-overflows", "lfs-pointer",
        "html-page"};
    golden_link(f, "tiny-1l");
    const char *weights = in_folder(f, "model.safetensors");
    for (size_t i = 0; i < COUNT(all); i++) {
        unlink(weights);
        link_file(
            f, arena_printf(&f->mem, &f->e, "tests/odd/%s.safetensors", all[i]),
            weights);
        refuse_folder(f, "/model.safetensors");
    }
}

static void a_config_of_another_model_is_refused(void **state) {
    fixture *f = *state;
    static const struct {
        const char *key, *value, *says;
    } all[] = {
        {"n_ctx", "31",
         "/model.safetensors: pos_embed.W_pos has shape [32, 48], but "
         "config.json asks for [31, 48]"},
        {"d_vocab", "62",
         "embed.W_E has shape [61, 48], but config.json asks "
         "for [62, 48]"},
        {"n_heads", "4",
         "blocks.0.attn.W_Q has shape [3, 48, 8], but "
         "config.json asks for [4, 48, 8]"},
        {"d_head", "16", "config.json asks for [3, 48, 16]"},
        {"d_model", "40",
         "blocks.0.ln1.w has shape [48], but config.json asks "
         "for [40]"},
        {"n_layers", "2", "the weight blocks.1.attn.W_Q is missing"},
        {"n_layers", "64", "the weight blocks.1.attn.W_Q is missing"},
        {"d_vocab", "200000", "but config.json asks for [200000, 48]"},
    };
    golden_link(f, "tiny-1l");
    for (size_t i = 0; i < COUNT(all); i++) {
        char *text = config_with(all[i].key, all[i].value);
        unlink(in_folder(f, "config.json"));
        write_text(in_folder(f, "config.json"), text);
        free(text);
        refuse_folder(f, all[i].says);
    }
}

/* ---- The tensors ---- */

/* One change to the tensors of tiny-1l. */
typedef struct {
    const char *tensor, *renamed; /* null: stays, "": is taken out */
    int64_t shape[4];             /* if it begins with a number */
    size_t index;                 /* of one element ... */
    float value;                  /* ... and what it becomes, if not 0 */
    const char *says;
} change;

static void tensor_change(tensor *t, const change *c) {
    if (c->renamed)
        t->name = c->renamed;
    if (c->shape[0]) {
        for (t->n_dims = 0; c->shape[t->n_dims]; t->n_dims++)
            t->shape[t->n_dims] = c->shape[t->n_dims];
        tensor_make_dense(t);
    }
    if (!(c->value == 0)) /* also for NaN */
        memcpy(t->at + c->index * sizeof(float), &c->value, sizeof(float));
}

/* Makes the test's folder tiny-1l with one change, or without. */
static void write_changed(fixture *f, const change *c) {
    tensor_list list;
    bytes file = read_tensors(f, "tests/golden/tiny-1l.safetensors", &list);
    for (size_t i = 0; c && i < list.n; i++)
        if (strcmp(list.at[i].name, c->tensor) == 0) {
            tensor_change(&list.at[i], c);
            if (!*list.at[i].name)
                list.at[i] = list.at[--list.n];
            c = NULL;
        }
    assert_null(c);
    OK(safetensors_write(in_folder(f, "model.safetensors"), &list, &f->e));
    file_unmap(&file);
}

static void tensors_that_do_not_fit_are_refused_by_name(void **state) {
    fixture *f = *state;
    static const change all[] = {
        {"embed.W_E", "", {0}, 0, 0, "the weight embed.W_E is missing"},
        {"pos_embed.W_pos", "", {0}, 0, 0, "weight pos_embed.W_pos is missing"},
        {"blocks.0.attn.W_Q", "", {0}, 0, 0, "blocks.0.attn.W_Q is missing"},
        {"blocks.0.attn.W_K", "", {0}, 0, 0, "blocks.0.attn.W_K is missing"},
        {"blocks.0.attn.W_V", "", {0}, 0, 0, "blocks.0.attn.W_V is missing"},
        {"blocks.0.attn.W_O", "", {0}, 0, 0, "blocks.0.attn.W_O is missing"},
        {"unembed.W_U", "", {0}, 0, 0, "the weight unembed.W_U is missing"},
        {"blocks.0.attn.W_Q",
         NULL,
         {3, 8, 48},
         0,
         0,
         "blocks.0.attn.W_Q has shape [3, 8, 48], but config.json asks for "
         "[3, 48, 8]"},
        {"blocks.0.attn.b_Q",
         NULL,
         {24},
         0,
         0,
         "blocks.0.attn.b_Q has shape [24], but config.json asks for [3, 8]"},
        {"ln_final.w",
         NULL,
         {48, 1},
         0,
         0,
         "ln_final.w has shape [48, 1], but config.json asks for [48]"},
        {"unembed.W_U", NULL, {61, 48}, 0, 0, "has shape [61, 48], but"},
        {"unembed.W_U",
         NULL,
         {0},
         100,
         NAN,
         "unembed.W_U is nan at index 100, not finite"},
        {"pos_embed.W_pos",
         NULL,
         {0},
         1535,
         INFINITY,
         "pos_embed.W_pos is inf at index 1535, not finite"},
        {"blocks.0.attn.b_K",
         NULL,
         {0},
         0,
         -INFINITY,
         "blocks.0.attn.b_K is -inf at index 0, not finite"},
        {"blocks.0.ln1.b", NULL, {0}, 47, NAN, "blocks.0.ln1.b is nan"},
        {"unembed.b_U",
         "blocks.0.mlp.b_in",
         {0},
         0,
         0,
         "blocks.0.mlp.b_in belongs to an MLP; only attention-only models"},
        {"unembed.b_U",
         "blocks.0.attn.b_Z",
         {0},
         0,
         0,
         "blocks.0.attn.b_Z is not a tensor of a model with these sizes"},
        {"unembed.b_U", "blocks.1.attn.b_O", {0}, 0, 0, "blocks.1.attn.b_O"},
        {"unembed.b_U", "blocks.00.attn.b_O", {0}, 0, 0, "blocks.00.attn.b_O"},
        {"unembed.b_U", "mask", {0}, 0, 0, "mask is not a tensor of a model"},
        {"unembed.b_U", "blocks.", {0}, 0, 0, "blocks. is not a tensor"},
        {"blocks.0.ln1.b",
         "",
         {0},
         0,
         0,
         "blocks.0.ln1 has only one of w and b"},
        {"blocks.0.ln1.w",
         "",
         {0},
         0,
         0,
         "blocks.0.ln1 has only one of w and b"},
        {"ln_final.b", "", {0}, 0, 0, "ln_final has only one of w and b"},
    };
    golden_link(f, "tiny-1l");
    unlink(in_folder(f, "model.safetensors"));
    for (size_t i = 0; i < COUNT(all); i++) {
        write_changed(f, &all[i]);
        refuse_folder(f, all[i].says);
        assert_non_null(strstr(f->e.message, "/model.safetensors: "));
    }
}

static void whole_numbers_are_no_weights(void **state) {
    fixture *f = *state;
    tensor_list list;
    bytes file = read_tensors(f, "tests/golden/tiny-1l.safetensors", &list);
    tensor *t = (tensor *)tensor_find(&list, "unembed.b_U");
    t->dtype = DTYPE_I32;
    golden_link(f, "tiny-1l");
    unlink(in_folder(f, "model.safetensors"));
    OK(safetensors_write(in_folder(f, "model.safetensors"), &list, &f->e));
    file_unmap(&file);
    refuse_folder(f, "\"unembed.b_U\" [61] holds I32");
}

static void a_bias_that_is_missing_is_zero(void **state) {
    fixture *f = *state;
    static const char *const all[] = {"blocks.0.attn.b_Q", "blocks.0.attn.b_K",
                                      "blocks.0.attn.b_V", "blocks.0.attn.b_O",
                                      "unembed.b_U"};
    golden_link(f, "tiny-1l");
    unlink(in_folder(f, "model.safetensors"));
    for (size_t i = 0; i < COUNT(all); i++) {
        model m;
        write_changed(f, &(change){all[i], "", {0}, 0, 0, ""});
        OK(model_open(f->folder, &m, &f->mem, &f->e));
        const layer_weights *w = &m.layers[0];
        const float *bias[] = {w->b_Q, w->b_K, w->b_V, w->b_O, m.b_U};
        for (int j = 0; j < 24; j++)
            assert_near(bias[i][j], 0, 0);
        model_close(&m);
    }
}

static void a_norm_that_is_missing_is_none(void **state) {
    fixture *f = *state;
    model m;
    golden_link(f, "tiny-1l");
    unlink(in_folder(f, "model.safetensors"));
    link_file(f, "tests/golden/tiny-1l.processed.safetensors",
              in_folder(f, "model.safetensors"));
    OK(model_open(f->folder, &m, &f->mem, &f->e));
    assert_null(m.layers[0].ln1_w);
    assert_null(m.layers[0].ln1_b);
    assert_null(m.ln_final_w);
    assert_null(m.ln_final_b);
    model_close(&m);
}

/* tiny-1l has blocks.0.attn.mask and .IGNORE, tiny-2l has not. */
static void a_model_is_read_as_its_file_has_it(void **state) {
    fixture *f = *state;
    model m;
    tensor_list list;
    golden_open(f, "tiny-1l", &m);
    bytes file = read_tensors(f, "tests/golden/tiny-1l.safetensors", &list);
    const layer_weights *w = &m.layers[0];
    const struct {
        const char *name;
        const float *at;
    } all[] = {
        {"embed.W_E", m.W_E},          {"pos_embed.W_pos", m.W_pos},
        {"unembed.W_U", m.W_U},        {"unembed.b_U", m.b_U},
        {"ln_final.w", m.ln_final_w},  {"ln_final.b", m.ln_final_b},
        {"blocks.0.ln1.w", w->ln1_w},  {"blocks.0.ln1.b", w->ln1_b},
        {"blocks.0.attn.W_Q", w->W_Q}, {"blocks.0.attn.W_K", w->W_K},
        {"blocks.0.attn.W_V", w->W_V}, {"blocks.0.attn.W_O", w->W_O},
        {"blocks.0.attn.b_Q", w->b_Q}, {"blocks.0.attn.b_K", w->b_K},
        {"blocks.0.attn.b_V", w->b_V}, {"blocks.0.attn.b_O", w->b_O},
    };
    assert_int_equal(list.n, COUNT(all) + 2); /* the two leftovers */
    for (size_t i = 0; i < COUNT(all); i++) {
        const tensor *t = tensor_find(&list, all[i].name);
        int64_t count;
        assert_int_equal(tensor_count(t, &count), 0);
        assert_memory_equal(all[i].at, t->at, (size_t)count * sizeof(float));
    }
    file_unmap(&file);
    model_close(&m);
}

static void a_head_has_the_shapes_of_the_paper(void **state) {
    fixture *f = *state;
    config c = {.n_layers = 2,
                .d_model = 3,
                .n_heads = 2,
                .d_head = 2,
                .n_ctx = 1,
                .d_vocab = 4};
    model m = hand_model(f, c);
    layer_weights *w = &m.layers[1];
    /* Head 1 begins after 6 numbers; in the file a row is a d_model. */
    FILL(w->W_Q + 6, 1, 2, 3, 4, 5, 6);
    FILL(w->W_O + 6, 1, 2, 3, 4, 5, 6);
    FILL(w->b_V + 2, 7, 8);
    head h = model_head(&m, 1, 1);
    assert_int_equal(h.W_Q.rows, 2); /* d_head x d_model */
    assert_int_equal(h.W_Q.cols, 3);
    assert_int_equal(h.W_O.rows, 3); /* d_model x d_head */
    assert_int_equal(h.W_O.cols, 2);
    assert_int_equal(h.b_V.rows, 2);
    assert_int_equal(h.b_V.cols, 1);
    assert_near(ENTRY(h.W_Q, 0, 2), 5, 0); /* the file's [1][2][0] */
    assert_near(ENTRY(h.W_Q, 1, 0), 2, 0);
    assert_near(ENTRY(h.W_O, 2, 0), 3, 0); /* the file's [1][0][2] */
    assert_near(ENTRY(h.W_O, 0, 1), 4, 0);
    assert_near(ENTRY(h.b_V, 1, 0), 8, 0);
    assert_near(ENTRY(model_head(&m, 0, 1).W_Q, 0, 2), 0, 0);
    m.W_E[3 * 3 + 1] = 9; /* token 3, dimension 1 */
    m.W_U[1 * 4 + 3] = 9; /* dimension 1, token 3 */
    assert_near(ENTRY(model_W_E(&m), 1, 3), 9, 0);
    assert_near(ENTRY(model_W_U(&m), 3, 1), 9, 0);
    assert_int_equal(model_W_E(&m).rows, 3);
    assert_int_equal(model_W_U(&m).rows, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_sizes_of_a_published_config_are_read),
        TEST(the_norm_is_read_under_both_of_its_names),
        TEST(bad_sizes_are_refused_by_name),
        TEST(what_is_no_object_of_sizes_is_refused),
        TEST(a_folder_that_is_no_model_is_refused),
        TEST(a_folder_that_is_not_there_is_refused),
        TEST(a_broken_file_of_weights_is_refused_by_path),
        TEST(a_config_of_another_model_is_refused),
        TEST(tensors_that_do_not_fit_are_refused_by_name),
        TEST(whole_numbers_are_no_weights),
        TEST(a_bias_that_is_missing_is_zero),
        TEST(a_norm_that_is_missing_is_none),
        TEST(a_model_is_read_as_its_file_has_it),
        TEST(a_head_has_the_shapes_of_the_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
