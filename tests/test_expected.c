/* The rules and the file of expected numbers. */
#define _XOPEN_SOURCE 700
#include "expected.h"

#include "results.h"

/* ---- Rules ---- */

/* The verdicts are worked out by hand from the words of the rule. */
static const struct {
    const char *rule, *text, *full, *printed;
    bool agrees;
} verdicts[] = {
    {"exact", "64", "64", "64", true},
    {"exact", "64", "64", "64.0", false},
    {"exact", "[64, 512]", "[64, 512]", "[64, 512]", true},
    {"exact", "", "", "", true},
    {"exact", "\" tea\"", "\" tea\"", "\"tea\"", false},
    {"exact", "nan", "nan", "nan", true},

    {"digits", "0.37", "", "0.37", true},
    {"digits", "0.38", "", "0.37", true}, /* 0.01000000000000000888 in binary */
    {"digits", "0.36", "", "0.37", true},
    {"digits", "0.39", "", "0.37", false},
    {"digits", "10.00", "", "9.99", true},
    {"digits", "10.01", "", "9.99", false},
    {"digits", "4.62", "", "4.61", true},
    {"digits", "2.866", "", "2.868", false},
    {"digits", "0.0", "", "-0.1", true},
    {"digits", "-0.0", "", "0.1", true},
    {"digits", "0.1", "", "-0.1", false},
    {"digits", "-0.1", "", "0.1", false},
    {"digits", "+0.1", "", "0.1", true},
    {"digits", "64", "", "65", true}, /* the last place is the ones */
    {"digits", "64", "", "66", false},
    {"digits", ".5", "", "0.5", true},
    /* another count of decimals is another format */
    {"digits", "0.370", "", "0.37", false},
    {"digits", "0.4", "", "0.37", false},
    {"digits", "64", "", "64.0", false},
    /* exponents: the finer last place counts */
    {"digits", "1.2e-06", "", "1.2e-06", true},
    {"digits", "1.3e-06", "", "1.2e-06", true},
    {"digits", "1.4e-06", "", "1.2e-06", false},
    {"digits", "1.2e-05", "", "1.2e-06", false},
    {"digits", "1.0e-06", "", "9.9e-07", true},
    {"digits", "9.9e-07", "", "1.0e-06", true},
    {"digits", "1.0e-06", "", "9.8e-07", false},
    {"digits", "1.1e-06", "", "9.9e-07", false},
    {"digits", "0.0e+00", "", "1.0e-07", false},
    {"digits", "0.0e+00", "", "0.0e-09", true},
    {"digits", "0.0012", "", "1.2e-03", false},
    {"digits", "1e+300", "", "1e-300", false},
    /* lists: the finest place in the list, element by element */
    {"digits", "[0.37, 0.36, 0.15]", "", "[0.36, 0.37, 0.15]", true},
    {"digits", "[0.37, 0.35, 0.15]", "", "[0.36, 0.37, 0.15]", false},
    {"digits", "[0.37, 0.36]", "", "[0.37, 0.36, 0.15]", false},
    {"digits", "[0.37, 0.36, 0.15]", "", "[0.37, 0.36]", false},
    {"digits", "[2.62, 2.30]", "", "[2.62, 2.3]", true},
    {"digits", "[2.62, 2.31]", "", "[2.62, 2.3]", true},
    {"digits", "[2.62, 2.32]", "", "[2.62, 2.3]", false},
    {"digits", "[2.6, 2.3]", "", "[2.62, 2.3]", false},
    {"digits", "[0.37]", "", "0.37", false},
    {"digits", "[]", "", "[]", true},
    {"digits", "[]", "", "[0]", false},
    /* what is no number agrees with nothing */
    {"digits", "nan", "", "nan", false},
    {"digits", "inf", "", "inf", false},
    {"digits", "", "", "", false},
    {"digits", "-", "", "-", false},
    {"digits", "1.2.3", "", "1.2.3", false},
    {"digits", "1e", "", "1e", false},
    {"digits", "0.37 ", "", "0.37 ", false},
    {"digits", "[0.37", "", "[0.37", false},
    {"digits", "[0.37,]", "", "[0.37,]", false},
    {"digits", "[0.37, ]", "", "[0.37, ]", false},
    {"digits", "[0.37]]", "", "[0.37]]", false},
    {"digits", "[0.37,0.3]", "", "[0.37,0.3]", false},
    {"digits", "[0.37, nan]", "", "[0.37, nan]", false},
    {"digits", "99999999999999999999", "", "99999999999999999999", false},
    {"digits", "9223372036854775807", "", "-9223372036854775807", false},

    {"noise<=1e-04", "1.2e-06", "1.1920928955078125e-06", "9.9e-05", true},
    {"noise<=1e-04", "-1.2e-06", "-1.1920928955078125e-06", "1.2e-06", true},
    {"noise<=1e-04", "1.0e-04", "0.0001", "1.2e-06", true},
    {"noise<=1e-04", "1.0e-04", "0.00010000000000000002", "1.2e-06", false},
    {"noise<=1e-04", "0.0e+00", "0", "1.2e-06", true},
    {"noise<=1e-04", "nan", "nan", "1.2e-06", false},
    {"noise<=1e-04", "-nan", "-nan", "1.2e-06", false},
    {"noise<=1e-04", "inf", "inf", "1.2e-06", false},
    {"noise<=1e-04", "-inf", "-inf", "1.2e-06", false},
    {"noise<=1e-04", "", "", "1.2e-06", false},
    {"noise<=1e-04", "small", "small", "1.2e-06", false},
    {"noise<=1e-04", "", "[1e-05, -1e-05]", "[0, 0]", true},
    {"noise<=1e-04", "", "[1e-05, -1e-03]", "[0, 0]", false},
    {"noise<=0", "0", "0", "0", true},
    {"noise<=0", "0", "5e-324", "0", false},

    {"list", "[\" tea\", \"x\"]", "", "[\" tea\", \"x\"]", true},
    {"list", "[\" tea\",\"x\"]", "", "[\" tea\", \"x\"]", true},
    {"list", "[\"x\", \" tea\"]", "", "[\" tea\", \"x\"]", false},
    {"list", "[\" tea\"]", "", "[\" tea\", \"x\"]", false},
    {"list", "[\"r\xc3\xa8s\"]", "", "[\"r\\u00e8s\"]", true},
    {"list", "[\"\\\\\", \"]\\\"\"]", "", "[\"\\\\\", \"]\\\"\"]", true},
    {"list", "[]", "", "[]", true},
    {"list", "\" tea\"", "", "\" tea\"", false},
    {"list", " tea", "", " tea", false},

    {"free", "4.62", "4.62", "5.28", true},
    {"free", "", "", "", true},
};

