/* Errors and memory. */
#define _XOPEN_SOURCE 700
#include "golden.h"

#include <stdint.h>

enum { ROOM = sizeof((error){0}.message) };

/* ---- Errors ---- */

static void a_message_is_formatted_and_the_status_is_minus_one(void **state) {
    fixture *f = *state;
    assert_int_equal(error_set(&f->e, "%s: %d of %zu", "a file", -3, (size_t)7),
                     -1);
    assert_string_equal(f->e.message, "a file: -3 of 7");
}

static void a_new_message_replaces_the_old_one(void **state) {
    fixture *f = *state;
    error_set(&f->e, "a long first message");
    error_set(&f->e, "short");
    assert_string_equal(f->e.message, "short");
}

static void control_characters_become_question_marks(void **state) {
    fixture *f = *state;
    error_set(&f->e, "%s", "one\ntwo\r\x1b[31m\t\x7f\x01.");
    assert_string_equal(f->e.message, "one?two??[31m???.");
}

static void text_beyond_ascii_is_kept(void **state) {
    fixture *f = *state;
    error_set(&f->e, "%s", "Kapit\xc3\xa4n \xe2\x86\x92 \xf0\x9f\x90\x8b");
    assert_string_equal(f->e.message,
                        "Kapit\xc3\xa4n \xe2\x86\x92 \xf0\x9f\x90\x8b");
}

static void percent_signs_in_what_is_quoted_are_only_text(void **state) {
    fixture *f = *state;
    error_set(&f->e, "%s", "100%s %n");
    assert_string_equal(f->e.message, "100%s %n");
    assert_int_equal(error_in(&f->e, "50%d"), -1);
    assert_string_equal(f->e.message, "50%d: 100%s %n");
}

static void a_message_that_just_fits_is_not_cut(void **state) {
    fixture *f = *state;
    error_set(&f->e, "%0*d", ROOM - 1, 0);
    assert_int_equal(strlen(f->e.message), ROOM - 1);
    assert_null(strchr(f->e.message, '.'));
}

static void a_message_too_long_is_cut_and_ends_in_dots(void **state) {
    fixture *f = *state;
    error_set(&f->e, "%0*d", ROOM, 0);
    assert_int_equal(strlen(f->e.message), ROOM - 1);
    assert_string_equal(f->e.message + ROOM - 5, "0...");
}

/* A path may be any bytes, also ones that would all be inside a character. */
static void a_message_of_stray_bytes_is_cut_near_its_end(void **state) {
    fixture *f = *state;
    char stray[2 * ROOM];
    memset(stray, 0x80, sizeof stray - 1);
    stray[sizeof stray - 1] = 0;
    error_set(&f->e, "%s", stray);
    assert_int_equal(strlen(f->e.message), ROOM - 4);
    assert_string_equal(f->e.message + ROOM - 8, "\x80...");
}

static void where_stands_in_front_also_of_a_full_message(void **state) {
    fixture *f = *state;
    error_set(&f->e, "inner");
    error_in(&f->e, "a/b\nc");
    assert_string_equal(f->e.message, "a/b?c: inner");
    error_set(&f->e, "%0*d", ROOM - 1, 0);
    error_in(&f->e, "outer");
    assert_int_equal(strncmp(f->e.message, "outer: 000", 10), 0);
    assert_string_equal(f->e.message + ROOM - 5, "0...");
}

/* ---- Memory ---- */

static void memory_is_zero_aligned_and_apart(void **state) {
    fixture *f = *state;
    unsigned char *all[200];
    for (size_t i = 0; i < COUNT(all); i++) {
        all[i] = arena_alloc(&f->mem, i, 3, &f->e);
        assert_non_null(all[i]);
        assert_int_equal((uintptr_t)all[i] % 64, 0);
        for (size_t b = 0; b < 3 * i; b++)
            assert_int_equal(all[i][b], 0);
        memset(all[i], (int)i, 3 * i);
    }
    for (size_t i = 0; i < COUNT(all); i++)
        for (size_t b = 0; b < 3 * i; b++)
            assert_int_equal(all[i][b], i);
}

static void nothing_has_a_place_too(void **state) {
    fixture *f = *state;
    assert_non_null(arena_alloc(&f->mem, 0, 8, &f->e));
    assert_non_null(arena_alloc(&f->mem, 8, 0, &f->e));
}

static void a_product_that_overflows_is_refused(void **state) {
    fixture *f = *state;
    assert_null(arena_alloc(&f->mem, SIZE_MAX / 2, 3, &f->e));
    assert_says(&f->e, "items of 3 bytes: overflow");
    assert_null(arena_alloc(&f->mem, SIZE_MAX, 1, &f->e)); /* no header fits */
    assert_says(&f->e, "overflow");
    assert_non_null(arena_alloc(&f->mem, 1, 1, &f->e)); /* still of use */
}

static void memory_that_is_not_there_is_refused(void **state) {
    fixture *f = *state;
    assert_null(arena_alloc(&f->mem, SIZE_MAX / 4, 1, &f->e));
    assert_says(&f->e, "out of memory");
    char *part = arena_printf(&f->mem, &f->e, "%zu bytes", SIZE_MAX / 4);
    assert_says(&f->e, part);
}

static void an_arena_can_be_emptied_and_used_again(void **state) {
    fixture *f = *state;
    arena_free(&f->mem); /* of nothing */
    memset(arena_alloc(&f->mem, 1000, 1, &f->e), 'x', 1000);
    arena_free(&f->mem);
    arena_free(&f->mem);
    assert_null(f->mem.blocks);
    const char *again = arena_alloc(&f->mem, 1000, 1, &f->e);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(again[i], 0);
}

static void text_of_any_length_is_printed(void **state) {
    fixture *f = *state;
    assert_string_equal(arena_printf(&f->mem, &f->e, "%s.%d", "head", 3),
                        "head.3");
    assert_string_equal(arena_printf(&f->mem, &f->e, "%s", ""), "");
    char *text = arena_printf(&f->mem, &f->e, "%0*d!", 100000, 7);
    assert_int_equal(strlen(text), 100001);
    assert_string_equal(text + 99998, "07!");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_message_is_formatted_and_the_status_is_minus_one),
        TEST(a_new_message_replaces_the_old_one),
        TEST(control_characters_become_question_marks),
        TEST(text_beyond_ascii_is_kept),
        TEST(percent_signs_in_what_is_quoted_are_only_text),
        TEST(a_message_that_just_fits_is_not_cut),
        TEST(a_message_too_long_is_cut_and_ends_in_dots),
        TEST(a_message_of_stray_bytes_is_cut_near_its_end),
        TEST(where_stands_in_front_also_of_a_full_message),
        TEST(memory_is_zero_aligned_and_apart),
        TEST(nothing_has_a_place_too),
        TEST(a_product_that_overflows_is_refused),
        TEST(memory_that_is_not_there_is_refused),
        TEST(an_arena_can_be_emptied_and_used_again),
        TEST(text_of_any_length_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
