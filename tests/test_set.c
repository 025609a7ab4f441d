/* The description of a set, and runs on good and bad input. */
#define _XOPEN_SOURCE 700
#include "golden.h"
#include "run.h"

/* ---- The description ---- */

static void a_head_is_named_by_layer_and_number(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text;
        int layer, head;
    } good[] = {{"0.0", 0, 0}, {"1.11", 1, 11}, {"999.999", 999, 999}};
    static const char *const bad[] = {"",
                                      "0",
                                      ".",
                                      "0.",
                                      ".3",
                                      "x.3",
                                      "0.x",
                                      "0.3x",
                                      "0.3 ",
                                      " 0.3",
                                      "-1.0",
                                      "0.-1",
                                      "+0.3",
                                      "0.+3",
                                      "0,3",
                                      "0.3.1",
                                      "1000.0",
                                      "0.1000",
                                      "99999999999999999999.0",
                                      "0.99999999999999999999",
                                      "0x1.0"};
    int layer, number;
    for (size_t i = 0; i < COUNT(good); i++) {
        OK(set_parse_head(good[i].text, &layer, &number, &f->e));
        assert_int_equal(layer, good[i].layer);
        assert_int_equal(number, good[i].head);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        REFUSED(set_parse_head(bad[i], &layer, &number, &f->e),
                "is not a head; write LAYER.HEAD, counted from 0");
        assert_says(&f->e, bad[i]);
    }
}

static void the_set_that_ships_is_read(void **state) {
    fixture *f = *state;
    set s;
    OK(set_open("models/mini", &s, &f->mem, &f->e));
    assert_string_equal(s.folder, "models/mini");
    assert_string_equal(s.name, "mini");
    assert_int_equal(s.n_models, 2);
    assert_string_equal(s.labels[0], "1l");
    assert_string_equal(s.labels[1], "2l");
    assert_string_equal(s.folders[1], "models/mini/2l");
    assert_int_equal(s.layer, 0);
    assert_int_equal(s.head, 6);
    assert_string_equal(s.moved, " whale");
    assert_string_equal(s.ov_tokens[0], " whale");
    assert_in_range(s.n_qk, 1, 20);
    assert_int_equal(s.first, 300);
    assert_int_equal(s.last, 2999);
    assert_int_equal(strncmp(s.prompt, "The whale swam", 14), 0);
}

static void a_folder_with_a_config_alone_is_one_model(void **state) {
    fixture *f = *state;
    set s;
    OK(set_open("models/mini/2l", &s, &f->mem, &f->e));
    assert_int_equal(s.n_models, 1);
    assert_string_equal(s.name, "models/mini/2l");
    assert_string_equal(s.folders[0], "models/mini/2l");
    assert_null(s.prompt);
    assert_null(s.moved);
    assert_int_equal(s.n_ov, 0);
    assert_int_equal(s.n_qk, 0);
}

/* mini's description with `key` set to `value`, which is JSON; "" takes the key
   out. */
static void write_description(fixture *f, const char *key, const char *value) {
    json_t *root = read_json("models/mini/set.json");
    if (*value)
        json_object_set_new(root, key,
                            json_loads(value, JSON_DECODE_ANY, NULL));
    else
        json_object_del(root, key);
    char *text = json_dumps(root, 0);
    json_decref(root);
    assert_non_null(text);
    write_text(in_folder(f, "set.json"), text);
    free(text);
}

