/* A tokenizer.json. What follows the last byte 0 of an input, if there is one,
   is a text for the tokenizer that stands before it. */
#include "fuzz.h"
#include "arena.h"
#include "tokenizer.h"

#include <jansson.h>

enum { MAX_FUZZED_TEXT = 200 };

static const char known_text[] =
    "Two words, 3.14  \n\t it's <s>\xc3\xa9 e\xcc\x81 \xef\xac\x81\xe2\x84\xab "
    "\xf0\x9f\x90\x8b\xc2\xa0";

static void check_token(const tokenizer *t, int id, arena *a) {
    error e = {""};
    size_t n = 0;
    const char *at = tokenizer_token(t, id, &n);
    require(at && n > 0, "a token has bytes");
    touch(at, n);
    char *shown = tokenizer_show(t, id, a, &e);
    require(shown != NULL, "a token can be shown");
    for (const char *c = shown; *c; c++)
        require((unsigned char)*c >= 0x20 && *c != 0x7f,
                "a shown token is one line");
    int same = tokenizer_id(t, at, n);
    require(same >= -1 && same < tokenizer_size(t), "ids are in range");
}

static void check_ids(const tokenizer *t, const int *ids, size_t n, arena *a) {
    error e = {""};
    char *text = NULL;
    size_t n_text = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        size_t n_token = 0;
        require(ids[i] >= 0 && ids[i] < tokenizer_size(t), "ids are in range");
        tokenizer_token(t, ids[i], &n_token);
        total += n_token;
    }
    for (size_t i = 0; i < n && i < 20; i++)
        check_token(t, ids[i], a);
    require(tokenizer_decode(t, ids, n, a, &text, &n_text, &e) == 0,
            "tokens can be decoded");
    require(n_text == total && text[n_text] == 0, "decoding joins tokens");
    require(text_show(text, n_text, a, &e) != NULL, "a text can be shown");
}

static void check_text(const tokenizer *t, const char *text, size_t n) {
    error e = {""};
    arena a = {0};
    int *ids = NULL, *prompt = NULL;
    size_t n_ids = 0, n_prompt = 0;
    int status = tokenizer_encode(t, text, n, &a, &ids, &n_ids, &e);
    check_status(status, &e);
    if (status == 0)
        check_ids(t, ids, n_ids, &a);
    bool can = status == 0 && tokenizer_bos(t) >= 0;
    status = tokenizer_prompt(t, text, n, &a, &prompt, &n_prompt, &e);
    check_status(status, &e);
    require((status == 0) == can, "a text with a known start is a prompt");
    if (can) {
        require(n_prompt - n_ids <= 1 && prompt[0] == tokenizer_bos(t),
                "a prompt is the text behind BOS");
        size_t more = n_prompt - n_ids;
        require(n_ids == 0 || !memcmp(prompt + more, ids, n_ids * sizeof *ids),
                "encoding twice gives the same");
    }
    arena_free(&a);
}

static void check_tokenizer(const tokenizer *t) {
    error e = {""};
    arena a = {0};
    int size = tokenizer_size(t), bos = tokenizer_bos(t), ids[64];
    size_t n = 0;
    require(size > 0 && bos >= -1 && bos < size, "BOS is a token");
    require(!tokenizer_token(t, size, &n) && !tokenizer_token(t, -1, &n),
            "there are no other tokens");
    for (int id = 0; id < size && id < 400; id++)
        check_token(t, id, &a);
    int word = tokenizer_id(t, " a", 2);
    require(word >= -1 && word < size, "ids are in range");
    size_t steps = 0;
    for (n = 0; n < 64; n++)
        ids[n] = (int)n % size;
    require(tokenizer_merge(t, ids, &n, &steps, &e) == 0 && n <= 64 && n > 0,
            "tokens can be merged");
    require(steps <= 3 * 64, "merging considers three pairs for each token");
    check_ids(t, ids, n, &a);
    arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool seeded = false;
    error e = {""};
    tokenizer *t = NULL;
    if (!seeded)
        json_object_seed(1); /* a finding must happen again */
    seeded = true;
    size_t n_file = size;
    while (n_file > 0 && data[n_file - 1] != 0)
        n_file--;
    size_t n_text = n_file > 0 ? size - n_file : 0;
    n_file = n_file > 0 ? n_file - 1 : size;
    unsigned char *file = copy_of(data, n_file);
    unsigned char *text = copy_of(data + size - n_text, n_text);
    int status = tokenizer_parse(file, n_file, "tokenizer.json", &t, &e);
    free(file); /* nothing of it may be needed afterwards */
    check_status(status, &e);
    require((status == 0) == (t != NULL), "after a failure there is none");
    if (t) {
        check_tokenizer(t);
        check_text(t, known_text, sizeof known_text - 1);
        if (n_text <= MAX_FUZZED_TEXT)
            check_text(t, (const char *)text, n_text);
    }
    tokenizer_free(t);
    free(text);
    return 0;
}
