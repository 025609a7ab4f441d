/* Files, tensors and safetensors. Run from the root of the project. */
#define _XOPEN_SOURCE 700
#include "file.h"
#include "safetensors.h"
#include "tensor.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void assert_says(const error *e, const char *start, const char *part) {
    if (strncmp(e->message, start, strlen(start)) != 0 ||
        !strstr(e->message, part))
        fail_msg("\"%s\" should start with \"%s\" and have \"%s\"", e->message,
                 start, part);
    assert_null(strchr(e->message, '\n'));
}

/* ---- Files ---- */

static char folder[] = "/tmp/test_files.XXXXXX";

static const char *in_folder(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void assert_holds(const char *path, const char *text) {
    bytes b;
    error e;
    assert_int_equal(file_map(path, &b, &e), 0);
    assert_int_equal(b.n, strlen(text));
    assert_memory_equal(b.at, text, b.n);
    file_unmap(&b);
}

/* Nothing may be left beside the file. */
static void assert_no_temporary(const char *path) {
    char beside[300];
    snprintf(beside, sizeof beside, "%s.tmp.%ld", path, (long)getpid());
    assert_int_equal(access(beside, F_OK), -1);
}

static void a_mapping_can_be_changed_and_the_file_stays(void **state) {
    (void)state;
    const char *path = in_folder("abc");
    write_text(path, "abc");
    bytes b;
    error e;
    assert_int_equal(file_map(path, &b, &e), 0);
    assert_int_equal(b.n, 3);
    b.at[0] = 'X';
    assert_holds(path, "abc");
    file_unmap(&b);
    assert_null(b.at);
    file_unmap(&b);
}

static void an_empty_file_maps_to_nothing(void **state) {
    (void)state;
    const char *path = in_folder("empty");
    write_text(path, "");
    bytes b = {(unsigned char *)folder, 1};
    error e;
    assert_int_equal(file_map(path, &b, &e), 0);
    assert_null(b.at);
    assert_int_equal(b.n, 0);
    file_unmap(&b);
}

static void what_is_no_file_is_refused(void **state) {
    (void)state;
    bytes b = {(unsigned char *)folder, 1};
    error e;
    assert_int_equal(file_map(folder, &b, &e), -1);
    assert_says(&e, folder, "is a directory");
    assert_null(b.at);
    const char *path = in_folder("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(file_map(path, &b, &e), -1);
    assert_says(&e, path, "is not a regular file");
    path = in_folder("absent");
    assert_int_equal(file_map(path, &b, &e), -1);
    assert_says(&e, path, "cannot open: No such file");
    file_unmap(&b);
}

static int put_text(FILE *f, void *data) {
    return fputs(data, f) < 0;
}

static int put_and_fail(FILE *f, void *data) {
    fputs(data, f);
    return -1;
}

static int put_much(FILE *f, void *data) {
    for (size_t i = 0; i < *(size_t *)data; i++)
        putc('x', f);
    return 0; /* as if it had not looked */
}

static void a_file_is_made_and_replaced(void **state) {
    (void)state;
    const char *path = in_folder("result");
    error e;
    assert_int_equal(file_write(path, put_text, "one", &e), 0);
    assert_holds(path, "one");
    assert_int_equal(file_write(path, put_text, "two", &e), 0);
    assert_holds(path, "two");
    assert_no_temporary(path);
}

static void a_failed_write_leaves_the_old_file(void **state) {
    (void)state;
    const char *path = in_folder("kept");
    error e;
    write_text(path, "old");
    assert_int_equal(file_write(path, put_and_fail, "new", &e), -1);
    assert_says(&e, path, "its content could not be made");
    assert_holds(path, "old");
    assert_no_temporary(path);
}

/* A process that was killed had the number of this one. */
static void what_was_left_unfinished_is_no_obstacle(void **state) {
    (void)state;
    const char *path = in_folder("again");
    char beside[300];
    error e;
    snprintf(beside, sizeof beside, "%s.tmp.%ld", path, (long)getpid());
    write_text(beside, "half");
    assert_int_equal(file_write(path, put_text, "whole", &e), 0);
    assert_holds(path, "whole");
    assert_no_temporary(path);
}

static void what_was_left_unfinished_is_swept(void **state) {
    (void)state;
    static const char *const names[] = {"a.tmp.1",  "b.x.tmp.23456", "c.tmp.",
                                        "d.tmp.1x", "e.tmp",         "1"};
    const size_t unfinished = 2;
    for (size_t i = 0; i < COUNT(names); i++)
        write_text(in_folder(names[i]), "half");
    file_sweep(folder);
    for (size_t i = 0; i < COUNT(names); i++)
        assert_int_equal(access(in_folder(names[i]), F_OK),
                         i < unfinished ? -1 : 0);
    file_sweep(in_folder("absent"));
}

/* A limit on the size of files stands in for a full disk: once found out by
   the last flush, in fclose, and once long before. */
static void a_full_disk_leaves_the_old_file(void **state) {
    (void)state;
    const char *path = in_folder("full");
    error e;
    struct rlimit old;
    write_text(path, "old");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    struct rlimit tight = {100, old.rlim_max};
    size_t sizes[] = {101, 1000000};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        setrlimit(RLIMIT_FSIZE, &tight);
        int status = file_write(path, put_much, &sizes[i], &e);
        setrlimit(RLIMIT_FSIZE, &old);
        assert_int_equal(status, -1);
        assert_says(&e, path, "cannot write: File too large");
        assert_holds(path, "old");
        assert_no_temporary(path);
    }
}

static void only_a_plain_file_is_replaced(void **state) {
    (void)state;
    error e;
    assert_int_equal(file_write(folder, put_text, "x", &e), -1);
    assert_says(&e, folder, "exists and is not a plain file");
    const char *path = in_folder("link");
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_int_equal(file_write(path, put_text, "x", &e), -1);
    assert_says(&e, path, "exists and is not a plain file");
    path = in_folder("absent/result");
    assert_int_equal(file_write(path, put_text, "x", &e), -1);
    assert_says(&e, path, "cannot create: No such file");
}

static void impostors_are_recognized(void **state) {
    (void)state;
    static const struct {
        const char *content, *part; /* part null: nothing known */
    } cases[] = {
        {"<!DOCTYPE html><html>", "a web page"},
        {"\xEF\xBB\xBF \r\n<HTML lang=en>", "a web page"},
        {"<?xml version=\"1.0\"?><Error>", "a web page"},
        {"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"},
        {"<htm", NULL},
        {"version 2", NULL},
        {"   ", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t n = strlen(cases[i].content);
        unsigned char *at = n ? malloc(n) : NULL; /* no NUL to stop at */
        for (size_t k = 0; k < n; k++)
            at[k] = (unsigned char)cases[i].content[k];
        const char *kind = file_impostor(at, n);
        if (cases[i].part)
            assert_non_null(strstr(kind ? kind : "", cases[i].part));
        else
            assert_null(kind);
        free(at);
    }
}

/* ---- Tensors ---- */

static tensor dense(dtype type, int n_dims, const int64_t *shape, void *at) {
    tensor t = {.name = "t", .dtype = type, .n_dims = n_dims, .at = at};
    for (int d = 0; d < n_dims; d++)
        t.shape[d] = shape[d];
    tensor_make_dense(&t);
    return t;
}

static void shapes_are_printed(void **state) {
    (void)state;
    char text[TENSOR_SHAPE_TEXT];
    int64_t most[8];
    for (int d = 0; d < 8; d++)
        most[d] = INT64_MIN;
    tensor t = dense(DTYPE_F32, 3, (int64_t[]){8, 512, 64}, NULL);
    assert_string_equal(tensor_shape(&t, text), "[8, 512, 64]");
    t.n_dims = 0;
    assert_string_equal(tensor_shape(&t, text), "[]");
    t.n_dims = 8;
    memcpy(t.shape, most, sizeof most);
    assert_int_equal(strlen(tensor_shape(&t, text)), 2 + 8 * 20 + 7 * 2);
}

static void counts_do_not_overflow(void **state) {
    (void)state;
    static const struct {
        int n_dims;
        int64_t shape[3], count; /* count -1: refused */
    } cases[] = {
        {0, {0}, 1},
        {2, {3, 4}, 12},
        {3, {3, 0, 4}, 0},
        {2, {INT64_C(1) << 30, INT64_C(1) << 29}, INT64_C(1) << 59},
        {2, {INT64_C(1) << 30, INT64_C(1) << 30}, -1},
        {3, {INT64_C(1) << 62, INT64_C(1) << 62, 0}, -1},
        {3, {0, INT64_C(1) << 62, INT64_C(1) << 62}, -1},
        {2, {INT64_MAX, INT64_MAX}, -1},
        {2, {3, -1}, -1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        tensor t = {.n_dims = cases[i].n_dims};
        memcpy(t.shape, cases[i].shape, sizeof cases[i].shape);
        int64_t count = 0;
        int status = tensor_count(&t, &count);
        assert_int_equal(status, cases[i].count < 0 ? -1 : 0);
        if (status == 0)
            assert_true(count == cases[i].count);
    }
}

static void floats_in_one_piece_are_used_where_they_lie(void **state) {
    (void)state;
    float x[6] = {1, 2, 3, 4, 5, 6}, *out;
    arena a = {0};
    error e;
    tensor t = dense(DTYPE_F32, 2, (int64_t[]){2, 3}, x);
    assert_int_equal(tensor_floats(&t, &a, &out, &e), 0);
    assert_ptr_equal(out, x);
    t.shape[0] = 1;
    t.stride[0] = 12345; /* of size 1: never used */
    assert_true(tensor_is_dense(&t));
    arena_free(&a);
}

static void strided_and_unaligned_floats_are_gathered(void **state) {
    (void)state;
    float x[24], *out;
    unsigned char moved[sizeof x + 1];
    arena a = {0};
    error e;
    for (int i = 0; i < 24; i++)
        x[i] = (float)i;
    memcpy(moved + 1, x, sizeof x);
    /* [2][3][4] read as [4][2][3] */
    tensor t = dense(DTYPE_F32, 3, (int64_t[]){4, 2, 3}, x);
    memcpy(t.stride, (int64_t[]){1, 12, 4}, 3 * sizeof(int64_t));
    assert_int_equal(tensor_floats(&t, &a, &out, &e), 0);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 3; k++)
                assert_true(*out++ == x[j * 12 + k * 4 + i]);
    t = dense(DTYPE_F32, 1, (int64_t[]){24}, moved + 1);
    assert_int_equal(tensor_floats(&t, &a, &out, &e), 0);
    assert_memory_equal(out, x, sizeof x);
    t = dense(DTYPE_F32, 1, (int64_t[]){3}, x + 5);
    t.stride[0] = 0; /* one number, repeated */
    assert_int_equal(tensor_floats(&t, &a, &out, &e), 0);
    assert_true(out[0] == 5 && out[1] == 5 && out[2] == 5);
    t = dense(DTYPE_F32, 3, (int64_t[]){2, 0, 3}, x);
    assert_int_equal(tensor_floats(&t, &a, &out, &e), 0);
    assert_non_null(out);
    arena_free(&a);
}

static void doubles_are_narrowed(void **state) {
    (void)state;
    double x[] = {0.1, 1e300, -1e-300, 16777217.0};
    float *out;
    arena a = {0};
    error e;
    tensor t = dense(DTYPE_F64, 1, (int64_t[]){4}, x);
    assert_int_equal(tensor_floats(&t, &a, &out, &e), 0);
    assert_true(out[0] == 0.1f && isinf(out[1]));
    assert_true(out[2] == 0 && signbit(out[2]) && out[3] == 16777216.0f);
    arena_free(&a);
}

/* What a pattern means, by the definition of the format. */
static double meaning(unsigned bits, int exponent_bits, int fraction_bits) {
    int exponent = (int)(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    int fraction = (int)bits & ((1 << fraction_bits) - 1);
    int bias = (1 << (exponent_bits - 1)) - 1;
    double sign = bits >> 15 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp((1 << fraction_bits) + fraction,
                        exponent - bias - fraction_bits);
}

static void every_half_and_bfloat_is_widened_exactly(void **state) {
    (void)state;
    static const struct {
        dtype type;
        int exponent_bits, fraction_bits;
    } formats[] = {{DTYPE_F16, 5, 10}, {DTYPE_BF16, 8, 7}};
    uint16_t *all = malloc(65536 * sizeof *all);
    for (unsigned i = 0; i < 65536; i++)
        all[i] = (uint16_t)i;
    for (size_t f = 0; f < COUNT(formats); f++) {
        arena a = {0};
        error e;
        float *out;
        tensor t = dense(formats[f].type, 1, (int64_t[]){65536}, all);
        assert_int_equal(tensor_floats(&t, &a, &out, &e), 0);
        for (unsigned i = 0; i < 65536; i++) {
            double want =
                meaning(i, formats[f].exponent_bits, formats[f].fraction_bits);
            if (isnan(want) ? !isnan(out[i])
                            : (double)out[i] != want ||
                                  !signbit(out[i]) != !signbit(want))
                fail_msg("0x%04x: %a, expected %a", i, (double)out[i], want);
        }
        arena_free(&a);
    }
    free(all);
}

static void integers_are_no_floats(void **state) {
    (void)state;
    int64_t x[2] = {1, 2};
    float *out;
    arena a = {0};
    error e;
    tensor t = dense(DTYPE_I64, 1, (int64_t[]){2}, x);
    t.name = "tokens";
    assert_int_equal(tensor_floats(&t, &a, &out, &e), -1);
    assert_says(&e, "tensor \"tokens\" [2] holds I64", "floating-point");
    t.dtype = DTYPE_BOOL;
    assert_int_equal(tensor_floats(&t, &a, &out, &e), -1);
    assert_says(&e, "tensor \"tokens\" [2] holds BOOL", "floating-point");
    arena_free(&a);
}

static void a_shape_that_overflows_has_no_floats(void **state) {
    (void)state;
    float x = 0, *out = &x;
    arena a = {0};
    error e;
    tensor t = dense(DTYPE_F32, 1, (int64_t[]){INT64_MAX}, &x);
    assert_int_equal(tensor_floats(&t, &a, &out, &e), -1);
    assert_says(&e, "tensor \"t\": shape [9223372036854775807] overflows", "");
    assert_null(out);
    arena_free(&a);
}

/* ---- safetensors: broken bytes, made here ---- */

#define LIMITS "expected 2 to 100000000"

static void refuses(const void *content, size_t n, const char *part) {
    unsigned char *at = n ? malloc(n) : NULL;
    for (size_t i = 0; i < n; i++)
        at[i] = ((const unsigned char *)content)[i];
    arena a = {0};
    error e;
    tensor_list list = {.n = 9};
    assert_int_equal(safetensors_parse(at, n, "x.st", &a, &list, &e), -1);
    assert_says(&e, "x.st: ", part);
    assert_int_equal(list.n, 0);
    arena_free(&a);
    free(at);
}

static void broken_starts_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *content;
        size_t n;
        const char *part;
    } cases[] = {
        {"", 0, "is 0 bytes long"},
        {"\2\0\0\0\0\0\0", 7, "is 7 bytes long"},
        {"\0\0\0\0\0\0\0\0", 8, "length is 0, " LIMITS},
        {"\1\0\0\0\0\0\0\0{", 9, "length is 1, " LIMITS},
        {"\2\0\0\0\0\0\0\0{", 9, "length is 2, but only 1 bytes follow"},
        {"\3\0\0\0\0\0\0\0{}", 10, "length is 3, but only 2 bytes follow"},
        {"\0\xe1\xf5\5\0\0\0\0{}", 10, "length is 100000000, but only 2"},
        {"\1\xe1\xf5\5\0\0\0\0{}", 10,
         "length is 100000001, but only 2 bytes follow; is this a"},
        {"\xff\xff\xff\xff\xff\xff\xff\xff{}", 10,
         "length is 18446744073709551615, but only 2 bytes follow; is this a"},
        {"PK\3\4\0\0\0\0zip", 11, "length is 67324752, but only 3"},
        {"\3\0\0\0\0\0\0\0 {}", 11, "starts with byte 0x20, expected '{'"},
        {"\2\0\0\0\0\0\0\0[]", 10, "starts with byte 0x5b, expected '{'"},
        {"\2\0\0\0\0\0\0\0{]", 10, "is not JSON: "},
        {"\4\0\0\0\0\0\0\0{} x", 12, "is not JSON: end of file expected"},
        {"\2\0\0\0\0\0\0\0{}x", 11, "bytes 0 to 1 of the data, at the end"},
        {"<!DOCTYPE html><html>", 21, "is a web page, not weights"},
        {"version https://git-lfs.github.com/spec/v1\noid", 46,
         "is a Git LFS pointer, not weights"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        refuses(cases[i].content, cases[i].n, cases[i].part);
}

static void a_header_over_the_limit_is_refused(void **state) {
    (void)state;
    size_t n = 8 + 100000001;
    unsigned char *at = calloc(n, 1);
    assert_non_null(at);
    memcpy(at, "\1\xe1\xf5\5", 4);
    arena a = {0};
    error e;
    tensor_list list;
    assert_int_equal(safetensors_parse(at, n, "x.st", &a, &list, &e), -1);
    assert_says(&e, "x.st: ", "length is 100000001, " LIMITS);
    arena_free(&a);
    free(at);
}

/* A file of this header and so many bytes of data, all 0. */
static unsigned char *with_header(const char *header, size_t room, size_t *n) {
    size_t length = strlen(header);
    *n = 8 + length + room;
    unsigned char *at = calloc(*n, 1);
    for (int i = 0; i < 8; i++)
        at[i] = (unsigned char)(length >> 8 * i);
    memcpy(at + 8, header, length);
    return at;
}

#define F32(shape, begin, end)                                                 \
    "{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":[" begin "," end  \
    "]}"
#define A "tensor \"a\": "
#define NINE "[1,1,1,1,1,1,1,1,1]"

static void broken_headers_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *header;
        size_t room;
        const char *part;
    } cases[] = {
        /* JSON */
        {"{\"a\":" F32("[1]", "0", "4") ",\"a\":" F32("[1]", "0", "4") "}", 4,
         "has the name \"a\" twice, again at byte 55"},
        {"{\"\xc3\xa9 \\\"quoted\\\" and long enough\":1,"
         "\"\xc3\xa9 \\\"quoted\\\" and long enough\":2}",
         0, "has the name \"\xc3\xa9 \\\"quoted\\\" and long enough\" twice"},
        {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F16\"}}", 0,
         "has the name \"dtype\" twice"},
        {"{\"a\\u0000b\":1}", 0, "NUL byte in object key"},
        {"{\"a\xff\":1}", 0, "is not JSON: unable to decode byte 0xff"},
        {"{\"a\":{\"shape\":[99999999999999999999]}}", 0, "too big integer"},
        /* metadata */
        {"{\"__metadata__\":[]}", 0, "__metadata__ is not an object"},
        {"{\"__metadata__\":{\"step\":1}}", 0,
         "__metadata__: \"step\" is not a text"},
        /* entries */
        {"{\"a\":7}", 0, A "\"shape\" is missing or is not a list"},
        {"{\"a\":{}}", 0, A "\"shape\" is missing or is not a list"},
        {"{\"a\":{\"shape\":4}}", 0, A "\"shape\" is missing or is not a list"},
        {"{\"a\":{\"shape\":[1]}}", 0, A "\"dtype\" is missing"},
        {"{\"a\":{\"shape\":[1],\"dtype\":1}}", 0, A "\"dtype\" is missing"},
        {"{\"a\":{\"shape\":[1],\"dtype\":\"F8_E5M2\"}}", 0,
         A "dtype \"F8_E5M2\" is not read"},
        {"{\"a\":{\"shape\":[1],\"dtype\":\"f32\"}}", 0,
         A "dtype \"f32\" is not read"},
        {"{\"a\":{\"shape\":[1],\"dtype\":\"F32\"}}", 0,
         A "\"data_offsets\" is missing or is not a list"},
        {"{\"a\":" F32("[1]", "0", "4,8") "}", 4,
         A "\"data_offsets\" has 3 numbers, at most 2"},
        {"{\"a\":{\"shape\":[1],\"dtype\":\"F32\",\"data_offsets\":[4]}}", 4,
         A "\"data_offsets\" are not a begin and an end"},
        {"{\"a\":" F32("[1]", "4", "0") "}", 4,
         A "\"data_offsets\" are not a begin and an end"},
        {"{\"a\":" F32("[1]", "-4", "0") "}", 4,
         A "\"data_offsets\"[0] is not a whole number"},
        {"{\"a\":" F32("[1]", "0", "4.0") "}", 4,
         A "\"data_offsets\"[1] is not a whole number"},
        {"{\"a\":" F32("[2,-1]", "0", "4") "}", 4,
         A "\"shape\"[1] is not a whole number"},
        {"{\"a\":" F32("[1e0]", "0", "4") "}", 4,
         A "\"shape\"[0] is not a whole number"},
        {"{\"a\":" F32(NINE, "0", "4") "}", 4,
         A "\"shape\" has 9 numbers, at most 8"},
        /* shape, type and offsets */
        {"{\"a\":" F32("[2147483648,2147483648,4]", "0", "4") "}", 4,
         A "shape [2147483648, 2147483648, 4] overflows"},
        {"{\"a\":" F32("[4611686018427387904]", "0", "0") "}", 0,
         A "shape [4611686018427387904] overflows"},
        {"{\"a\":" F32("[4294967296,4294967296,0]", "0", "0") "}", 0,
         A "shape [4294967296, 4294967296, 0] overflows"},
        {"{\"a\":" F32("[2,3]", "0", "20") "}", 20,
         A "shape [2, 3] of F32 takes 24 bytes, but offsets 0 to 20 hold 20"},
        {"{\"a\":" F32("[0]", "0", "4") "}", 4,
         A "shape [0] of F32 takes 0 bytes, but offsets 0 to 4 hold 4"},
        {"{\"a\":" F32("[]", "0", "0") "}", 0,
         A "shape [] of F32 takes 4 bytes, but offsets 0 to 0 hold 0"},
        {"{\"a\":" F32("[2]", "0", "8") "}", 7,
         A "ends at byte 8 of the data, but the file has only 7"},
        {"{\"a\":" F32("[0]", "9", "9") "}", 7,
         A "ends at byte 9 of the data, but the file has only 7"},
        {"{\"a\":" F32("[1]", "9223372036854775803", "9223372036854775807") "}",
         7, A "ends at byte 9223372036854775807 of the data"},
        /* packing */
        {"{\"a\":" F32("[1]", "4", "8") "}", 8,
         "bytes 0 to 4 of the data, before tensor \"a\", belong to no tensor"},
        {"{\"a\":" F32("[1]", "0", "4") ",\"b\":" F32("[1]", "6", "10") "}", 10,
         "bytes 4 to 6 of the data, before tensor \"b\", belong to no tensor"},
        {"{\"a\":" F32("[1]", "0", "4") "}", 9,
         "bytes 4 to 9 of the data, at the end, belong to no tensor"},
        {"{\"b\":" F32("[2]", "4", "12") ",\"a\":" F32("[2]", "0", "8") "}", 12,
         "tensor \"b\" begins at byte 4 of the data, but tensor \"a\" ends at "
         "8: they overlap"},
        {"{\"a\":" F32("[1]", "0", "4") ",\"b\":" F32("[1]", "0", "4") "}", 4,
         "tensor \"b\" begins at byte 0 of the data, but tensor \"a\" ends at"},
        {"{\"a\":" F32("[2]", "0", "8") ",\"b\":" F32("[0]", "4", "4") "}", 8,
         "tensor \"b\" begins at byte 4 of the data, but tensor \"a\" ends at"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t n = 0;
        unsigned char *at = with_header(cases[i].header, cases[i].room, &n);
        refuses(at, n, cases[i].part);
        free(at);
    }
}

static void a_long_name_does_not_hide_the_reason(void **state) {
    (void)state;
    char header[6000];
    size_t n = 0;
    snprintf(header, sizeof header, "{\"%05000d\":7}", 0);
    unsigned char *at = with_header(header, 0, &n);
    refuses(at, n, "0\": \"shape\" is missing");
    free(at);
    snprintf(header, sizeof header, "{\"%02000d\":7,\"%02000d\":7}", 0, 0);
    at = with_header(header, 0, &n);
    refuses(at, n, "0\" twice, again at byte 2007");
    free(at);
}

static void legal_but_unusual_headers_are_read(void **state) {
    (void)state;
    static const struct {
        const char *header;
        size_t room, n;
    } cases[] = {
        {"{}", 0, 0},
        {"{\"__metadata__\":{}}", 0, 0},
        {"{}  \n\t ", 0, 0},
        {"{\"\":" F32("[]", "0", "4") "}", 4, 1},
        {"{\"e\":" F32("[0,7]", "4", "4") ",\"b\":" F32(
             "[1]", "4", "8") ",\"a\":" F32("[1]", "0",
                                            "4") ",\"f\":" F32("[0]", "8",
                                                               "8") "}",
         8, 4},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t n = 0;
        unsigned char *at = with_header(cases[i].header, cases[i].room, &n);
        arena a = {0};
        error e;
        tensor_list list;
        if (safetensors_parse(at, n, "x.st", &a, &list, &e))
            fail_msg("%s", e.message);
        assert_int_equal(list.n, cases[i].n);
        assert_string_equal(list.file, "x.st");
        if (list.n == 4) {
            assert_string_equal(list.at[0].name, "a");
            assert_string_equal(list.at[1].name, "e");
            assert_string_equal(list.at[2].name, "b");
            assert_string_equal(list.at[3].name, "f");
        }
        arena_free(&a);
        free(at);
    }
}

/* ---- safetensors: files ---- */

static void broken_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *file, *part;
    } cases[] = {
        {"body-cut", "tensor \"unembed.b_U\": ends at byte 50520 of the data, "
                     "but the file has only 50420"},
        {"bytes-at-end", "bytes 8 to 12 of the data, at the end"},
        {"duplicate-name",
         "has the name \"embed.W_E\" twice, again at byte 1394"},
        {"empty", "is 0 bytes long"},
        {"float8", "tensor \"a\": dtype \"F8_E4M3\" is not read"},
        {"header-longer-than-file", "but only 2 bytes follow"},
        {"hole", "bytes 8 to 12 of the data, before tensor \"b\""},
        {"html-page", "is a web page, not weights"},
        {"lfs-pointer", "is a Git LFS pointer, not weights"},
        {"metadata-number", "__metadata__: \"step\" is not a text"},
        {"not-json", "the header is not JSON"},
        {"offset-past-shape",
         "tensor \"pos_embed.W_pos\": shape [32, 48] of F32 takes 6144 bytes, "
         "but offsets 11712 to 17860 hold 6148"},
        {"overlap", "tensor \"b\" begins at byte 4 of the data, but tensor "
                    "\"a\" ends at 8"},
        {"shape-overflows", "tensor \"embed.W_E\": shape [2147483648, "
                            "2147483648, 4] overflows"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char path[100];
        snprintf(path, sizeof path, "tests/odd/%s.safetensors", cases[i].file);
        bytes b;
        arena a = {0};
        error e;
        tensor_list list;
        assert_int_equal(file_map(path, &b, &e), 0);
        assert_int_equal(safetensors_parse(b.at, b.n, path, &a, &list, &e), -1);
        assert_says(&e, path, cases[i].part);
        arena_free(&a);
        file_unmap(&b);
    }
}

