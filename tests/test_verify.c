/* The program verify, which is tangled/verify or what the variable VERIFY
   names. Run from the root of the project. */
#define _XOPEN_SOURCE 700
#include "ledger.h"

#include "results.h"

#include <sys/wait.h>
#include <unistd.h>

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
    ledger_tokens(l, "2.list", (const char *[]){" tea", "<|BOS|>"}, 2,
                  "tokens");
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
