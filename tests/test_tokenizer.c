/* The tokenizer against what Hugging Face's tokenizers make of the same lines
   (tests/tokenizer), and what no file of theirs can show: bad files, long
   words, tokens as a person sees them. Run from the project's folder. */
#include "arena.h"
#include "error.h"
#include "tokenizer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char mini_path[] = "models/mini/tokenizer.json";

static tokenizer *must_open(const char *path) {
    error e = {0};
    tokenizer *t = NULL;
    if (tokenizer_open(path, &t, &e))
        fail_msg("%s", e.message);
    return t;
}

static tokenizer *must_parse(const char *json) {
    error e = {0};
    tokenizer *t = NULL;
    if (tokenizer_parse((const unsigned char *)json, strlen(json), "test.json",
                        &t, &e))
        fail_msg("%s", e.message);
    return t;
}

/* ---- Recorded lines ---- */

struct recorded {
    tokenizer *t;
    int line, n_lines, n_ids, n_tokenizers;
};

/* Replaces \xNN by the byte, in place; returns the new length. */
static size_t unescape(char *text) {
    char *out = text;
    for (const char *in = text; *in; out++)
        if (*in == '\\') {
            char hex[3] = {in[2], in[3], 0};
            *out = (char)strtol(hex, NULL, 16);
            in += 4;
        } else {
            *out = *in++;
        }
    return (size_t)(out - text);
}

/* `text` becomes exactly the ids in `wanted`, and, if asked, itself again. */
static void check_line(struct recorded *r, char *text, char *wanted,
                       bool back) {
    error e = {0};
    arena a = {0};
    int *ids = NULL;
    size_t n_ids = 0, n = unescape(text), k = 0;
    if (tokenizer_encode(r->t, text, n, &a, &ids, &n_ids, &e))
        fail_msg("line %d: %s", r->line, e.message);
    for (char *id = strtok(wanted, " "); id; id = strtok(NULL, " "), k++)
        if (k >= n_ids || ids[k] != atoi(id))
            fail_msg("line %d: token %zu is %d, recorded was %s", r->line, k,
                     k < n_ids ? ids[k] : -1, id);
    if (k != n_ids)
        fail_msg("line %d: %zu tokens, recorded were %zu", r->line, n_ids, k);
    if (back) {
        char *again = NULL;
        size_t n_again = 0;
        assert_int_equal(
            tokenizer_decode(r->t, ids, n_ids, &a, &again, &n_again, &e), 0);
        assert_int_equal(n_again, n);
        assert_memory_equal(again, text, n);
    }
    r->n_lines++;
    r->n_ids += (int)n_ids;
    arena_free(&a);
}

static void check_file(const char *path, bool back) {
    static char line[1 << 16];
    struct recorded r = {0};
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        r.line++;
        char *tab = strchr(line, '\t');
        if (tab) {
            *tab = 0;
            check_line(&r, line, tab + 1, back);
        } else if (line[0] == '@' || line[0] == '=') {
            tokenizer_free(r.t);
            r.t = line[0] == '@' ? must_open(line + 2) : must_parse(line + 2);
            r.n_tokenizers++;
        }
    }
    tokenizer_free(r.t);
    fclose(file);
    print_message("%s: %d lines, %d tokens, %d tokenizers\n", path, r.n_lines,
                  r.n_ids, r.n_tokenizers);
    assert_true(r.n_lines > 300);
}

static void mini_as_recorded(void **state) {
    (void)state;
    check_file("tests/tokenizer/mini.txt", true);
}

static void small_as_recorded(void **state) {
    (void)state;
    check_file("tests/tokenizer/small.txt", false);
}

static void each_kind_as_recorded(void **state) {
    (void)state;
    check_file("tests/tokenizer/kinds.txt", false);
}

/* ---- Files made for one test ---- */

/* A file in parts; a null part is that of the smallest good file. */
struct parts {
    const char *added, *normalizer, *pre, *post, *decoder, *model, *more;
    const char *wanted; /* in the message */
};

