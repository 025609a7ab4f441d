/* The ledger. */
#define _XOPEN_SOURCE 700
#include "ledger.h"

#include "results.h"

#include <float.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const tokens[] = {" tea", "<|BOS|>", "\"\\", "\xc3\xa8"};

static void report_everything(ledger *l) {
    static const double weights[] = {0.371, 0.366, 0.154};
    static const char *const columns[] = {"head", "score"};
    static const char *const cells[] = {"0.0", "1.5", "0.6", "-12.25"};
    ledger_section(l, "2", "Heads add");
    ledger_value(l, "2.noise", 1.1920928955078125e-06, "%.1e", "noise<=1e-04",
                 "max |a - %s|", "b");
    ledger_count(l, "2.d", -32768L, "numbers");
    ledger_section(l, "3", "Words");
    ledger_say(l, "one\ntwo %d", 2);
    ledger_text(l, "3.shape", "[64, 512]", "shape");
    ledger_token(l, "3.token", " tea", "prediction");
    ledger_tokens(l, "3.list", tokens, COUNT(tokens), "tokens");
    ledger_numbers(l, "3.w", weights, 3, "%.2f", "digits", "weights");
    ledger_table(l, "3.t", 2, columns, 2, cells, "a table");
    ledger_claim(l, "3.yes", true, "It %s.", "holds");
    ledger_claim(l, "3.no", false, "It does not.");
}

static const char printed[] =
    "2  Heads add\n"
    "------------\n"
    "  max |a - b| ......................................... 1.2e-06\n"
    "  numbers ............................................. -32768\n"
    "\n"
    "3  Words\n"
    "--------\n"
    "one\n"
    "two 2\n"
    "  shape ............................................... [64, 512]\n"
    "  prediction .......................................... \" tea\"\n"
    "  tokens:\n"
    "      [\" tea\", \"<|BOS|>\", \"\\\"\\\\\", \"\xc3\xa8\"]\n"
    "  weights ............................................. "
    "[0.37, 0.37, 0.15]\n"
    "  a table:\n"
    "  head   score\n"
    "   0.0     1.5\n"
    "   0.6  -12.25\n"
    "  [checked] It holds.\n"
    "  [FALSE] It does not.\n";

static void check_entries(json_t *root) {
    static const char *const entries[][6] = {
        {"2.noise", "value", "1.2e-06", "1.1920928955078125e-06",
         "noise<=1e-04", "max |a - b|"},
        {"2.d", "value", "-32768", "-32768", "exact", "numbers"},
        {"3.shape", "text", "[64, 512]", "[64, 512]", "exact", "shape"},
        {"3.token", "tokens", "\" tea\"", "\" tea\"", "exact", "prediction"},
        {"3.list", "tokens",
         "[\" tea\", \"<|BOS|>\", \"\\\"\\\\\", \"\u00e8\"]",
         "[\" tea\", \"<|BOS|>\", \"\\\"\\\\\", \"\u00e8\"]", "list", "tokens"},
        {"3.w", "numbers", "[0.37, 0.37, 0.15]",
         "[0.371, 0.36599999999999999, 0.154]", "digits", "weights"},
        {"3.yes", "claim", "It holds.", "(none)", "(none)", "(none)"},
        {"3.no", "claim", "It does not.", "(none)", "(none)", "(none)"}};
    static const char *const fields[] = {"key",  "kind", "text",
                                         "full", "rule", "meaning"};
    assert_int_equal(json_array_size(json_object_get(root, "entries")),
                     COUNT(entries));
    for (size_t i = 0; i < COUNT(entries); i++) {
        for (size_t f = 0; f < COUNT(fields); f++)
            assert_string_equal(entry_field(root, i, fields[f]), entries[i][f]);
        assert_string_equal(entry_field(root, i, "section"), i < 2 ? "2" : "3");
        assert_string_equal(entry_field(root, i, "function"),
                            "report_everything");
    }
}

static void a_report_is_printed_and_written_once(void **state) {
    (void)state;
    error e;
    ledger *l;
    FILE *human = fopen(in_folder("human"), "w");
    assert_int_equal(ledger_open(&l, "prog", "mini", human, &e), 0);
    report_everything(l);
    assert_int_equal(ledger_false_claims(l), 1);
    assert_int_equal(ledger_close(l, in_folder("all.json"), &e), 0);
    fclose(human);
    assert_string_equal(read_text("human"), printed);

    json_t *root = json_load_file(in_folder("all.json"), 0, NULL);
    assert_non_null(root);
    check_entries(root);
    assert_string_equal(text_at(root, "program"), "prog");
    assert_string_equal(text_at(root, "set"), "mini");
    assert_string_equal(text_at(root, "sections/1/id"), "3");
    assert_string_equal(text_at(root, "sections/1/title"), "Words");
    assert_string_equal(text_at(root, "sections/1/lines/1"), "two 2");
    assert_string_equal(text_at(root, "tables/0/key"), "3.t");
    assert_string_equal(text_at(root, "tables/0/columns/1"), "score");
    assert_string_equal(text_at(root, "tables/0/rows/1/1"), "-12.25");
    assert_true(json_is_true(value_at(root, "entries/6/holds")));
    assert_true(json_is_false(value_at(root, "entries/7/holds")));
    assert_string_equal(text_at(root, "entries/5/items/1"), "0.37");
    assert_string_equal(text_at(root, "entries/4/items/0"), " tea");
    assert_string_equal(text_at(root, "entries/4/items/2"), "\"\\");
    json_decref(root);
}

