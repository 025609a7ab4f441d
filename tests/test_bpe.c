/* The trainer of tokenizers, against one that counts everything anew. */
#define _XOPEN_SOURCE 700
#include "golden.h"

#include "bpe.h"
#include "corpus.h"
#include "tokenizer.h"

static bytes corpus_of(const char *text, size_t n) {
    return (bytes){(unsigned char *)(uintptr_t)text, n};
}

static char *const no_words[] = {NULL};

#define CORPUS(text) corpus_of(text, sizeof(text) - 1)

/* ---- Documents ---- */

static void documents_end_in_a_separator_or_with_the_file(void **state) {
    (void)state;
    bytes corpus = CORPUS("one\x1e\x1ethree"), document;
    size_t at = 0;
    assert_true(document_next(&corpus, &at, &document));
    assert_int_equal(document.n, 3);
    assert_true(document_next(&corpus, &at, &document));
    assert_int_equal(document.n, 0);
    assert_true(document_next(&corpus, &at, &document));
    assert_memory_equal(document.at, "three", 5);
    assert_false(document_next(&corpus, &at, &document));
    at = 0;
    corpus = (bytes){NULL, 0};
    assert_false(document_next(&corpus, &at, &document));
}

static void every_hundredth_document_is_held_out(void **state) {
    (void)state;
    size_t n = 0;
    for (size_t k = 0; k < 1000; k++)
        n += document_held_out(k);
    assert_int_equal(n, 10);
    assert_false(document_held_out(0));
    assert_true(document_held_out(99));
}

/* ---- Merges ---- */

static void merge_is(const bpe *b, size_t k, const char *left,
                     const char *right, long long count) {
    assert_true(k < b->n_merges);
    bytes l = b->tokens[b->merges[k].left], r = b->tokens[b->merges[k].right];
    assert_int_equal(l.n, strlen(left));
    assert_memory_equal(l.at, left, l.n);
    assert_int_equal(r.n, strlen(right));
    assert_memory_equal(r.at, right, r.n);
    assert_int_equal(b->merges[k].count, count);
}

static void the_most_frequent_pair_goes_first(void **state) {
    fixture *f = *state;
    bytes corpus = CORPUS("hen then hen\x1ethe hen");
    bpe b;
    /* hen, _then, _hen, the, _hen: h e 5 times, e n 4, _ h 2, t h 2; with he:
       he n 4; with hen: _ hen 2; then nothing stands twice */
    OK(bpe_train(&corpus, "test", 300, no_words, &f->mem, &b, &f->e));
    assert_int_equal(b.n_words, 5);
    assert_int_equal(b.n_types, 4);
    assert_int_equal(b.n_merges, 3);
    merge_is(&b, 0, "h", "e", 5);
    merge_is(&b, 1, "he", "n", 4);
    merge_is(&b, 2, " ", "hen", 2);
}

static void of_equal_pairs_the_smaller_tokens_go_first(void **state) {
    fixture *f = *state;
    bytes corpus = CORPUS("zy\nab\nzy\nab\nax\nax\n");
    bpe b;
    OK(bpe_train(&corpus, "test", 259, no_words, &f->mem, &b, &f->e));
    merge_is(&b, 0, "a", "b", 2);
    merge_is(&b, 1, "a", "x", 2);
    merge_is(&b, 2, "z", "y", 2);
}

static void a_pair_that_overlaps_itself_is_merged_from_the_left(void **state) {
    fixture *f = *state;
    bytes corpus = CORPUS("aaaaa\naaaaa\n");
    bpe b;
    OK(bpe_train(&corpus, "test", 300, no_words, &f->mem, &b, &f->e));
    merge_is(&b, 0, "a", "a", 8);
    merge_is(&b, 1, "aa", "a", 2); /* of aa aa a; aa aa stood twice, too */
    merge_is(&b, 2, "aa", "aaa", 2);
    assert_int_equal(b.n_merges, 3);
}