#define BYTES "{\"type\": \"ByteLevel\", \"add_prefix_space\": false}"
#define VOCAB "\"vocab\": {\"a\": 0, \"b\": 1, \"ab\": 2}"
#define MERGES "\"merges\": [\"a b\"]"
#define FLAGS                                                                  \
    "\"single_word\": false, \"lstrip\": false, \"rstrip\": false, "           \
    "\"normalized\": false, \"special\": true"
#define ADDED(id, content)                                                     \
    "{\"id\": " id ", \"content\": \"" content "\", " FLAGS "}"
#define SPLIT(pattern)                                                         \
    "{\"type\": \"Sequence\", \"pretokenizers\": [{\"type\": \"Split\", "      \
    "\"pattern\": {\"Regex\": \"" pattern "\"}, \"behavior\": \"Isolated\", "  \
    "\"invert\": false}, " BYTES "]}"

static const char *or_else(const char *part, const char *usual) {
    return part ? part : usual;
}

static char *json_of(const struct parts *p) {
    static char json[1 << 14];
    snprintf(json, sizeof json,
             "{\"added_tokens\": [%s], \"normalizer\": %s, "
             "\"pre_tokenizer\": %s, \"post_processor\": %s, "
             "\"decoder\": %s, \"model\": {%s}%s}",
             or_else(p->added, ""), or_else(p->normalizer, "null"),
             or_else(p->pre, BYTES), or_else(p->post, "null"),
             or_else(p->decoder, BYTES), or_else(p->model, VOCAB ", " MERGES),
             or_else(p->more, ""));
    return json;
}