static float *floats_of(const tensor_list *list, const char *name, arena *a) {
    error e;
    float *out = NULL;
    const tensor *t = tensor_find(list, name);
    assert_non_null(t);
    if (tensor_floats(t, a, &out, &e))
        fail_msg("%s", e.message);
    return out;
}

static void an_odd_but_legal_file_is_read(void **state) {
    (void)state;
    const char *path = "tests/odd/ok-any-order.safetensors";
    bytes b;
    arena a = {0};
    error e;
    tensor_list list;
    assert_int_equal(file_map(path, &b, &e), 0);
    if (safetensors_parse(b.at, b.n, path, &a, &list, &e))
        fail_msg("%s", e.message);
    assert_int_equal(list.n, 5);
    float *x = floats_of(&list, "half", &a);
    assert_true(x[0] == 1 && x[1] == -2 && x[2] == 0x1p-24f && x[3] == 65504);
    x = floats_of(&list, "bfloat", &a);
    assert_true(x[0] == 1 && x[1] == -0.5f && x[2] == 3.140625f);
    assert_true(*floats_of(&list, "double", &a) == 0.1f);
    assert_true(*floats_of(&list, "single", &a) == -1.5f);
    assert_int_equal(tensor_find(&list, "none")->shape[1], 3);
    assert_null(tensor_find(&list, "__metadata__"));
    arena_free(&a);
    file_unmap(&b);
}