static void training_stops_when_no_pair_stands_twice(void **state) {
    fixture *f = *state;
    bytes corpus = CORPUS("abcdef"), nothing = {NULL, 0};
    bpe b;
    OK(bpe_train(&corpus, "test", 1000, no_words, &f->mem, &b, &f->e));
    assert_int_equal(b.n_tokens, 256);
    assert_int_equal(b.n_merges, 0);
    OK(bpe_train(&nothing, "test", 1000, no_words, &f->mem, &b, &f->e));
    assert_int_equal(b.n_tokens, 256);
}

static void what_cannot_be_trained_on_is_refused(void **state) {
    fixture *f = *state;
    bytes corpus = CORPUS("fine\x1e ab\xff");
    bpe b;
    REFUSED(bpe_train(&corpus, "a file", 1000, no_words, &f->mem, &b, &f->e),
            "a file: document 1");
    REFUSED(bpe_train(&corpus, "a file", 255, no_words, &f->mem, &b, &f->e),
            "255");
}

/* ---- Words ---- */

static void a_rare_word_gets_merges_of_its_own(void **state) {
    fixture *f = *state;
    char *words[] = {" the", " whale", " the", " whales", NULL};
    bytes corpus = CORPUS("a the the the the them them");
    bpe b, plain;
    OK(bpe_train(&corpus, "test", 300, no_words, &f->mem, &plain, &f->e));
    assert_int_equal(plain.n_merges, 4);
    OK(bpe_train(&corpus, "test", 300, words, &f->mem, &b, &f->e));
    assert_int_equal(b.n_merges, 4 + 5 + 1);
    for (size_t k = 0; k < 4; k++)
        assert_memory_equal(&b.merges[k], &plain.merges[k], sizeof(bpe_merge));
    merge_is(&b, 4, " ", "w", 0);
    merge_is(&b, 8, " whal", "e", 0);
    merge_is(&b, 9, " whale", "s", 0);
}

static void the_last_merges_are_given_up_for_words(void **state) {
    fixture *f = *state;
    char *words[] = {"xyz", NULL}, *long_word[] = {"abcdefgh", NULL};
    bytes corpus = CORPUS("a the the the the them them");
    bpe b;
    OK(bpe_train(&corpus, "test", 260, words, &f->mem, &b, &f->e));
    assert_int_equal(b.n_tokens, 260);
    assert_int_equal(b.merges[1].count, 6);
    merge_is(&b, 3, "xy", "z", 0);
    REFUSED(bpe_train(&corpus, "test", 260, long_word, &f->mem, &b, &f->e),
            "too few for the words");
}

/* ---- Against the definition ---- */

enum { WORDS = 3000, LONGEST = 24 };

struct naive {
    int s[WORDS][LONGEST];
    int n[WORDS];
    int n_tokens;
};

/* Counts every pair anew; quadratic and plain. */
static long long naive_best(const struct naive *v, int *left, int *right) {
    static long long count[512][512];
    long long best = 0;
    memset(count, 0, sizeof count);
    for (int w = 0; w < WORDS; w++)
        for (int i = 0; i + 1 < v->n[w]; i++)
            count[v->s[w][i]][v->s[w][i + 1]]++;
    for (int l = 0; l < v->n_tokens; l++)
        for (int r = 0; r < v->n_tokens; r++)
            if (count[l][r] > best) {
                best = count[l][r];
                *left = l;
                *right = r;
            }
    return best;
}

static void naive_merge(struct naive *v, int left, int right) {
    int made = v->n_tokens++;
    for (int w = 0; w < WORDS; w++) {
        int kept = 0, *s = v->s[w];
        for (int i = 0; i < v->n[w]; i++) {
            bool here = s[i] == left && i + 1 < v->n[w] && s[i + 1] == right;
            s[kept++] = here ? made : s[i];
            i += here;
        }
        v->n[w] = kept;
    }
}

