/* What the tests of the ledger and of verify share: a folder, texts in it, and
   the entries of a result. A file that includes this one defines _XOPEN_SOURCE
   700 first. */
#ifndef RESULTS_H
#define RESULTS_H

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static char folder[] = "/tmp/test_book.XXXXXX";

static inline int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state) {
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static inline const char *in_folder(const char *name) {
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline void write_text(const char *name, const char *text) {
    FILE *f = fopen(in_folder(name), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static inline char *read_text(const char *name) {
    static char text[1 << 16];
    FILE *f = fopen(in_folder(name), "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static inline void assert_has(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("\"%s\" should have \"%s\"", text, part);
}

/* The value at a path: "entries/5/items/1". */
static inline const json_t *value_at(const json_t *value, const char *path) {
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

static inline const char *text_at(const json_t *value, const char *path) {
    const char *text = json_string_value(value_at(value, path));
    return text ? text : "(none)";
}

static inline const char *entry_field(const json_t *root, size_t i,
                                      const char *name) {
    char path[64];
    snprintf(path, sizeof path, "entries/%zu/%s", i, name);
    return text_at(root, path);
}

#endif
