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
    assert_int_equal(s.head, 7);
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
    assert_int_equal(r.head, 7);
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
                     r.models[0].layers[0].W_O + 7 * 64 * 512);
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
    assert_memory_equal(r.ov, r.tokens, (size_t)r.n * sizeof *r.ov);
    assert_int_equal(r.n_qk, r.n);
    assert_ptr_equal(r.qk, r.ov);
    assert_int_equal(r.first, 0);
    assert_int_equal(r.last, 10239);
    run_close(&r);
}

static void a_token_of_the_prompt_is_shown_once(void **state) {
    fixture *f = *state;
    run r;
    golden_link(f, "tiny-1l");
    OK(run_open(f->folder, (run_choice){.tokens = "7,3,7,7,3,9"}, &r, &f->mem,
                &f->e));
    assert_int_equal(r.n_ov, 3);
    assert_memory_equal(r.ov, ((int[]){7, 3, 9}), 3 * sizeof(int));
    run_close(&r);
    OK(run_open(f->folder,
                (run_choice){.tokens = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,"
                                       "16,17,18"},
                &r, &f->mem, &f->e));
    assert_int_equal(r.n_ov, 16); /* and no more than that */
    run_close(&r);
}

/* ---- Ids in place of text ---- */

static void ids_are_taken_as_they_stand(void **state) {
    fixture *f = *state;
    run r;
    OK(run_open("models/mini/1l",
                (run_choice){.tokens = "17,0,10239,000000017"}, &r, &f->mem,
                &f->e));
    assert_int_equal(r.n, 4);
    assert_memory_equal(r.tokens, ((int[]){17, 0, 10239, 17}), 4 * sizeof(int));
    assert_string_equal(run_word(&r, 17, &f->mem, &f->e),
                        tokenizer_show(r.words, 17, &f->mem, &f->e));
    assert_int_equal(r.moved, r.predicted);
    run_close(&r);
    OK(run_open("models/mini", (run_choice){.tokens = "5"}, &r, &f->mem,
                &f->e));
    assert_int_equal(r.n, 1);
    assert_int_equal(r.moved, r.predicted);
    assert_int_equal(r.n_ov, r.s.n_ov); /* the set's, all the same */
    run_close(&r);
}

static void a_model_without_a_tokenizer_shows_ids(void **state) {
    fixture *f = *state;
    run r;
    golden_link(f, "tiny-1l");
    OK(run_open(f->folder, (run_choice){.tokens = "1,60", .token = "#17"}, &r,
                &f->mem, &f->e));
    assert_null(r.words);
    assert_string_equal(run_word(&r, 17, &f->mem, &f->e), "#17");
    assert_string_equal(run_text(&r, 60, &f->mem, &f->e), "#60");
    assert_int_equal(r.n_ov, 1);
    assert_int_equal(r.ov[0], 17);
    run_close(&r);
    OK(run_open(f->folder, (run_choice){.tokens = "1", .token = "0"}, &r,
                &f->mem, &f->e));
    assert_int_equal(r.qk[0], 0);
    run_close(&r);
}

/* A vocabulary is often padded to a round number. */
static void a_token_that_the_tokenizer_lacks_is_shown_as_its_id(void **state) {
    fixture *f = *state;
    run r;
    golden_link(f, "tiny-1l");
    write_text(in_folder(f, "tokenizer.json"),
               "{\"pre_tokenizer\": {\"type\": \"ByteLevel\", "
               "\"add_prefix_space\": false}, "
               "\"decoder\": {\"type\": \"ByteLevel\"}, "
               "\"model\": {\"type\": \"BPE\", "
               "\"vocab\": {\"a\": 0, \"b\": 1}, \"merges\": []}}");
    OK(run_open(f->folder, (run_choice){.tokens = "1,2"}, &r, &f->mem, &f->e));
    assert_int_equal(tokenizer_size(r.words), 2);
    assert_string_equal(run_text(&r, 1, &f->mem, &f->e), "b");
    assert_string_equal(run_text(&r, 2, &f->mem, &f->e), "#2");
    assert_string_equal(run_word(&r, 60, &f->mem, &f->e), "#60");
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
               "whale\", \" swam\"");
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
               "one with --prompt, or ids with --tokens");
}

static void a_list_that_is_not_of_ids_is_refused(void **state) {
    fixture *f = *state;
    static const struct {
        const char *list, *says;
    } all[] = {{"", "item 1, \"\", is not a token id"},
               {"1,,2", "item 2, \"\", is not"},
               {"1,", "item 2, \"\", is not"},
               {",1", "item 1, \"\", is not"},
               {"1,x", "item 2, \"x\", is not"},
               {"-1", "item 1, \"-1\", is not"},
               {"+1", "item 1, \"+1\", is not"},
               {"1, 2", "item 2, \" 2\", is not"},
               {"[1,2]", "item 1, \"[1\", is not"},
               {"0x1", "item 1, \"0x1\", is not"},
               {"1.5", "item 1, \"1.5\", is not"},
               {"1,\n2", "item 2, \"?2\", is not"},
               {"1,99999999999", "item 2, \"99999999999\", is not"},
               {"4294967297", "item 1, \"4294967297\", is not"},
               {"0,61", ": token 1 is 61, expected 0 to 60"},
               {"999999999", ": token 0 is 999999999, expected 0 to 60"},
               {"1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                "1,1,1",
                "33 tokens, but the model reads at most n_ctx = 32"}};
    golden_link(f, "tiny-1l");
    for (size_t i = 0; i < COUNT(all); i++)
        refuse_run(f, f->folder, (run_choice){.tokens = all[i].list},
                   all[i].says);
    refuse_run(f, "models/mini", (run_choice){.tokens = "1", .prompt = "a"},
               "--prompt and --tokens are both given");
}