static const struct parts bad[] = {
    {.wanted = "model.vocab: expected tokens", .model = MERGES},
    {.wanted = "model.merges: expected a list", .model = VOCAB},
    {.wanted = "model: \"WordPiece\" is not implemented, only BPE",
     .model = "\"type\": \"WordPiece\""},
    {.wanted = "model.dropout is not implemented",
     .model = "\"dropout\": 0.1, " VOCAB ", " MERGES},
    {.wanted = "model.byte_fallback is not implemented",
     .model = "\"byte_fallback\": true, " VOCAB ", " MERGES},
    {.wanted = "model.end_of_word_suffix is not implemented",
     .model = "\"end_of_word_suffix\": \"</w>\", " VOCAB ", " MERGES},
    {.wanted = "model.unk_token is not in model.vocab",
     .model = "\"unk_token\": \"<unk>\", " VOCAB ", " MERGES},
    {.wanted = "model has \"colour\", which is not known",
     .model = "\"colour\": 1, " VOCAB ", " MERGES},
    {.wanted = "model.fuse_unk: expected true or false",
     .model = "\"fuse_unk\": 1, " VOCAB ", " MERGES},
    {.wanted = "the id 7 of \"b\" is not among 0 to 1",
     .model = "\"vocab\": {\"a\": 0, \"b\": 7}, \"merges\": []"},
    {.wanted = "the id -1 of \"b\" is not among 0 to 1",
     .model = "\"vocab\": {\"a\": 0, \"b\": -1}, \"merges\": []"},
    {.wanted = "\"a\" and \"b\" both have the id 0",
     .model = "\"vocab\": {\"a\": 0, \"b\": 0}, \"merges\": []"},
    {.wanted = "\"b\" has no number",
     .model = "\"vocab\": {\"a\": 0, \"b\": \"1\"}, \"merges\": []"},
    {.wanted = "duplicate object key",
     .model = "\"vocab\": {\"a\": 0, \"a\": 1}, \"merges\": []"},
    {.wanted = "model.merges[0]: \"a\" and \"c\", or what they make, is not",
     .model = VOCAB ", \"merges\": [\"a c\"]"},
    {.wanted = "model.merges[1]: \"b\" and \"a\", or what they make, is not",
     .model = VOCAB ", \"merges\": [\"a b\", [\"b\", \"a\"]]"},
    {.wanted = "model.merges[0]: expected two tokens",
     .model = VOCAB ", \"merges\": [\"ab\"]"},
    {.wanted = "model.merges[0]: expected two tokens",
     .model = VOCAB ", \"merges\": [\"a b c\"]"},
    {.wanted = "model.merges[0]: expected two tokens",
     .model = VOCAB ", \"merges\": [[\"a\", \"b\", \"c\"]]"},
    {.wanted = "model.merges[0]: expected two tokens",
     .model = VOCAB ", \"merges\": [7]"},
    {.wanted = "model.merges[0] and [1] are the same",
     .model = VOCAB ", \"merges\": [\"a b\", \"a b\"]"},
    {.wanted = "added_tokens: the id 9 of \"<x>\" is not among 0 to 3",
     .added = ADDED("9", "<x>")},
    {.wanted = "\"ab\" and \"<x>\" both have the id 2",
     .added = ADDED("2", "<x>")},
    {.wanted = "added_tokens[0]: \"ab\" has the id 0 here and 2 in",
     .added = ADDED("0", "ab")},
    {.wanted = "added_tokens[0].content: expected 1 to",
     .added = ADDED("3", "")},
    {.wanted = "added_tokens[0].id: expected a number",
     .added = ADDED("\"3\"", "<x>")},
    {.wanted = "added_tokens[0].single_word: expected true or false",
     .added = "{\"id\": 3, \"content\": \"<x>\"}"},
    {.wanted = "NUL", .added = ADDED("3", "<\\u0000>")},
    {.wanted = "normalizer: \"Lowercase\" is not implemented, only NFC",
     .normalizer = "{\"type\": \"Lowercase\"}"},
    {.wanted = "normalizer.normalizers[1]: \"Strip\" is not implemented",
     .normalizer = "{\"type\": \"Sequence\", \"normalizers\": "
                   "[{\"type\": \"NFC\"}, {\"type\": \"Strip\"}]}"},
    {.wanted = "normalizer: expected an object with a \"type\"",
     .normalizer = "7"},
    {.wanted = "pre_tokenizer: has ByteLevel 0 times", .pre = "null"},
    {.wanted = "pre_tokenizer: \"Metaspace\" is not implemented",
     .pre = "{\"type\": \"Metaspace\"}"},
    {.wanted = "pre_tokenizer.pretokenizers: expected a list",
     .pre = "{\"type\": \"Sequence\"}"},
    {.wanted = "pre_tokenizer.pretokenizers[0]: \"Sequence\" is not",
     .pre = "{\"type\": \"Sequence\", \"pretokenizers\": "
            "[{\"type\": \"Sequence\"}]}"},
    {.wanted = "pre_tokenizer: has ByteLevel 2 times",
     .pre =
         "{\"type\": \"Sequence\", \"pretokenizers\": [" BYTES ", " BYTES "]}"},
    {.wanted = "pre_tokenizer.behavior: \"Glued\" is not known",
     .pre = "{\"type\": \"Split\", \"pattern\": {\"String\": \"a\"}, "
            "\"behavior\": \"Glued\", \"invert\": false}"},
    {.wanted = "pre_tokenizer.pattern: expected one",
     .pre = "{\"type\": \"Split\", \"pattern\": \"a\", "
            "\"behavior\": \"Isolated\", \"invert\": false}"},
    {.wanted = "pretokenizers[0]: the pattern is not valid: missing closing",
     .pre = SPLIT("(a")},
    {.wanted = "the pattern has \"\\\\w+\" at byte 1", .pre = SPLIT(" \\\\w+")},
    {.wanted = "the pattern has \"\\\\p{Han}\"", .pre = SPLIT("\\\\p{Han}")},
    {.wanted = "the pattern has \"^a\" at byte 0", .pre = SPLIT("^a")},
    {.wanted = "the pattern has \"[b]]\" at byte 2", .pre = SPLIT("[a[b]]")},
    {.wanted = "the pattern has \"&&b]\"", .pre = SPLIT("[a&&b]")},
    {.wanted = "the pattern has \"{,3}\"", .pre = SPLIT("a{,3}")},
    {.wanted = "the pattern has \"{2}+\"", .pre = SPLIT("a{2}+")},
    {.wanted = "the pattern has \"(?R)\"", .pre = SPLIT("a(?R)")},
    {.wanted = "the pattern has \"(*UTF)\"", .pre = SPLIT("(*UTF)")},
    {.wanted = "the pattern has \"\\\\1\"", .pre = SPLIT("(a)\\\\1")},
    {.wanted = "decoder: \"Metaspace\" is not implemented",
     .decoder = "{\"type\": \"Metaspace\"}"},
    {.wanted = "decoder: expected an object", .decoder = "null"},
    {.wanted = "post_processor: \"BertProcessing\" is not implemented",
     .post = "{\"type\": \"BertProcessing\"}"},
    {.wanted = "post_processor.single: only a template of the text",
     .post = "{\"type\": \"TemplateProcessing\", \"single\": "
             "[{\"Sequence\": {\"id\": \"A\"}}, "
             "{\"SpecialToken\": {\"id\": \"ab\"}}]}"},
    {.wanted = "truncation is not implemented",
     .more = ", \"truncation\": {\"max_length\": 8}"},
    {.wanted = "version: only \"1.0\" is read", .more = ", \"version\": \"2\""},
    {.wanted = "the file has \"extra\", which is not known",
     .more = ", \"extra\": 1"},
};

