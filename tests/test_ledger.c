/* The ledger, the rules, the file of expected numbers and the program verify,
   which is tangled/verify or what the variable VERIFY names. Run from the root
   of the project. */
#define _XOPEN_SOURCE 700
#include "expected.h"
#include "ledger.h"

#include <fcntl.h>
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static char folder[] = "/tmp/test_ledger.XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static const char *in_folder(const char *name) {
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text) {
    FILE *f = fopen(in_folder(name), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static char *read_text(const char *name) {
    static char text[1 << 16];
    FILE *f = fopen(in_folder(name), "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static void assert_has(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("\"%s\" should have \"%s\"", text, part);
}

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

/* ---- The ledger ---- */

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

/* The value at a path: "entries/5/items/1". */
static const json_t *value_at(const json_t *value, const char *path) {
    while (*path) {
        size_t n = strcspn(path, "/");
        char step[64];
        snprintf(step, sizeof step, "%.*s", (int)n, path);
        value = json_is_array(value)
                    ? json_array_get(value, strtoul(step, NULL, 10))
                    : json_object_get(value, step);
        path += n + (path[n] == '/');
    }
    return value;
}

static const char *text_at(const json_t *value, const char *path) {
    const char *text = json_string_value(value_at(value, path));
    return text ? text : "(none)";
}

static const char *entry_field(const json_t *root, size_t i, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "entries/%zu/%s", i, name);
    return text_at(root, path);
}

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

/* ---- verify ---- */

/* Runs verify in the folder and leaves what it printed in out and err. */
static int verify(const char *arguments, const char *answer) {
    char command[1024];
    const char *program = getenv("VERIFY");
    char *path = realpath(program ? program : "tangled/verify", NULL);
    assert_non_null(path);
    write_text("in", answer);
    snprintf(command, sizeof command, "cd %s && '%s' %s <in >out 2>err", folder,
             path, arguments);
    free(path);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A result with a noise, two digits, a list, a free number and a claim. */
static void write_result(const char *name, double noise, double score,
                         bool holds) {
    error e;
    ledger *l;
    assert_int_equal(ledger_open(&l, "prog", "mini", NULL, &e), 0);
    ledger_section(l, "2", "t");
    ledger_value(l, "2.noise", noise, "%.1e", "noise<=1e-04", "noise");
    ledger_value(l, "2.score", score, "%.2f", "digits", "score");
    ledger_tokens(l, "2.list", tokens, 2, "tokens");
    ledger_value(l, "2.free", score * 7, "%.1f", "free", "random");
    ledger_claim(l, "2.holds", holds, "It holds.");
    assert_int_equal(ledger_close(l, in_folder(name), &e), 0);
}

#define ROW_NOISE "2.noise\t3.3e-06\tnoise<=1e-04\tnoise\n"
#define ROW_SCORE "2.score\t0.37\tdigits\tscore\n"
#define ROW_LIST "2.list\t[\" tea\", \"<|BOS|>\"]\tlist\ttokens\n"
#define ROW_FREE "2.free\t99.9\tfree\trandom\n"
static const char whole[] =
    "# About these\n\n" ROW_FREE "# two\n" ROW_NOISE ROW_SCORE ROW_LIST;

static void verify_accepts_what_agrees(void **state) {
    (void)state;
    write_result("r.json", 1.2e-06, 0.38, true);
    write_text("x.tsv", whole);
    assert_int_equal(verify("--report rep.json r.json=x.tsv", ""), 0);
    const char *out = read_text("out");
    assert_has(out, "2.noise  1.2e-06                     3.3e-06");
    assert_has(out, "free          free\n");
    assert_has(out, "\n4 numbers: 4 ok, 0 mismatches, 0 missing, 0 unexpected; "
                    "1 claims: 1 hold\n");
    assert_string_equal(read_text("err"), "");
    json_t *root = json_load_file(in_folder("rep.json"), 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "set")),
                        "mini");
    assert_string_equal(entry_field(root, 0, "full"), "1.1999999999999999e-06");
    assert_string_equal(entry_field(root, 0, "expected"), "3.3e-06");
    assert_string_equal(entry_field(root, 0, "program"), "prog");
    assert_string_equal(entry_field(root, 3, "verdict"), "ok");
    assert_string_equal(entry_field(root, 4, "verdict"), "ok");
    json_decref(root);
}