/* First and last were read with Python: json.loads on the header, then
   struct.unpack_from('<f', ...) at the ends of the data_offsets. */
static void the_golden_file_is_read(void **state) {
    (void)state;
    static const struct {
        const char *name, *shape;
        float first, last;
    } golden[] = {
        {"embed.W_E", "[61, 48]", 0x1.451240p-3f, 0x1.65c0e8p-2f},
        {"pos_embed.W_pos", "[32, 48]", 0x1.a92bd0p-2f, 0x1.3e336ap-1f},
        {"blocks.0.ln1.w", "[48]", 0x1.57829ap+0f, 0x1.2b590cp-1f},
        {"blocks.0.ln1.b", "[48]", -0x1.1d0a16p-4f, 0x1.528c66p-3f},
        {"blocks.0.attn.W_Q", "[3, 48, 8]", -0x1.0079aep-6f, -0x1.b6245ap-4f},
        {"blocks.0.attn.W_O", "[3, 8, 48]", -0x1.f41b98p-2f, -0x1.be43aep-8f},
        {"blocks.0.attn.b_Q", "[3, 8]", 0x1.0803cap-3f, -0x1.e52a26p-3f},
        {"blocks.0.attn.b_O", "[48]", 0x1.839b36p-4f, 0x1.2fe41ap-3f},
        {"blocks.0.attn.W_K", "[3, 48, 8]", -0x1.ce413ap-5f, -0x1.3d3e98p-3f},
        {"blocks.0.attn.W_V", "[3, 48, 8]", 0x1.10b76ap-2f, 0x1.9dea3ep-7f},
        {"blocks.0.attn.b_K", "[3, 8]", 0x1.90f4fep-3f, 0x1.753f3cp-2f},
        {"blocks.0.attn.b_V", "[3, 8]", -0x1.0e5e3ep-3f, 0x1.3350f4p-7f},
        {"blocks.0.attn.mask", "[32, 32]", 0, 0},
        {"blocks.0.attn.IGNORE", "[]", -100000, -100000},
        {"ln_final.w", "[48]", 0x1.05c4a0p+0f, 0x1.bae930p-3f},
        {"ln_final.b", "[48]", -0x1.7f667ep-12f, 0x1.45af40p-3f},
        {"unembed.W_U", "[48, 61]", 0x1.384b08p+0f, 0x1.41ef16p-1f},
        {"unembed.b_U", "[61]", -0x1.28375ap-5f, -0x1.9f8b9ap-3f},
    };
    const char *path = "tests/golden/tiny-1l.safetensors";
    bytes b;
    arena a = {0};
    error e;
    tensor_list list;
    assert_int_equal(file_map(path, &b, &e), 0);
    if (safetensors_parse(b.at, b.n, path, &a, &list, &e))
        fail_msg("%s", e.message);
    assert_int_equal(list.n, COUNT(golden));
    for (size_t i = 0; i < list.n; i++) {
        char shape[TENSOR_SHAPE_TEXT];
        const tensor *t = &list.at[i];
        assert_string_equal(t->name, golden[i].name);
        assert_string_equal(tensor_shape(t, shape), golden[i].shape);
        if (t->dtype == DTYPE_BOOL)
            continue;
        int64_t count = 0;
        assert_int_equal(tensor_count(t, &count), 0);
        const float *x = floats_of(&list, t->name, &a);
        assert_ptr_equal(x, t->at);
        assert_true(x[0] == golden[i].first);
        assert_true(x[count - 1] == golden[i].last);
    }
    arena_free(&a);
    file_unmap(&b);
}