static void what_needs_text_is_refused_without_a_tokenizer(void **state) {
    fixture *f = *state;
    golden_link(f, "tiny-1l");
    refuse_run(f, f->folder, (run_choice){.prompt = "a"},
               ": no tokenizer.json in it or one folder up, so text cannot be "
               "read; give ids with --tokens");
    static const char *const bad[] = {" the", "",   "#",  "##1",        "61",
                                      "#61",  "-1", "1 ", "99999999999"};
    for (size_t i = 0; i < COUNT(bad); i++)
        refuse_run(f, f->folder, (run_choice){.tokens = "1", .token = bad[i]},
                   "--token: there is no tokenizer.json, and \"");
    refuse_run(f, f->folder, (run_choice){.tokens = "1", .token = " the"},
               "\" the\" is not an id of 0 to 60");
}

/* ---- Processing ---- */

/* The steps that were applied, one letter each in their order. */
static const char *steps_of(const run *r, char letters[RUN_STEPS + 1]) {
    static const char *const names[RUN_STEPS] = {
        "fold_ln", "center_writing_weights", "center_unembed",
        "fold_value_biases"};
    for (int i = 0; i < RUN_STEPS; i++) {
        assert_string_equal(r->steps[0][i].name, names[i]);
        letters[i] = r->steps[0][i].left_out ? '-' : "nwuv"[i];
    }
    letters[RUN_STEPS] = '\0';
    return letters;
}

/* Which steps were applied, told from the weights. */
static const char *steps_seen(const run *r, char letters[RUN_STEPS + 1]) {
    const model *m = &r->models[0];
    const layer_weights *w = &m->layers[0];
    double embedding = 0, unembedding = 0, b_V = 0;
    for (int d = 0; d < m->c.d_model; d++)
        embedding += m->W_E[d];
    for (int t = 0; t < m->c.d_vocab; t++)
        unembedding += m->W_U[t];
    for (int k = 0; k < m->c.d_head; k++)
        b_V += fabs(w->b_V[k]);
    strcpy(letters, "nwuv");
    if (w->ln1_w)
        letters[0] = '-';
    if (fabs(embedding) > 1e-5)
        letters[1] = '-';
    if (fabs(unembedding) > 1e-5)
        letters[2] = '-';
    if (b_V > 0)
        letters[3] = '-';
    return letters;
}

static void a_run_says_which_steps_were_applied(void **state) {
    fixture *f = *state;
    static const struct {
        const char *key, *value, *steps;
        bool raw;
    } all[] = {{"n_ctx", "32", "nwuv", false},
               {"n_ctx", "32", "----", true},
               {"shortformer_pos", "true", "---v", false},
               {"shortformer_pos", "true", "----", true}};
    char said[RUN_STEPS + 1], seen[RUN_STEPS + 1];
    for (size_t i = 0; i < COUNT(all); i++) {
        run r;
        golden_link(f, "tiny-1l");
        json_t *root = read_json(in_folder(f, "config.json"));
        json_object_set_new(root, all[i].key,
                            json_loads(all[i].value, JSON_DECODE_ANY, NULL));
        char *text = json_dumps(root, 0);
        json_decref(root);
        unlink(in_folder(f, "config.json"));
        write_text(in_folder(f, "config.json"), text);
        free(text);
        OK(run_open(f->folder, (run_choice){.tokens = "1", .raw = all[i].raw},
                    &r, &f->mem, &f->e));
        assert_int_equal(r.raw, all[i].raw);
        assert_string_equal(steps_of(&r, said), all[i].steps);
        assert_string_equal(steps_seen(&r, seen), all[i].steps);
        run_close(&r);
        golden_unlink(f);
    }
}

static void raw_weights_are_those_of_the_file(void **state) {
    fixture *f = *state;
    run r, processed;
    tensor_list list;
    golden_link(f, "tiny-2l");
    bytes file =
        read_tensors(f, golden_path(f, "tiny-2l", "safetensors"), &list);
    OK(run_open(f->folder, (run_choice){.tokens = "1,2,3", .raw = true}, &r,
                &f->mem, &f->e));
    OK(run_open(f->folder, (run_choice){.tokens = "1,2,3"}, &processed, &f->mem,
                &f->e));
    const tensor *W_U = tensor_find(&list, "unembed.W_U");
    assert_memory_equal(r.models[0].W_U, W_U->at, 40 * 53 * sizeof(float));
    assert_memory_not_equal(processed.models[0].W_U, W_U->at,
                            40 * 53 * sizeof(float));
    assert_int_equal(r.predicted, processed.predicted);
    run_close(&r);
    run_close(&processed);
    file_unmap(&file);
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
               "splits into \" whale\", \" swam\"");
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
    refuse_run(f, f->folder, some,
               ": no tokenizer.json in it or one folder up");
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
        TEST(a_token_of_the_prompt_is_shown_once),
        TEST(ids_are_taken_as_they_stand),
        TEST(a_model_without_a_tokenizer_shows_ids),
        TEST(a_token_that_the_tokenizer_lacks_is_shown_as_its_id),
        TEST(a_list_that_is_not_of_ids_is_refused),
        TEST(what_needs_text_is_refused_without_a_tokenizer),
        TEST(a_run_says_which_steps_were_applied),
        TEST(raw_weights_are_those_of_the_file),
        TEST(a_head_that_is_not_there_is_refused),
        TEST(a_token_that_is_not_one_is_refused_with_its_pieces),
        TEST(a_prompt_that_cannot_be_read_is_refused),
        TEST(a_description_that_does_not_hold_is_refused),
        TEST(a_folder_that_cannot_be_run_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