static void bad_files_are_refused_by_name(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        error e = {0};
        tokenizer *t = NULL;
        const char *json = json_of(&bad[k]);
        if (!tokenizer_parse((const unsigned char *)json, strlen(json),
                             "test.json", &t, &e))
            fail_msg("accepted, though: %s\n%s", bad[k].wanted, json);
        assert_null(t);
        if (strncmp(e.message, "test.json:", 10) != 0 ||
            !strstr(e.message, bad[k].wanted))
            fail_msg("wanted: %s\ngot: %s", bad[k].wanted, e.message);
    }
}

static void what_is_no_tokenizer_is_refused(void **state) {
    (void)state;
    static const char *const files[] = {
        "",
        " ",
        "[]",
        "{}",
        "7",
        "<!DOCTYPE html>",
        "{\"model\": []}",
        "version https://git-lfs.github.com/spec/v1"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        error e = {0};
        tokenizer *t = NULL;
        assert_int_equal(tokenizer_parse((const unsigned char *)files[k],
                                         strlen(files[k]), "x", &t, &e),
                         -1);
        assert_int_equal(strncmp(e.message, "x:", 2), 0);
    }
}

static void every_cut_file_is_refused(void **state) {
    (void)state;
    const char *json =
        json_of(&(struct parts){.added = ADDED("3", "<x>"), .pre = SPLIT("a")});
    tokenizer_free(must_parse(json));
    for (size_t n = 0; n < strlen(json); n++) {
        error e = {0};
        tokenizer *t = NULL;
        char *cut = malloc(n + 1);
        memcpy(cut, json, n);
        assert_int_equal(
            tokenizer_parse((const unsigned char *)cut, n, "x", &t, &e), -1);
        free(cut);
    }
}

static void a_missing_file_is_named(void **state) {
    (void)state;
    error e = {0};
    tokenizer *t = NULL;
    assert_int_equal(tokenizer_open("no/such/tokenizer.json", &t, &e), -1);
    assert_non_null(strstr(e.message, "no/such/tokenizer.json"));
}

/* ---- Merges ---- */