static void what_is_written_is_read_back(void **state) {
    (void)state;
    const char *path = in_folder("round.safetensors");
    float x[6] = {1, 2, 3, 4, 5, -0.0f};
    int64_t tokens[2] = {50256, 7};
    tensor out[] = {dense(DTYPE_F32, 2, (int64_t[]){2, 3}, x),
                    dense(DTYPE_I64, 1, (int64_t[]){2}, tokens),
                    dense(DTYPE_F32, 2, (int64_t[]){0, 5}, NULL),
                    dense(DTYPE_F32, 0, NULL, x + 4)};
    out[0].name = "blocks.0.\"q\"\n\xc3\xa9";
    out[1].name = "tokens";
    out[2].name = "none";
    out[3].name = "";
    tensor_list list = {.at = out, .n = COUNT(out)}, in;
    bytes b;
    arena a = {0};
    error e;
    if (safetensors_write(path, &list, &e) || file_map(path, &b, &e) ||
        safetensors_parse(b.at, b.n, path, &a, &in, &e))
        fail_msg("%s", e.message);
    assert_int_equal(b.at[0] % 8, 0);
    assert_int_equal(in.n, COUNT(out));
    for (size_t i = 0; i < in.n; i++) {
        char left[TENSOR_SHAPE_TEXT], right[TENSOR_SHAPE_TEXT];
        assert_string_equal(in.at[i].name, out[i].name);
        assert_int_equal(in.at[i].dtype, out[i].dtype);
        assert_string_equal(tensor_shape(&in.at[i], left),
                            tensor_shape(&out[i], right));
    }
    assert_memory_equal(in.at[0].at, x, sizeof x);
    assert_memory_equal(in.at[1].at, tokens, sizeof tokens);
    assert_ptr_equal(floats_of(&in, out[0].name, &a), in.at[0].at);
    assert_no_temporary(path);
    arena_free(&a);
    file_unmap(&b);
}