static const struct {
    const char *name, *expected;
    bool holds;
    size_t entry;
    const char *verdict, *summary;
} disagreements[] = {
    {"mismatch", ROW_NOISE "2.score\t0.36\tdigits\tscore\n" ROW_LIST ROW_FREE,
     true, 1, "mismatch", "3 ok, 1 mismatches, 0 missing, 0 unexpected; 1"},
    {"missing", ROW_NOISE ROW_SCORE ROW_LIST ROW_FREE "3.gone\t1\texact\tm\n",
     true, 5, "missing", "4 ok, 0 mismatches, 1 missing, 0 unexpected; 1"},
    {"unexpected", ROW_NOISE ROW_LIST ROW_FREE, true, 1, "unexpected",
     "3 ok, 0 mismatches, 0 missing, 1 unexpected; 1"},
    {"rule", ROW_NOISE "2.score\t0.38\tfree\t\n" ROW_LIST ROW_FREE, true, 1,
     "rule differs", "0 unexpected, 1 rules differ; 1 claims"},
    {"claim", ROW_NOISE ROW_SCORE ROW_LIST ROW_FREE, false, 4, "false",
     "1 claims: 0 hold"},
};

static void verify_fails_on_any_disagreement_and_still_reports(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(disagreements); i++) {
        write_result("r.json", 1.2e-06, 0.38, disagreements[i].holds);
        write_text("x.tsv", disagreements[i].expected);
        unlink(in_folder("rep.json"));
        assert_int_equal(verify("--report rep.json r.json=x.tsv", ""), 1);
        assert_has(read_text("out"), disagreements[i].summary);
        assert_has(read_text("err"), "verify: 1 of ");
        json_t *root = json_load_file(in_folder("rep.json"), 0, NULL);
        assert_non_null(root);
        assert_string_equal(
            entry_field(root, disagreements[i].entry, "verdict"),
            disagreements[i].verdict);
        json_decref(root);
    }
}

static const struct {
    const char *arguments, *says;
} mistakes[] = {
    {"", "verify: no result is named"},
    {"--report", "--report: unknown, or without its argument"},
    {"--blss r.json=x.tsv", "--blss: unknown"},
    {"gone.json=x.tsv", "gone.json is not there"},
    {"r.json=gone.tsv", "gone.tsv"},
    {"x.tsv=x.tsv", "x.tsv:1: "},
    {"empty.json=x.tsv", "empty.json: not a result"},
    {"shape.json=x.tsv", "shape.json: entry 1 (k): "},
    {"r.json=x.tsv r.json=x.tsv", "2.noise stands in r.json and in r.json"},
    {"r.json=bad.tsv", "bad.tsv:1: 1 fields"},
    {"--bless r.json", "no file to bless r.json into"},
    {"--bless --published-only gone.json=x.tsv", "gone.json is not there"},
};

static void mistakes_are_named(void **state) {
    (void)state;
    write_result("r.json", 1.2e-06, 0.38, true);
    write_text("x.tsv", whole);
    write_text("bad.tsv", "bad\n");
    write_text("empty.json", "{}");
    write_text("shape.json", "{\"program\":\"\",\"set\":\"\",\"entries\":[{"
                             "\"key\":\"k\",\"kind\":\"value\"}]}");
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        assert_int_equal(verify(mistakes[i].arguments, ""), 1);
        assert_has(read_text("err"), mistakes[i].says);
        assert_string_equal(read_text("x.tsv"), whole);
    }
}

static void without_expectations_nothing_is_verified(void **state) {
    (void)state;
    write_result("r.json", 1.2e-06, 0.38, true);
    assert_int_equal(verify("--set own --report rep.json r.json", ""), 0);
    assert_has(read_text("out"), "0 unexpected, 4 unverified; 1 claims: 1");
    assert_has(read_text("rep.json"), "\"set\": \"own\"");
}

static void published_numbers_need_no_run(void **state) {
    (void)state;
    write_text("x.tsv", "3.w\t[0.37, -0.10]\tdigits\tm\n"
                        "3.t\t[\" tea\", \"a, b\"]\tlist\t\n"
                        "3.p\t\" tea\"\texact\t\n10.d\t64\texact\t\n");
    assert_int_equal(
        verify("--published-only --set attn-only --report rep.json "
               "gone.json=x.tsv",
               ""),
        0);
    assert_has(read_text("out"), "4 published, not run; 0 claims");
    json_t *root = json_load_file(in_folder("rep.json"), 0, NULL);
    assert_non_null(root);
    static const char *const kinds[] = {"numbers", "tokens", "tokens", "value"};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(entry_field(root, i, "verdict"), "published");
        assert_string_equal(entry_field(root, i, "kind"), kinds[i]);
    }
    assert_string_equal(entry_field(root, 0, "text"), "[0.37, -0.10]");
    assert_string_equal(entry_field(root, 3, "section"), "10");
    assert_string_equal(text_at(root, "entries/0/items/1"), "-0.10");
    assert_string_equal(text_at(root, "entries/1/items/1"), "a, b");
    assert_string_equal(text_at(root, "entries/2/items/0"), " tea");
    json_decref(root);
}