/* The example of the chapter: " then" becomes " the" and "n". */
static void merges_go_by_rank(void **state) {
    (void)state;
    tokenizer *t = must_parse(
        json_of(&(struct parts){.model = "\"vocab\": {\"Ġ\": 0, \"t\": 1, "
                                         "\"h\": 2, \"e\": 3, \"n\": 4, "
                                         "\"he\": 5, \"Ġt\": 6, \"Ġthe\": 7, "
                                         "\"hen\": 8}, \"merges\": "
                                         "[\"h e\", \"Ġ t\", \"Ġt he\", "
                                         "\"he n\"]"}));
    error e = {0};
    int ids[] = {0, 1, 2, 3, 4};
    size_t n = 5, steps = 0;
    assert_int_equal(tokenizer_merge(t, ids, &n, &steps, &e), 0);
    assert_int_equal(n, 2);
    assert_int_equal(ids[0], 7);
    assert_int_equal(ids[1], 4);
    /* h e, Ġ t; then he n, Ġt he */
    assert_int_equal(steps, 4);
    ids[0] = 9;
    assert_int_equal(tokenizer_merge(t, ids, &n, NULL, &e), -1);
    assert_non_null(strstr(e.message, "no token 9, only 0 to 8"));
    tokenizer_free(t);
}

static void a_long_word_takes_few_steps(void **state) {
    (void)state;
    enum { LONG = 100000 };
    tokenizer *t = must_open(mini_path);
    error e = {0};
    int *ids = calloc(LONG, sizeof *ids);
    size_t n = LONG, steps = 0, length = 0;
    for (size_t i = 0; i < n; i++)
        ids[i] = tokenizer_id(t, "a", 1);
    assert_int_equal(tokenizer_merge(t, ids, &n, &steps, &e), 0);
    assert_true(n < LONG && steps >= LONG - 1 && steps <= 3 * LONG);
    for (size_t i = 0, one = 0; i < n; i++, length += one)
        assert_non_null(tokenizer_token(t, ids[i], &one));
    assert_int_equal(length, LONG);
    free(ids);
    tokenizer_free(t);
}

/* ---- Text ---- */

static void prompts_begin_with_one_bos(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t n_bos, n;
    } cases[] = {
        {"", 1, 1},         {"<|BOS|>", 1, 1},         {"H", 1, 2},
        {"<|BOS|>H", 1, 2}, {"<|BOS|><|BOS|>H", 2, 3}, {"H<|BOS|>", 2, 3}};
    tokenizer *t = must_open(mini_path);
    arena a = {0};
    error e = {0};
    assert_int_equal(tokenizer_bos(t), 10237);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int *ids = NULL;
        size_t n = 0, n_bos = 0;
        assert_int_equal(tokenizer_prompt(t, cases[k].text,
                                          strlen(cases[k].text), &a, &ids, &n,
                                          &e),
                         0);
        assert_int_equal(n, cases[k].n);
        assert_int_equal(ids[0], 10237);
        for (size_t i = 0; i < n; i++)
            n_bos += ids[i] == 10237;
        assert_int_equal(n_bos, cases[k].n_bos);
    }
    arena_free(&a);
    tokenizer_free(t);
}