static void a_bad_description_is_refused_by_key(void **state) {
    fixture *f = *state;
    static const struct {
        const char *key, *value, *says;
    } all[] = {
        {"name", "", "/set.json: \"name\" is missing or not a string"},
        {"about", "7", "/set.json: \"about\" is missing or not a string"},
        {"prompt", "null", "/set.json: \"prompt\" is missing or not a string"},
        {"moved", "[\" whale\"]", "/set.json: \"moved\" is missing or not"},
        {"head", "", "/set.json: \"head\" is missing or not a string"},
        {"head", "0.6", "/set.json: \"head\" is missing or not a string"},
        {"head", "\"6\"", "/set.json: \"6\" is not a head"},
        {"head", "\"a\\nb\"", "/set.json: \"a?b\" is not a head"},
        {"models", "",
         "/set.json: \"models\" names 0 folders, expected 1 to 4"},
        {"models", "{}", "\"models\" names 0 folders"},
        {"models", "[\"1l\"]", "\"models\" names 0 folders"},
        {"models",
         "{\"a\":\"a\",\"b\":\"b\",\"c\":\"c\",\"d\":\"d\",\"e\":\"e\"}",
         "\"models\" names 5 folders, expected 1 to 4"},
        {"ov_tokens", "", "/set.json: \"ov_tokens\" is missing, or not a list"},
        {"ov_tokens", "[]", "\"ov_tokens\" is missing, or not a list"},
        {"qk_tokens", "\" the\"", "\"qk_tokens\" is missing, or not a list"},
        {"qk_tokens", "[\"a\", 1]",
         "/set.json: item 1 of \"qk_tokens\" is not a string"},
        {"ordinary", "", "/set.json: \"ordinary\" is not [first id, last id]"},
        {"ordinary", "[1]", "\"ordinary\" is not [first id, last id]"},
        {"ordinary", "[1, 2, 3]", "\"ordinary\" is not [first id, last id]"},
        {"ordinary", "[-1, 2]", "\"ordinary\" is not [first id, last id]"},
        {"ordinary", "[3, 2]", "\"ordinary\" is not [first id, last id]"},
        {"ordinary", "[1, 2.5]", "\"ordinary\" is not [first id, last id]"},
        {"ordinary", "[1, 4294967297]", "\"ordinary\" is not [first id"},
        {"models", "{\"1l\": 1}",
         "/set.json: model \"1l\" is not the name of a folder beside this"},
        {"models", "{\"1l\": \"../1l\"}", "model \"1l\" is not the name"},
        {"models", "{\"1l\": \"/etc\"}", "model \"1l\" is not the name"},
        {"models", "{\"1l\": \"a/b\"}", "model \"1l\" is not the name"},
        {"models", "{\"1l\": \"..\"}", "model \"1l\" is not the name"},
    };
    set s;
    for (size_t i = 0; i < COUNT(all); i++) {
        write_description(f, all[i].key, all[i].value);
        REFUSED(set_open(f->folder, &s, &f->mem, &f->e), all[i].says);
        assert_int_equal(strncmp(f->e.message, f->folder, strlen(f->folder)),
                         0);
    }
}

static void what_is_no_description_is_refused(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text, *says;
    } all[] = {
        {"", "/set.json:"},
        {"{\"name\": \"a\",\n \"name\": \"b\"}", "/set.json:2: not valid JSON"},
        {"{\"name\": }", "/set.json:1: not valid JSON"},
        {"\"a\"", "/set.json:"},
        {"{\"name\": \"a\\u0000b\"}", "/set.json:1: not valid JSON"},
        {"{\"name\": \"\xff\"}", "/set.json:1: not valid JSON"},
    };
    set s;
    REFUSED(set_open(f->folder, &s, &f->mem, &f->e),
            ": neither a model set (set.json) nor a model (config.json)");
    REFUSED(set_open(in_folder(f, "absent"), &s, &f->mem, &f->e),
            "/absent: neither a model set");
    for (size_t i = 0; i < COUNT(all); i++) {
        write_text(in_folder(f, "set.json"), all[i].text);
        REFUSED(set_open(f->folder, &s, &f->mem, &f->e), all[i].says);
    }
    unlink(in_folder(f, "set.json"));
    mkdir(in_folder(f, "set.json"), 0700);
    REFUSED(set_open(f->folder, &s, &f->mem, &f->e),
            "/set.json: is a directory");
}

/* ---- Runs ---- */