static void rules_give_the_verdicts_of_the_table(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(verdicts); i++) {
        assert_true(expected_rule_known(verdicts[i].rule));
        bool agrees = expected_agrees(verdicts[i].rule, verdicts[i].text,
                                      verdicts[i].full, verdicts[i].printed);
        if (agrees != verdicts[i].agrees)
            fail_msg("%s: %s (%s) against %s should %sagree", verdicts[i].rule,
                     verdicts[i].text, verdicts[i].full, verdicts[i].printed,
                     verdicts[i].agrees ? "" : "not ");
    }
}

static void other_rules_are_unknown(void **state) {
    (void)state;
    static const char *const rules[] = {
        "",           "Exact",       "exact ",      "noise",
        "noise<=",    "noise<=x",    "noise<=-1",   "noise<=1e-4x",
        "noise<=inf", "noise<= 0.1", "noise<1e-04", "noise<=1e999"};
    for (size_t i = 0; i < COUNT(rules); i++)
        if (expected_rule_known(rules[i]))
            fail_msg("\"%s\" should not be a rule", rules[i]);
}

/* ---- The file of expected numbers ---- */

static int parse(const char *text, arena *a, expected *x, error *e) {
    return expected_parse((const unsigned char *)text, strlen(text), "x.tsv", a,
                          x, e);
}