static void bos_comes_from_the_template_or_a_name(void **state) {
    (void)state;
    static const struct {
        struct parts parts;
        int bos;
    } cases[] = {
        {{.added = ""}, -1},
        {{.added = ADDED("3", "<x>")}, -1},
        {{.added = ADDED("3", "<s>") "," ADDED("4", "<|BOS|>")}, 4},
        {{.added = ADDED("3", "<|endoftext|>")}, 3},
        {{.added = ADDED("3", "<x>") "," ADDED("4", "<s>"),
          .post = "{\"type\": \"TemplateProcessing\", \"single\": "
                  "[{\"SpecialToken\": {\"id\": \"<x>\"}}, "
                  "{\"Sequence\": {\"id\": \"A\"}}], \"special_tokens\": "
                  "{\"<x>\": {\"ids\": [3]}}}"},
         3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tokenizer *t = must_parse(json_of(&cases[k].parts));
        arena a = {0};
        error e = {0};
        int *ids = NULL;
        size_t n = 0;
        assert_int_equal(tokenizer_bos(t), cases[k].bos);
        int status = tokenizer_prompt(t, "ab", 2, &a, &ids, &n, &e);
        assert_int_equal(status, cases[k].bos < 0 ? -1 : 0);
        if (status)
            assert_non_null(strstr(e.message, "names no token that begins"));
        arena_free(&a);
        tokenizer_free(t);
    }
}

static void bad_text_is_named_by_its_byte(void **state) {
    (void)state;
    static const struct {
        const char *text, *wanted;
    } cases[] = {{"Hello, world\xff", "at byte 12 (0xff)"},
                 {"\xc3\xa9\xc3", "at byte 2 (0xc3)"},
                 {"\xed\xa0\x80", "at byte 0 (0xed)"},
                 {"a\xc0\x80", "at byte 1 (0xc0)"},
                 {"\xf4\x90\x80\x80", "at byte 0 (0xf4)"}};
    tokenizer *t = must_open(mini_path);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        arena a = {0};
        error e = {0};
        int *ids = NULL;
        size_t n = 0;
        assert_int_equal(tokenizer_prompt(t, cases[k].text,
                                          strlen(cases[k].text), &a, &ids, &n,
                                          &e),
                         -1);
        if (!strstr(e.message, cases[k].wanted))
            fail_msg("wanted: %s\ngot: %s", cases[k].wanted, e.message);
        arena_free(&a);
    }
    tokenizer_free(t);
}

/* Fails to encode `text` with this file, with `wanted` in the message. */
static void check_refused(const struct parts *p, const char *text, size_t n,
                          const char *wanted) {
    tokenizer *t = must_parse(json_of(p));
    arena a = {0};
    error e = {0};
    int *ids = NULL;
    size_t n_ids = 0;
    assert_int_equal(tokenizer_encode(t, text, n, &a, &ids, &n_ids, &e), -1);
    if (!strstr(e.message, wanted))
        fail_msg("wanted: %s\ngot: %s", wanted, e.message);
    arena_free(&a);
    tokenizer_free(t);
}

static void text_that_cannot_be_encoded_is_refused(void **state) {
    (void)state;
    enum { TOO_LONG = (1 << 22) + 1 };
    char *text = malloc(TOO_LONG);
    memset(text, 'a', TOO_LONG);
    check_refused(&(struct parts){0}, text, TOO_LONG, "at most 4194304");
    check_refused(&(struct parts){0}, "abc", 3, "no token for the byte 0x63");
    check_refused(&(struct parts){.pre = SPLIT("(?:a|aa)+[bc]")}, text, 5000,
                  "test.json: pre_tokenizer.pretokenizers[0]: the pattern gave "
                  "up at byte 0");
    free(text);
}

/* No match takes long by itself; all of them together would take minutes. */
static void a_pattern_that_is_slow_everywhere_gives_up(void **state) {
    (void)state;
    enum { N = 125000, RUN = 26 };
    char *text = malloc(N);
    memset(text, 'a', N);
    check_refused(&(struct parts){.pre = SPLIT("a(?=a*[bc])|a")}, text, N,
                  "test.json: pre_tokenizer.pretokenizers[0]: the pattern gave "
                  "up at byte");
    for (int i = RUN; i < N; i += RUN + 1)
        text[i] = 'x';
    check_refused(&(struct parts){.pre = SPLIT("(?:a|aa)*[bd]")}, text, N,
                  "test.json: pre_tokenizer.pretokenizers[0]: the pattern gave "
                  "up at byte");
    free(text);
}

/* n times a, and then b, in so many tokens; `b` follows `a` as "ab". */
static void check_count(const char *json, size_t n, size_t wanted) {
    tokenizer *t = must_parse(json);
    arena a = {0};
    error e = {0};
    int *ids = NULL;
    size_t n_ids = 0;
    char *text = malloc(n + 1);
    memset(text, 'a', n);
    text[n] = 'b';
    if (tokenizer_encode(t, text, n + 1, &a, &ids, &n_ids, &e))
        fail_msg("%zu: %s", n, e.message);
    assert_int_equal(n_ids, wanted);
    free(text);
    arena_free(&a);
    tokenizer_free(t);
}