/* ---- Blessing ---- */

static void what_passes_needs_no_blessing(void **state) {
    (void)state;
    write_result("r.json", 1.2e-06, 0.38, true);
    write_text("x.tsv", whole);
    assert_int_equal(verify("--bless r.json=x.tsv", "y\n"), 0);
    assert_string_equal(read_text("out"), "x.tsv: nothing to bless\n");
    assert_string_equal(read_text("x.tsv"), whole);
}

static void blessing_asks_and_takes_yes_only(void **state) {
    (void)state;
    static const char *const answers[] = {"", "\n", "n\n", "yess\n", "Yes"};
    write_result("r.json", 1.2e-06, 0.55, true);
    write_text("x.tsv", whole);
    for (size_t i = 0; i < COUNT(answers); i++) {
        assert_int_equal(verify("--bless r.json=x.tsv", answers[i]), 1);
        assert_has(read_text("out"), "  2.score: 0.37 -> 0.55\n"
                                     "Write 1 change to x.tsv? [y/N] ");
        assert_has(read_text("err"), "x.tsv is left as it was");
        assert_string_equal(read_text("x.tsv"), whole);
    }
    assert_int_equal(verify("--bless r.json=x.tsv", "y\n"), 0);
    assert_string_equal(read_text("x.tsv"),
                        "# About these\n\n" ROW_FREE "# two\n" ROW_NOISE
                        "2.score\t0.55\tdigits\tscore\n" ROW_LIST);
    assert_int_equal(verify("r.json=x.tsv", ""), 0);
}

static void blessing_adds_and_removes_where_the_program_says(void **state) {
    (void)state;
    write_result("r.json", 1.2e-06, 0.38, true);
    write_text("x.tsv", "# head\n# old\n9.old\t1\texact\tm\n" ROW_FREE
                        "2.score\t0.38\texact\tsaid\n# end\n");
    assert_int_equal(verify("--bless --yes r.json=x.tsv", ""), 0);
    const char *out = read_text("out");
    assert_has(out, "  9.old: removed, was 1\n");
    assert_has(out, "  2.score, rule: exact -> digits\n"
                    "  2.score, meaning: said -> score\n");
    assert_has(out, "  2.noise: new, 1.2e-06\n");
    assert_has(out, "  2.list: new, [");
    assert_string_equal(
        read_text("x.tsv"),
        "# head\n# old\n2.noise\t1.2e-06\tnoise<=1e-04\tnoise\n" ROW_FREE
        "2.score\t0.38\tdigits\tscore\n" ROW_LIST "# end\n");
    assert_int_equal(verify("r.json=x.tsv", ""), 0);
}

static void a_first_blessing_makes_the_file(void **state) {
    (void)state;
    write_result("r.json", 1.2e-06, 0.37, true);
    unlink(in_folder("new.tsv"));
    assert_int_equal(verify("--bless r.json=new.tsv", "yes\n"), 0);
    assert_string_equal(
        read_text("new.tsv"),
        "# key\tprinted\trule\tmeaning\n"
        "2.noise\t1.2e-06\tnoise<=1e-04\tnoise\n" ROW_SCORE ROW_LIST
        "2.free\t2.6\tfree\trandom\n");
    assert_int_equal(verify("--bless r.json=new.tsv", ""), 0);
}

static void too_much_noise_is_not_blessed(void **state) {
    (void)state;
    write_result("r.json", 2e-04, 0.37, true);
    write_text("x.tsv", whole);
    assert_int_equal(verify("--bless --yes r.json=x.tsv", ""), 1);
    assert_has(read_text("err"), "2.noise: its rule, noise<=1e-04, refuses");
    assert_string_equal(read_text("x.tsv"), whole);
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
        cmocka_unit_test(a_report_is_printed_and_written_once),
        cmocka_unit_test(long_lists_are_broken_between_items),
        cmocka_unit_test(a_failure_stays_until_closing_and_nothing_is_written),
        cmocka_unit_test(nothing_is_reported_before_the_first_section),
        cmocka_unit_test(a_full_disk_is_a_failure),
        cmocka_unit_test(verify_accepts_what_agrees),
        cmocka_unit_test(verify_fails_on_any_disagreement_and_still_reports),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(without_expectations_nothing_is_verified),
        cmocka_unit_test(published_numbers_need_no_run),
        cmocka_unit_test(what_passes_needs_no_blessing),
        cmocka_unit_test(blessing_asks_and_takes_yes_only),
        cmocka_unit_test(blessing_adds_and_removes_where_the_program_says),
        cmocka_unit_test(a_first_blessing_makes_the_file),
        cmocka_unit_test(too_much_noise_is_not_blessed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