/* Words of few letters, so that pairs meet, overlap and tie. */
static void it_merges_as_if_all_pairs_were_counted_anew(void **state) {
    fixture *f = *state;
    struct naive *v = arena_alloc(&f->mem, 1, sizeof *v, &f->e);
    char *text = arena_alloc(&f->mem, WORDS, LONGEST + 2, &f->e);
    unsigned seed = 7;
    size_t n = 0;
    bpe b;
    v->n_tokens = 256;
    for (int w = 0; w < WORDS; w++) {
        seed = seed * 1664525 + 1013904223;
        v->n[w] = 2 + (int)((seed >> 24) % (LONGEST - 1));
        for (int i = 0; i < v->n[w]; i++) {
            seed = seed * 1664525 + 1013904223;
            unsigned r = seed >> 16 & 15;
            v->s[w][i] = i == 0 ? ' ' : r < 12 ? 'a' : r < 15 ? 'b' : 'c';
            text[n++] = (char)v->s[w][i];
        }
    }
    bytes corpus = corpus_of(text, n);
    OK(bpe_train(&corpus, "test", 500, no_words, &f->mem, &b, &f->e));
    assert_int_equal(b.n_tokens, 500);
    assert_int_equal(b.n_merges, b.n_tokens - 256);
    for (size_t k = 0; k < b.n_merges; k++) {
        int left = 0, right = 0;
        long long count = naive_best(v, &left, &right);
        assert_int_equal(b.merges[k].left, left);
        assert_int_equal(b.merges[k].right, right);
        assert_int_equal(b.merges[k].count, count);
        naive_merge(v, left, right);
    }
}

/* ---- The file ---- */

static void the_books_reader_reads_what_was_written(void **state) {
    fixture *f = *state;
    bytes corpus =
        CORPUS("I like green tea \"so\" I drink green tea\\ green_tea 42 \x01"
               "\x1e\t\xc3\xa9t\xc3\xa9 \xe8\x8c\xb6 green tea");
    char *path = arena_printf(&f->mem, &f->e, "%s/tokenizer.json", f->folder);
    const char *text = "green tea, \"so\" 421 \xc3\xa9 _x \\ \x7f\n\n  a";
    tokenizer *t = NULL;
    bpe b;
    int *ids = NULL;
    size_t n = 0, n_back = 0;
    char *back = NULL;
    OK(bpe_train(&corpus, "test", 300, no_words, &f->mem, &b, &f->e));
    OK(bpe_write(path, &b, &f->e));
    OK(tokenizer_open(path, &t, &f->e));
    assert_int_equal(tokenizer_size(t), b.n_tokens + 3);
    assert_int_equal(tokenizer_bos(t), b.n_tokens);
    assert_int_equal(tokenizer_id(t, "<|PAD|>", 7), b.n_tokens + 2);
    assert_true(tokenizer_id(t, " green", 6) >= 256);
    assert_true(tokenizer_id(t, "42", 2) < 0);
    assert_true(tokenizer_id(t, "_tea", 4) < 0);
    for (size_t k = 0; k < b.n_tokens; k++)
        assert_int_equal(tokenizer_id(t, (char *)b.tokens[k].at, b.tokens[k].n),
                         k);
    OK(tokenizer_encode(t, text, strlen(text), &f->mem, &ids, &n, &f->e));
    OK(tokenizer_decode(t, ids, n, &f->mem, &back, &n_back, &f->e));
    assert_string_equal(back, text);
    tokenizer_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(documents_end_in_a_separator_or_with_the_file),
        TEST(every_hundredth_document_is_held_out),
        TEST(the_most_frequent_pair_goes_first),
        TEST(of_equal_pairs_the_smaller_tokens_go_first),
        TEST(a_pair_that_overlaps_itself_is_merged_from_the_left),
        TEST(training_stops_when_no_pair_stands_twice),
        TEST(what_cannot_be_trained_on_is_refused),
        TEST(a_rare_word_gets_merges_of_its_own),
        TEST(the_last_merges_are_given_up_for_words),
        TEST(it_merges_as_if_all_pairs_were_counted_anew),
        TEST(the_books_reader_reads_what_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
