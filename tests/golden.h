/* What the tests of the library share: an arena and a folder for each test, the
   golden files, and models made by hand. The tests run from the root of the
   project. A file that includes this one defines _XOPEN_SOURCE 700 first. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include "file.h"
#include "model.h"
#include "safetensors.h"

#include <ftw.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Fills an array of floats (doubles) from its start. */
#define FILL(at, ...)                                                          \
    memcpy((at), (float[]){__VA_ARGS__}, sizeof((float[]){__VA_ARGS__}))
#define FILL_DOUBLES(at, ...)                                                  \
    memcpy((at), (double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}))

/* ---- What each test has ---- */

typedef struct {
    arena mem;
    error e;
    char folder[32]; /* empty at the start, removed at the end */
} fixture;

static inline int fixture_setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    if (!f)
        return -1;
    strcpy(f->folder, "/tmp/test_book.XXXXXX");
    return mkdtemp(f->folder) ? 0 : -1;
}

static inline int fixture_remove(const char *path, const struct stat *s,
                                 int type, struct FTW *where) {
    (void)s, (void)type, (void)where;
    return remove(path);
}

static inline int fixture_teardown(void **state) {
    fixture *f = *state;
    int status = nftw(f->folder, fixture_remove, 8, FTW_DEPTH | FTW_PHYS);
    arena_free(&f->mem);
    free(f);
    return status;
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

/* ---- Expectations ---- */

/* A call that must succeed; a failure shows its message. */
#define OK(call)                                                               \
    do {                                                                       \
        if ((call) != 0)                                                       \
            fail_msg("%s: %s", #call, f->e.message);                           \
    } while (0)

/* A call that must fail with one line that has `part` in it. */
#define REFUSED(call, part)                                                    \
    do {                                                                       \
        f->e.message[0] = '\0';                                                \
        assert_int_equal((call), -1);                                          \
        assert_says(&f->e, part);                                              \
    } while (0)

static inline void assert_says(const error *e, const char *part) {
    if (!strstr(e->message, part))
        fail_msg("\"%s\" should have \"%s\"", e->message, part);
    assert_null(strchr(e->message, '\n'));
}

static inline void assert_near(double x, double expected, double bound) {
    if (!(fabs(x - expected) <= bound))
        fail_msg("%.17g should be %.17g, within %.2g", x, expected, bound);
}

/* n floats against what is expected of them: |x - y| <= atol + rtol |y|.
   Returns the largest |x - y|. */
static inline double assert_floats(const char *name, const float *x,
                                   const float *y, size_t n, double rtol,
                                   double atol) {
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double difference = fabs((double)x[i] - y[i]);
        if (!(difference <= atol + rtol * fabs((double)y[i])))
            fail_msg("%s[%zu] is %.9g, expected %.9g", name, i, (double)x[i],
                     (double)y[i]);
        largest = fmax(largest, difference);
    }
    return largest;
}

/* ---- Files ---- */

/* A path in the folder of the test. */
static inline char *in_folder(fixture *f, const char *name) {
    char *path = arena_printf(&f->mem, &f->e, "%s/%s", f->folder, name);
    assert_non_null(path);
    return path;
}

static inline void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Makes `target`, a path from the root of the project, appear at `path`. */
static inline void link_file(fixture *f, const char *target, const char *path) {
    char *here = getcwd(NULL, 0);
    assert_non_null(here);
    char *from = arena_printf(&f->mem, &f->e, "%s/%s", here, target);
    free(here);
    assert_non_null(from);
    assert_int_equal(symlink(from, path), 0);
}

/* The tensors of a file; the caller unmaps it. */
static inline bytes read_tensors(fixture *f, const char *path,
                                 tensor_list *list) {
    bytes file;
    OK(file_map(path, &file, &f->e));
    OK(safetensors_parse(file.at, file.n, path, &f->mem, list, &f->e));
    return file;
}

static inline json_t *read_json(const char *path) {
    json_error_t where;
    json_t *root = json_load_file(path, 0, &where);
    if (!root)
        fail_msg("%s:%d: %s", path, where.line, where.text);
    return root;
}

/* "tests/golden/NAME.KIND" */
static inline char *golden_path(fixture *f, const char *name,
                                const char *kind) {
    char *path = arena_printf(&f->mem, &f->e, "tests/golden/%s.%s", name, kind);
    assert_non_null(path);
    return path;
}

/* Makes the test's folder a model: the golden sizes and weights. */
static inline void golden_link(fixture *f, const char *name) {
    link_file(f, golden_path(f, name, "config.json"),
              in_folder(f, "config.json"));
    link_file(f, golden_path(f, name, "safetensors"),
              in_folder(f, "model.safetensors"));
}

static inline void golden_unlink(fixture *f) {
    assert_int_equal(unlink(in_folder(f, "config.json")), 0);
    assert_int_equal(unlink(in_folder(f, "model.safetensors")), 0);
}

/* The golden model, opened; the folder may be emptied at once. */
static inline void golden_open(fixture *f, const char *name, model *m) {
    golden_link(f, name);
    OK(model_open(f->folder, m, &f->mem, &f->e));
}

/* ---- Models made by hand ---- */

static inline float *zeros(fixture *f, int n0, int n1, int n2) {
    float *at = arena_alloc(&f->mem, (size_t)n0 * (size_t)n1 * (size_t)n2,
                            sizeof *at, &f->e);
    assert_non_null(at);
    return at;
}

/* A model of these sizes in which everything is 0, without norm weights. */
static inline model hand_model(fixture *f, config c) {
    int D = c.d_model, H = c.n_heads, K = c.d_head;
    model m = {.c = c,
               .W_E = zeros(f, c.d_vocab, D, 1),
               .W_pos = zeros(f, c.n_ctx, D, 1),
               .W_U = zeros(f, D, c.d_vocab, 1),
               .b_U = zeros(f, c.d_vocab, 1, 1)};
    m.layers =
        arena_alloc(&f->mem, (size_t)c.n_layers, sizeof *m.layers, &f->e);
    assert_non_null(m.layers);
    for (int l = 0; l < c.n_layers; l++)
        m.layers[l] = (layer_weights){.W_Q = zeros(f, H, D, K),
                                      .W_K = zeros(f, H, D, K),
                                      .W_V = zeros(f, H, D, K),
                                      .W_O = zeros(f, H, K, D),
                                      .b_Q = zeros(f, H, K, 1),
                                      .b_K = zeros(f, H, K, 1),
                                      .b_V = zeros(f, H, K, 1),
                                      .b_O = zeros(f, D, 1, 1)};
    return m;
}

#endif