static void a_run_has_what_its_description_says(void **state) {
    fixture *f = *state;
    run r;
    OK(run_open("models/mini", (run_choice){0}, &r, &f->mem, &f->e));
    assert_int_equal(r.n_models, 2);
    assert_int_equal(r.models[0].c.n_layers, 1);
    assert_int_equal(r.models[1].c.n_layers, 2);
    assert_null(r.models[0].ln_final_w); /* processed */
    assert_int_equal(r.tokens[0], tokenizer_bos(r.words));
    assert_int_not_equal(r.tokens[1], tokenizer_bos(r.words));
    assert_int_equal(r.layer, 0);
    assert_int_equal(r.head, 6);
    assert_int_equal(r.moved, tokenizer_id(r.words, " whale", 6));
    assert_string_equal(run_word(&r, r.moved, &f->mem, &f->e), " whale");
    const char **words = run_words(&r, r.tokens, r.n, &f->mem, &f->e);
    assert_string_equal(words[1], "The");
    assert_int_equal(r.n_ov, r.s.n_ov);
    assert_int_equal(r.ov[0], r.moved);
    assert_string_equal(run_word(&r, r.qk[0], &f->mem, &f->e),
                        r.s.qk_tokens[0]);
    assert_int_equal(r.last, 2999);
    assert_ptr_equal(run_head(&r).W_O.at,
                     r.models[0].layers[0].W_O + 6 * 64 * 512);
    assert_ptr_equal(run_layer_cache(&r), &r.caches[0].layers[0]);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(r.caches[i].n, r.n);
        assert_ptr_equal(r.caches[i].tokens, r.tokens);
    }
    matrix logits = r.caches[0].logits;
    for (int t = 0; t < logits.cols; t++)
        assert_true(ENTRY(logits, r.n - 1, t) <=
                    ENTRY(logits, r.n - 1, r.predicted));
    run_close(&r);
}

static void the_command_line_goes_before_the_description(void **state) {
    fixture *f = *state;
    run r;
    run_choice choice = {.head = "0.2", .prompt = "The sea.", .token = " king"};
    OK(run_open("models/mini", choice, &r, &f->mem, &f->e));
    assert_int_equal(r.head, 2);
    assert_int_equal(r.tokens[1], tokenizer_id(r.words, "The", 3));
    assert_int_equal(r.moved, r.predicted); /* nothing is said to be moved */
    assert_int_equal(r.n_ov, 1);
    assert_int_equal(r.n_qk, 1);
    assert_int_equal(r.ov[0], tokenizer_id(r.words, " king", 5));
    assert_int_equal(r.qk[0], r.ov[0]);
    run_close(&r);
}

static void a_lone_model_shows_the_tokens_of_its_prompt(void **state) {
    fixture *f = *state;
    run r;
    OK(run_open("models/mini/1l", (run_choice){.prompt = "The sea."}, &r,
                &f->mem, &f->e));
    assert_int_equal(r.n_models, 1);
    assert_int_equal(r.moved, r.predicted);
    assert_int_equal(r.n_ov, r.n);
    assert_ptr_equal(r.ov, r.tokens);
    assert_ptr_equal(r.qk, r.tokens);
    assert_int_equal(r.first, 0);
    assert_int_equal(r.last, 10239);
    run_close(&r);
}

static void refuse_run(fixture *f, const char *folder, run_choice choice,
                       const char *says) {
    run r;
    REFUSED(run_open(folder, choice, &r, &f->mem, &f->e), says);
    run_close(&r);
}

static void a_head_that_is_not_there_is_refused(void **state) {
    fixture *f = *state;
    const char *lone = "models/mini/2l";
    refuse_run(f, lone, (run_choice){.head = "2.0", .prompt = "a"},
               "models/mini/2l has no head 2.0; its heads are 0.0 to 1.7");
    refuse_run(f, lone, (run_choice){.head = "1.8", .prompt = "a"},
               "has no head 1.8");
    refuse_run(f, lone, (run_choice){.head = "first", .prompt = "a"},
               "\"first\" is not a head; write LAYER.HEAD");
}

static void a_token_that_is_not_one_is_refused_with_its_pieces(void **state) {
    fixture *f = *state;
    refuse_run(f, "models/mini/1l",
               (run_choice){.prompt = "a", .token = " whale swam"},
               "--token: \" whale swam\" is not one token; it splits into \" "
               "whale\", \" sw\", \"am\"");
    refuse_run(f, "models/mini/1l",
               (run_choice){.prompt = "a", .token = "\xff\xff"},
               "--token: the text is not UTF-8 at byte 0");
}