static const struct {
    const char *text, *says;
} broken[] = {
    {"# a\n\nk\t1\n", "x.tsv:3: 2 fields"},
    {"k\n", "x.tsv:1: 1 fields"},
    {"k\t1\texact\tmeaning\tmore", "x.tsv:1: 5 fields"},
    {"\t1\texact\t", "x.tsv:1: the key is empty"},
    {"k\t1\texact\t\n# c\nj\t1\texact\t\nk\t2\texact\t\n",
     "x.tsv:4: k stands here for the second time"},
    {"k\t1\tabout\tm\n", "x.tsv:1: k: unknown rule \"about\" (known: exact"},
    {"k\t1\tnoise<=tiny\tm\n", "x.tsv:1: k: unknown rule \"noise<=tiny\""},
    {"k\t1\tnoise<=1e-04\tm\n", "its rule, noise<=1e-04, refuses its value, 1"},
    {"k\tnan\tdigits\tm\n", "its rule, digits, refuses its value, nan"},
    {"k\t[\"a\"\tlist\tm\n", "its rule, list, refuses its value"},
    {"a\t1\texact\t\nk\t\xff\texact\tm\n", "x.tsv:2: not UTF-8"},
};

static void a_broken_line_is_named(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(broken); i++) {
        arena a = {0};
        expected x;
        error e = {0};
        assert_int_equal(parse(broken[i].text, &a, &x, &e), -1);
        assert_has(e.message, broken[i].says);
        assert_null(strchr(e.message, '\n'));
        arena_free(&a);
    }
}

static void a_zero_byte_is_no_text(void **state) {
    (void)state;
    arena a = {0};
    expected x;
    error e;
    static const unsigned char text[] = "a\t1\texact\nk\0\t1\texact\n";
    assert_int_equal(expected_parse(text, sizeof text - 1, "x.tsv", &a, &x, &e),
                     -1);
    assert_has(e.message, "x.tsv:2: not UTF-8 text");
    arena_free(&a);
}

static void rows_are_read_as_they_stand(void **state) {
    (void)state;
    arena a = {0};
    expected x;
    error e;
    assert_int_equal(parse("# head\n\nb\t1\texact\r\n# more\n"
                           "a\t[\" x\", \"\\t\"]\tlist\tsaid \"so\"",
                           &a, &x, &e),
                     0);
    assert_int_equal(x.n, 2);
    assert_string_equal(x.heading, "# head\n\n");
    assert_string_equal(x.rows[0].key, "b");
    assert_string_equal(x.rows[0].rule, "exact");
    assert_string_equal(x.rows[0].meaning, "");
    assert_string_equal(x.rows[1].comment, "# more\n");
    assert_string_equal(x.rows[1].printed, "[\" x\", \"\\t\"]");
    assert_string_equal(x.rows[1].meaning, "said \"so\"");
    assert_ptr_equal(expected_find(&x, "a"), &x.rows[1]);
    assert_null(expected_find(&x, "c"));
    arena_free(&a);
}

static void empty_files_have_no_rows(void **state) {
    (void)state;
    static const char *const texts[] = {"", "\n", "# only this", "  \n\r\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        arena a = {0};
        expected x;
        error e;
        assert_int_equal(parse(texts[i], &a, &x, &e), 0);
        assert_int_equal(x.n, 0);
        assert_string_equal(x.heading, texts[i]);
        arena_free(&a);
    }
    arena a = {0};
    expected x;
    error e;
    assert_int_equal(expected_parse(NULL, 0, "x.tsv", &a, &x, &e), 0);
    assert_int_equal(x.n, 0);
    arena_free(&a);
}

static void writing_gives_back_what_was_read(void **state) {
    (void)state;
    static const char text[] = "# head\n\nb\t1\texact\t\n# more\n\n"
                               "a\t0.5\tdigits\tm\n# end\n";
    arena a = {0};
    expected x;
    error e;
    assert_int_equal(parse(text, &a, &x, &e), 0);
    assert_int_equal(expected_write(in_folder("same.tsv"), &x, &e), 0);
    assert_string_equal(read_text("same.tsv"), text);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_give_the_verdicts_of_the_table),
        cmocka_unit_test(other_rules_are_unknown),
        cmocka_unit_test(a_broken_line_is_named),
        cmocka_unit_test(a_zero_byte_is_no_text),
        cmocka_unit_test(rows_are_read_as_they_stand),
        cmocka_unit_test(empty_files_have_no_rows),
        cmocka_unit_test(writing_gives_back_what_was_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