static void what_cannot_be_written_is_refused(void **state) {
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", in_folder("kept.safetensors"));
    float x[6] = {0};
    error e;
    tensor two[] = {dense(DTYPE_F32, 2, (int64_t[]){2, 3}, x),
                    dense(DTYPE_F32, 2, (int64_t[]){2, 3}, x)};
    tensor_list list = {.at = two, .n = 2};
    write_text(path, "old");
    assert_int_equal(safetensors_write(path, &list, &e), -1);
    assert_says(&e, path, "tensor \"t\": the name is taken");
    two[1].name = "__metadata__";
    assert_int_equal(safetensors_write(path, &list, &e), -1);
    assert_says(&e, path, "tensor \"__metadata__\": the name is taken");
    two[1].name = "\xff";
    assert_int_equal(safetensors_write(path, &list, &e), -1);
    assert_says(&e, path, "the name is not valid UTF-8");
    two[1].name = "turned";
    two[1].stride[0] = 1;
    two[1].stride[1] = 2;
    assert_int_equal(safetensors_write(path, &list, &e), -1);
    assert_says(&e, path, "tensor \"turned\": its elements do not lie back");
    two[1].shape[0] = INT64_MAX;
    assert_int_equal(safetensors_write(path, &list, &e), -1);
    assert_says(&e, path, "tensor \"turned\": its shape overflows");
    assert_holds(path, "old");
    list.n = 1;
    assert_int_equal(safetensors_write(in_folder("no/x"), &list, &e), -1);
    assert_says(&e, in_folder("no/x"), "cannot create");
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *names[] = {"abc",
                                  "empty",
                                  "pipe",
                                  "result",
                                  "kept",
                                  "again",
                                  "c.tmp.",
                                  "d.tmp.1x",
                                  "e.tmp",
                                  "1",
                                  "full",
                                  "link",
                                  "round.safetensors",
                                  "kept.safetensors"};
    for (size_t i = 0; i < COUNT(names); i++)
        unlink(in_folder(names[i]));
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mapping_can_be_changed_and_the_file_stays),
        cmocka_unit_test(an_empty_file_maps_to_nothing),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(a_file_is_made_and_replaced),
        cmocka_unit_test(a_failed_write_leaves_the_old_file),
        cmocka_unit_test(what_was_left_unfinished_is_no_obstacle),
        cmocka_unit_test(what_was_left_unfinished_is_swept),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(only_a_plain_file_is_replaced),
        cmocka_unit_test(impostors_are_recognized),
        cmocka_unit_test(shapes_are_printed),
        cmocka_unit_test(counts_do_not_overflow),
        cmocka_unit_test(floats_in_one_piece_are_used_where_they_lie),
        cmocka_unit_test(strided_and_unaligned_floats_are_gathered),
        cmocka_unit_test(doubles_are_narrowed),
        cmocka_unit_test(every_half_and_bfloat_is_widened_exactly),
        cmocka_unit_test(integers_are_no_floats),
        cmocka_unit_test(a_shape_that_overflows_has_no_floats),
        cmocka_unit_test(broken_starts_are_refused),
        cmocka_unit_test(a_header_over_the_limit_is_refused),
        cmocka_unit_test(broken_headers_are_refused),
        cmocka_unit_test(a_long_name_does_not_hide_the_reason),
        cmocka_unit_test(legal_but_unusual_headers_are_read),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(an_odd_but_legal_file_is_read),
        cmocka_unit_test(the_golden_file_is_read),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(what_cannot_be_written_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