static void long_lists_are_broken_between_items(void **state) {
    (void)state;
    error e;
    ledger *l;
    static const char *const many[] = {
        ", ", "aaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbb",
        "cccccccccccccccccccc", "dddddddddddddddddddd"};
    FILE *human = fopen(in_folder("human"), "w");
    assert_int_equal(ledger_open(&l, "p", "s", human, &e), 0);
    ledger_section(l, "1", "t");
    ledger_tokens(l, "k", many, COUNT(many), "list");
    ledger_tokens(l, "none", many, 0, "no tokens");
    assert_int_equal(ledger_close(l, NULL, &e), 0);
    fclose(human);
    assert_string_equal(
        read_text("human"),
        "1  t\n----\n  list:\n"
        "      [\", \", \"aaaaaaaaaaaaaaaaaaaa\", \"bbbbbbbbbbbbbbbbbbbb\",\n"
        "       \"cccccccccccccccccccc\", \"dddddddddddddddddddd\"]\n"
        "  no tokens ........................................... []\n");
}

static void report_twice(ledger *l) {
    ledger_count(l, "k", 1, "m");
    ledger_claim(l, "k", true, "s");
}

static void report_nan(ledger *l) {
    ledger_value(l, "k.nan", (double)NAN, "%.1f", "exact", "m");
}

static void report_infinity(ledger *l) {
    static const double v[] = {1, (double)INFINITY};
    ledger_numbers(l, "k.inf", v, 2, "%.1f", "exact", "m");
}

static void report_integer_format(ledger *l) {
    ledger_value(l, "k.d", 1, "%d", "exact", "m");
}

static void report_two_formats(ledger *l) {
    ledger_value(l, "k.2", 1, "%f%f", "exact", "m");
}

static void report_unknown_rule(ledger *l) {
    ledger_value(l, "k.rule", 1, "%.1f", "about", "m");
}

static void report_broken_token(ledger *l) {
    static const char *const cut[] = {"ok", "\xc3"};
    ledger_tokens(l, "k.cut", cut, 2, "m");
}

static void report_broken_text(ledger *l) {
    ledger_text(l, "k.text", "\xff", "m");
}

static void report_broken_line(ledger *l) {
    ledger_say(l, "a \xff line");
}

static void report_tab(ledger *l) {
    ledger_text(l, "k.tab", "a\tb", "m");
}

static void report_comment_key(ledger *l) {
    ledger_count(l, "#k", 1, "m");
}

static void report_section_twice(ledger *l) {
    ledger_section(l, "1", "again");
}

static const struct {
    void (*report)(ledger *);
    const char *says;
} failures[] = {
    {report_twice, "k is reported twice, by report_twice and by report_twice"},
    {report_nan, "k.nan: the number is nan"},
    {report_infinity, "k.inf: the number is inf"},
    {report_integer_format, "k.d: \"%d\" is not a format for one number"},
    {report_two_formats, "k.2: \"%f%f\" is not a format"},
    {report_unknown_rule, "k.rule: unknown rule \"about\""},
    {report_broken_token, "k.cut: the token"},
    {report_broken_text, "not UTF-8"},
    {report_broken_line, "a line is not UTF-8"},
    {report_tab, "k.tab: a tab, a new line"},
    {report_comment_key, "\"#k\" cannot be a key"},
    {report_section_twice, "section 1 is opened twice"},
};

static void a_failure_stays_until_closing_and_nothing_is_written(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(failures); i++) {
        error e;
        ledger *l;
        write_text("old.json", "old");
        assert_int_equal(ledger_open(&l, "p", "s", NULL, &e), 0);
        ledger_section(l, "1", "t");
        failures[i].report(l);
        ledger_count(l, "later", 1, "m");
        assert_int_equal(ledger_close(l, in_folder("old.json"), &e), -1);
        assert_has(e.message, failures[i].says);
        assert_string_equal(read_text("old.json"), "old");
    }
}

static void nothing_is_reported_before_the_first_section(void **state) {
    (void)state;
    error e;
    ledger *l;
    assert_int_equal(ledger_open(&l, "p", "s", NULL, &e), 0);
    report_twice(l);
    assert_int_equal(ledger_close(l, NULL, &e), -1);
    assert_has(e.message, "reported before the first section:   m ....");
}

static void a_full_disk_is_a_failure(void **state) {
    (void)state;
    error e;
    ledger *l;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    assert_int_equal(ledger_open(&l, "p", "s", full, &e), 0);
    ledger_section(l, "1", "t");
    assert_int_equal(ledger_close(l, in_folder("full.json"), &e), -1);
    assert_has(e.message, "cannot print the results");
    assert_int_not_equal(access(in_folder("full.json"), F_OK), 0);
    fclose(full);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_is_printed_and_written_once),
        cmocka_unit_test(long_lists_are_broken_between_items),
        cmocka_unit_test(a_failure_stays_until_closing_and_nothing_is_written),
        cmocka_unit_test(nothing_is_reported_before_the_first_section),
        cmocka_unit_test(a_full_disk_is_a_failure),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