/* 256 tokens fit: the one that begins the text, and 255. */
static void a_prompt_that_cannot_be_read_is_refused(void **state) {
    fixture *f = *state;
    const char *lone = "models/mini/1l";
    char text[6 * 256 + 1] = "";
    run r;
    for (int i = 0; i < 255; i++)
        strcat(text, " whale");
    OK(run_open(lone, (run_choice){.prompt = text}, &r, &f->mem, &f->e));
    assert_int_equal(r.n, 256);
    run_close(&r);
    strcat(text, " whale");
    refuse_run(f, lone, (run_choice){.prompt = text},
               "models/mini/1l: 257 tokens, but the model reads at most n_ctx "
               "= 256; shorten the prompt");
    refuse_run(f, lone, (run_choice){.prompt = ""}, "the prompt is empty");
    refuse_run(f, lone, (run_choice){.prompt = "caf\xe9"},
               "not UTF-8 at byte 3 (0xe9)");
    refuse_run(f, lone, (run_choice){.prompt = "\xc0\x80"},
               "not UTF-8 at byte 0");
    refuse_run(f, lone, (run_choice){0},
               "models/mini/1l: a lone model has no prompt of its own; give "
               "one with --prompt");
}

/* Makes the test's folder a set with mini's models and tokenizer. */
static void link_mini(fixture *f) {
    link_file(f, "models/mini/1l", in_folder(f, "1l"));
    link_file(f, "models/mini/tokenizer.json", in_folder(f, "tokenizer.json"));
}

static void a_description_that_does_not_hold_is_refused(void **state) {
    fixture *f = *state;
    link_mini(f);
    write_description(f, "models", "{\"1l\": \"1l\", \"2l\": \"2l\"}");
    refuse_run(f, f->folder, (run_choice){0}, "/2l/config.json: cannot open");
    link_file(f, "models/mini/2l", in_folder(f, "2l"));
    write_description(f, "moved", "\" whale swam\"");
    refuse_run(f, f->folder, (run_choice){0},
               "\"moved\" in set.json: \" whale swam\" is not one token; it "
               "splits into \" whale\", \" sw\", \"am\"");
    write_description(f, "moved", "\"\"");
    refuse_run(f, f->folder, (run_choice){0},
               "\"\" is not one token; it splits into nothing");
    write_description(f, "ov_tokens", "[\" whale\", \"whales swim\"]");
    refuse_run(f, f->folder, (run_choice){0},
               "\"ov_tokens\" in set.json: \"whales swim\" is not one token");
    write_description(f, "qk_tokens", "[\"\"]");
    refuse_run(f, f->folder, (run_choice){0},
               "\"qk_tokens\" in set.json: \"\"");
    write_description(f, "ordinary", "[0, 10240]");
    refuse_run(f, f->folder, (run_choice){0},
               "/set.json: \"ordinary\" ends at 10240, but the vocabulary has "
               "10240 tokens");
    write_description(f, "head", "\"1.0\"");
    refuse_run(f, f->folder, (run_choice){0},
               "/1l has no head 1.0; its heads are 0.0 to 0.7");
    write_description(f, "prompt", "\"\"");
    refuse_run(f, f->folder, (run_choice){0}, "the prompt is empty");
}

static void a_folder_that_cannot_be_run_is_refused(void **state) {
    fixture *f = *state;
    run_choice some = {.prompt = "a"};
    refuse_run(f, in_folder(f, "absent"), some, "/absent: neither a model set");
    golden_link(f, "tiny-1l");
    refuse_run(f, f->folder, some, "tokenizer.json: cannot open");
    write_text(in_folder(f, "tokenizer.json"), "{}");
    refuse_run(f, f->folder, some, "/tokenizer.json");
    unlink(in_folder(f, "tokenizer.json"));
    link_file(f, "models/mini/tokenizer.json", in_folder(f, "tokenizer.json"));
    refuse_run(f, f->folder, some,
               ": the tokenizer has 10240 tokens, but the model's d_vocab is "
               "61");
    assert_int_equal(strncmp(f->e.message, f->folder, strlen(f->folder)), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_head_is_named_by_layer_and_number),
        TEST(the_set_that_ships_is_read),
        TEST(a_folder_with_a_config_alone_is_one_model),
        TEST(a_bad_description_is_refused_by_key),
        TEST(what_is_no_description_is_refused),
        TEST(a_run_has_what_its_description_says),
        TEST(the_command_line_goes_before_the_description),
        TEST(a_lone_model_shows_the_tokens_of_its_prompt),
        TEST(a_head_that_is_not_there_is_refused),
        TEST(a_token_that_is_not_one_is_refused_with_its_pieces),
        TEST(a_prompt_that_cannot_be_read_is_refused),
        TEST(a_description_that_does_not_hold_is_refused),
        TEST(a_folder_that_cannot_be_run_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