static void a_match_may_be_of_any_length(void **state) {
    (void)state;
    static const size_t sizes[] = {1,   2,   14,   15,   16, 17,  31,
                                   32,  62,  63,   64,   65, 126, 127,
                                   128, 129, 1000, 4096, 0};
    for (const size_t *n = sizes; *n; n++) {
        check_count(json_of(&(struct parts){.pre = SPLIT("a+b")}), *n, *n);
        check_count(json_of(&(struct parts){.pre = SPLIT("b")}), *n, *n + 1);
        check_count(json_of(&(struct parts){.pre = SPLIT("a+(?=b)")}), *n,
                    *n + 1);
        check_count(json_of(&(struct parts){.pre = SPLIT("(?<=a)(?!a)")}), *n,
                    *n + 1);
    }
    check_count(json_of(&(struct parts){.pre = SPLIT("[ab]*b+|a")}), 20000,
                20000);
    check_count(json_of(&(struct parts){.pre = SPLIT("a+")}), 4000000, 4000001);
}

/* ---- Tokens ---- */

static void tokens_are_found_by_their_bytes(void **state) {
    (void)state;
    tokenizer *t = must_open(mini_path);
    assert_int_equal(tokenizer_size(t), 10240);
    for (int id = 0; id < tokenizer_size(t); id++) {
        size_t n = 0;
        const char *at = tokenizer_token(t, id, &n);
        assert_non_null(at);
        assert_int_equal(tokenizer_id(t, at, n), id);
    }
    size_t n = 0;
    assert_null(tokenizer_token(t, -1, &n));
    assert_null(tokenizer_token(t, tokenizer_size(t), &n));
    assert_int_equal(tokenizer_id(t, "", 0), -1);
    assert_int_equal(tokenizer_id(t, " nosuchtoken", 12), -1);
    assert_int_equal(tokenizer_id(t, "<|EOS|>", 7), 10238);
    tokenizer_free(t);
}

static void decoding_names_a_bad_id(void **state) {
    (void)state;
    tokenizer *t = must_open(mini_path);
    arena a = {0};
    error e = {0};
    char *text = NULL;
    size_t n = 1;
    assert_int_equal(
        tokenizer_decode(t, (int[]){5, 10240}, 2, &a, &text, &n, &e), -1);
    assert_non_null(strstr(e.message, "token 1 is 10240; there are only 0"));
    assert_int_equal(tokenizer_decode(t, NULL, 0, &a, &text, &n, &e), 0);
    assert_int_equal(n, 0);
    assert_string_equal(text, "");
    assert_null(tokenizer_show(t, -1, &a, &e));
    arena_free(&a);
    tokenizer_free(t);
}

static void tokens_are_shown_whole(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *shown;
    } cases[] = {
        {" tea", " tea"},
        {"", ""},
        {"a\nb\tc\rd", "a\\nb\\tc\\rd"},
        {"\\n", "\\\\n"},
        {"\x01\x7f\x1b[0m", "\\x01\\x7f\\x1b[0m"},
        {"\xff\xc3", "\\xff\\xc3"},
        {"\xe2\x82", "\\xe2\\x82"},
        {"caf\xc3\xa9", "caf\xc3\xa9"},
        {"\xc2\x85\xc2\xa0\xe2\x80\x8b", "\\u{85}\\u{a0}\\u{200b}"},
        {"\xcc\x81x", "\\u{301}x"},
        {"e\xcc\x81", "e\xcc\x81"},
        {"\xe2\x80\xae<|\"'", "\\u{202e}<|\"'"},
        {"\xef\xbf\xbd", "\xef\xbf\xbd"},
    };
    arena a = {0};
    error e = {0};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_string_equal(
            text_show(cases[k].bytes, strlen(cases[k].bytes), &a, &e),
            cases[k].shown);
    assert_string_equal(text_show("a\0b", 3, &a, &e), "a\\x00b");
    arena_free(&a);
}

static int compare_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void all_tokens_are_shown_apart(void **state) {
    (void)state;
    enum { SIZE = 10240 };
    static char *shown[SIZE];
    tokenizer *t = must_open(mini_path);
    arena a = {0};
    error e = {0};
    for (int id = 0; id < SIZE; id++) {
        shown[id] = tokenizer_show(t, id, &a, &e);
        assert_non_null(shown[id]);
        for (const char *c = shown[id]; *c; c++)
            assert_true((unsigned char)*c >= ' ' && *c != 0x7f);
    }
    qsort(shown, SIZE, sizeof *shown, compare_text);
    for (int k = 1; k < SIZE; k++)
        assert_string_not_equal(shown[k - 1], shown[k]);
    assert_string_equal(tokenizer_show(t, 10237, &a, &e), "<|BOS|>");
    assert_string_equal(tokenizer_show(t, 10, &a, &e), "\\n");
    assert_string_equal(tokenizer_show(t, tokenizer_id(t, " whale", 6), &a, &e),
                        " whale");
    arena_free(&a);
    tokenizer_free(t);
}

/* ---- The published tokenizer, once it was fetched ---- */

static const char published[] = "models/attn-only/tokenizer.json";

static void the_published_tokenizer_encodes_as_known(void **state) {
    static const int hello[] = {1, 11765, 14, 1499, 3};
    static const char *const pieces[] = {" Solid", "Gold", "Mag", "ik", "arp"};
    (void)state;
    error e;
    arena a = {0};
    int *ids = NULL;
    size_t n = 0;
    char *text = NULL;
    tokenizer *t = must_open(published);
    assert_int_equal(tokenizer_size(t), 48262);
    assert_int_equal(tokenizer_bos(t), 1);
    assert_int_equal(tokenizer_prompt(t, "Hello, world!", 13, &a, &ids, &n, &e),
                     0);
    assert_int_equal(n, 5);
    assert_memory_equal(ids, hello, sizeof hello);
    assert_int_equal(
        tokenizer_decode(t, (int[]){43453, 28666}, 2, &a, &text, &n, &e), 0);
    assert_string_equal(text, "Charlie Planet");
    assert_int_equal(
        tokenizer_encode(t, " SolidGoldMagikarp", 18, &a, &ids, &n, &e), 0);
    assert_int_equal(n, 5);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(tokenizer_show(t, ids[i], &a, &e), pieces[i]);
    tokenizer_free(t);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mini_as_recorded),
        cmocka_unit_test(small_as_recorded),
        cmocka_unit_test(each_kind_as_recorded),
        cmocka_unit_test(bad_files_are_refused_by_name),
        cmocka_unit_test(what_is_no_tokenizer_is_refused),
        cmocka_unit_test(every_cut_file_is_refused),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(merges_go_by_rank),
        cmocka_unit_test(a_long_word_takes_few_steps),
        cmocka_unit_test(prompts_begin_with_one_bos),
        cmocka_unit_test(bos_comes_from_the_template_or_a_name),
        cmocka_unit_test(bad_text_is_named_by_its_byte),
        cmocka_unit_test(text_that_cannot_be_encoded_is_refused),
        cmocka_unit_test(a_pattern_that_is_slow_everywhere_gives_up),
        cmocka_unit_test(a_match_may_be_of_any_length),
        cmocka_unit_test(tokens_are_found_by_their_bytes),
        cmocka_unit_test(decoding_names_a_bad_id),
        cmocka_unit_test(tokens_are_shown_whole),
        cmocka_unit_test(all_tokens_are_shown_apart),
        cmocka_unit_test(the_published_tokenizer_encodes_as_known),
    };
    if (access(published, R_OK) == 0)
        return cmocka_run_group_tests(tests, NULL, NULL);
    print_message("# not run, %s is not there: %s\n", published,
                  tests[sizeof tests / sizeof *tests - 1].name);
    return _cmocka_run_group_tests(
        "tests", tests, sizeof tests / sizeof *tests - 1, NULL, NULL);
}
