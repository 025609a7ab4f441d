/* PyTorch checkpoints: the pickle machine, the archive, the tensors. Archives
   and pickles are made here, byte by byte, so that each rule can be broken
   alone. */
#define _XOPEN_SOURCE 700
#include "golden.h"
#include "pickle.h"
#include "process.h"
#include "pth.h"

#include <inttypes.h>

/* ---- Bytes that grow ---- */

typedef struct {
    unsigned char at[1 << 16];
    size_t n;
} buffer;

static void put(buffer *b, const void *at, size_t n) {
    assert_true(n <= sizeof b->at - b->n);
    if (n > 0)
        memcpy(b->at + b->n, at, n);
    b->n += n;
}

static void put_text(buffer *b, const char *text) {
    put(b, text, strlen(text));
}

/* k bytes, little-endian; beyond the eighth they are 0. */
static void put_number(buffer *b, uint64_t x, size_t k) {
    for (size_t i = 0; i < k; i++)
        put(b, (unsigned char[]){(unsigned char)(i < 8 ? x >> 8 * i : 0)}, 1);
}

/* A copy of just this length, so that a sanitizer sees a read beyond it. */
static unsigned char *copy_of(const void *at, size_t n) {
    unsigned char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    if (n > 0)
        memcpy(copy, at, n);
    return copy;
}

/* ---- Pickles ---- */

static const pickle_global some[] = {{"collections", "OrderedDict", true},
                                     {"m", "f", false}};

/* Parses a copy that is kept in the arena. */
static int parse_pickle(fixture *f, const void *at, size_t n, pickle *out) {
    unsigned char *copy = copy_of(at, n);
    arena mem = {0};
    int status = pickle_parse(copy, n, some, COUNT(some), &mem, out, &f->e);
    arena_free(&mem);
    free(copy);
    return status;
}

#define BYTES(text) text, sizeof(text) - 1
#define ORDERED "ccollections\nOrderedDict\n)R"
#define META "X\x09\0\0\0_metadata"

static void pickles_that_break_a_rule_are_refused(void **state) {
    fixture *f = *state;
    static const struct {
        const char *at;
        size_t n;
        const char *says;
    } all[] = {
        /* start and end */
        {BYTES(""), "byte 0: expected the opcode PROTO"},
        {BYTES("\x80"), "byte 0: expected the opcode PROTO"},
        {BYTES("}."), "byte 0: expected the opcode PROTO"},
        {BYTES("\x80\4}."), "byte 1: a pickle of protocol 4"},
        {BYTES("\x80\2"), "byte 2: the pickle ends without STOP"},
        {BYTES("\x80\2}"), "byte 3: the pickle ends without STOP"},
        {BYTES("\x80\2."), "byte 2, STOP: needs 1 values, but the stack has 0"},
        {BYTES("\x80\2(."), "STOP: needs 1 values, but the stack has 0 above "
                            "its last mark"},
        {BYTES("\x80\2}}."), "STOP: 2 values are on the stack; expected one"},
        {BYTES("\x80\2(}."), "STOP: 2 values are on the stack"},
        {BYTES("\x80\2}.N"), "byte 3, STOP: 1 bytes follow; expected none"},
        /* opcodes */
        {BYTES("\x80\2\x80\2}."), "byte 2, PROTO: this opcode is not needed"},
        {BYTES("\x80\2}0."), "byte 3, POP: this opcode is not needed"},
        {BYTES("\x80\2\x81."), "byte 2, NEWOBJ: this opcode is not needed"},
        {BYTES("\x80\2\x93."), "byte 2, STACK_GLOBAL: this opcode"},
        {BYTES("\x80\2i."), "byte 2, INST: this opcode"},
        {BYTES("\x80\2P."), "byte 2, PERSID: this opcode"},
        {BYTES("\x80\2\xff."), "byte 2: 0xff is no opcode"},
        {BYTES("\x80\2\0."), "byte 2: 0x00 is no opcode"},
        /* arguments that are cut */
        {BYTES("\x80\2K"), "BININT1: its argument has 1 bytes, but the pickle "
                           "ends after 0; is it cut short?"},
        {BYTES("\x80\2M\1"), "BININT2: its argument has 2 bytes"},
        {BYTES("\x80\2J\1\2\3"), "BININT: its argument has 4 bytes"},
        {BYTES("\x80\2\x8a"), "LONG1: its argument has 1 bytes"},
        {BYTES("\x80\2\x8a\3\1\2"), "LONG1: its argument has 3 bytes"},
        {BYTES("\x80\2\x8a\x09"
               "123456789."),
         "LONG1: an integer of 9 bytes; at most 8"},
        {BYTES("\x80\2G1234567"), "BINFLOAT: its argument has 8 bytes"},
        {BYTES("\x80\2X\1\0\0"), "BINUNICODE: its argument has 4 bytes"},
        {BYTES("\x80\2X\2\0\0\0a"), "BINUNICODE: its argument has 2 bytes"},
        {BYTES("\x80\2X\xff\xff\xff\xff"
               "a."),
         "BINUNICODE: its argument has 4294967295 bytes"},
        {BYTES("\x80\2cm"), "GLOBAL: the pickle ends within a name"},
        {BYTES("\x80\2cm\nf"), "GLOBAL: the pickle ends within a name"},
        /* texts */
        {BYTES("\x80\2X\2\0\0\0a\xff."),
         "BINUNICODE: its text is not valid UTF-8 at byte 1"},
        {BYTES("\x80\2X\3\0\0\0\xed\xa0\x80."), "is not valid UTF-8 at byte 0"},
        {BYTES("\x80\2X\2\0\0\0\xc0\x80."), "is not valid UTF-8 at byte 0"},
        {BYTES("\x80\2X\1\0\0\0\xc3\xa9."), "is not valid UTF-8 at byte 0"},
        {BYTES("\x80\2X\3\0\0\0ab\0."), "its text holds a NUL at byte 2"},
        /* the stack and marks */
        {BYTES("\x80\2\x85."), "TUPLE1: needs 1 values, but the stack has 0"},
        {BYTES("\x80\2N\x86."), "TUPLE2: needs 2 values, but the stack has 1"},
        {BYTES("\x80\2N(N\x86."), "TUPLE2: needs 2 values, but the stack has "
                                  "1 above its last mark"},
        {BYTES("\x80\2Nt."), "TUPLE: there is no MARK on the stack"},
        {BYTES("\x80\2}NNu."), "SETITEMS: there is no MARK on the stack"},
        {BYTES("\x80\2]Ne."), "APPENDS: there is no MARK on the stack"},
        {BYTES("\x80\2(X\1\0\0\0aNu."), "SETITEMS: needs 3 values, but the "
                                        "stack has 2"},
        {BYTES("\x80\2NNs."), "SETITEM: needs 3 values, but the stack has 2"},
        {BYTES("\x80\2}((NNu."), "SETITEMS: needs 3 values, but the stack has "
                                 "2 above its last mark"},
        {BYTES("\x80\2)X\1\0\0\0aNs."), "SETITEM: would fill a tuple"},
        {BYTES("\x80\2]X\1\0\0\0aNs."), "SETITEM: would fill a list"},
        {BYTES("\x80\2}Na."), "APPEND: would fill a dict"},
        {BYTES("\x80\2}(X\1\0\0\0au."), "SETITEMS: the last key has no value"},
        {BYTES("\x80\2}K\1Ns."), "SETITEM: a key is an integer, not a text"},
        {BYTES("\x80\2}(X\1\0\0\0aNNNu."), "a key is None, not a text"},
        /* the memo */
        {BYTES("\x80\2q\0."), "BINPUT: needs 1 values, but the stack has 0"},
        {BYTES("\x80\2(q\0."), "BINPUT: needs 1 values, but the stack has 0"},
        {BYTES("\x80\2h\0."), "BINGET: nothing was put into memo slot 0"},
        {BYTES("\x80\2}q\0h\1."), "nothing was put into memo slot 1"},
        {BYTES("\x80\2h\xff."), "nothing was put into memo slot 255"},
        {BYTES("\x80\2j\xff\xff\xff\xff."),
         "LONG_BINGET: nothing was put into memo slot 4294967295"},
        {BYTES("\x80\2}r\xff\xff\xff\xff."),
         "LONG_BINPUT: memo slot 4294967295, but a pickle of this length"},
        {BYTES("\x80\2}q\x06."), "BINPUT: memo slot 6, but a pickle of this "
                                 "length can need no more than 6"},
        /* what would run */
        {BYTES("\x80\2cposix\nsystem\n."),
         "byte 2, GLOBAL: asks for posix.system, which is not needed"},
        {BYTES("\x80\2cm\nff\n."), "asks for m.ff, which is not needed"},
        {BYTES("\x80\2cm.f\n\n."), "asks for m.f., which is not needed"},
        {BYTES("\x80\2c\nm f\n."), "asks for .m f, which is not needed"},
        {BYTES("\x80\2ca\x1b[2J\nf\n."), "asks for a?[2J.f, which"},
        {BYTES("\x80\2R."), "REDUCE: needs 1 values, but the stack has 0"},
        {BYTES("\x80\2)R."), "REDUCE: needs 2 values, but the stack has 1"},
        {BYTES("\x80\2N)R."), "REDUCE: would call None with a tuple"},
        {BYTES("\x80\2cm\nf\nNR."), "would call the name of a function with "
                                    "None"},
        {BYTES("\x80\2ccollections\nOrderedDict\nN\x85R."),
         "REDUCE: OrderedDict with 1 arguments; expected none"},
        {BYTES("\x80\2NQ."), "BINPERSID: what is outside is named by None"},
        {BYTES("\x80\2Q."), "BINPERSID: needs 1 values"},
        {BYTES("\x80\2}b."), "BUILD: needs 2 values, but the stack has 1"},
        {BYTES("\x80\2}}" META "}sb."),
         "BUILD: would set attributes of a dict"},
        {BYTES("\x80\2cm\nf\n)R}b."),
         "BUILD: would set attributes of the result of a call"},
        {BYTES("\x80\2" ORDERED "}b."), "BUILD: would set other attributes"},
        {BYTES("\x80\2" ORDERED "Nb."), "BUILD: would set other attributes"},
        {BYTES("\x80\2" ORDERED "}X\1\0\0\0aNsb."),
         "BUILD: would set other attributes than _metadata"},
        {BYTES("\x80\2" ORDERED "}(" META "}X\1\0\0\0aNub."),
         "BUILD: would set other attributes than _metadata"},
    };
    pickle p;
    for (size_t i = 0; i < COUNT(all); i++)
        REFUSED(parse_pickle(f, all[i].at, all[i].n, &p), all[i].says);
}

static void values_are_what_the_opcodes_say(void **state) {
    fixture *f = *state;
    static const char text[] =
        "\x80\2("
        "N\x88\x89K\xffM\xff\xffJ\xff\xff\xff\xff" /* to 5 */
        "\x8a\0\x8a\1\x80\x8a\2\x80\0"             /* 6, 7, 8 */
        "\x8a\x08\0\0\0\0\0\0\0\x80"               /* 9 */
        "G\x3f\xf0\0\0\0\0\0\0"                    /* 10 */
        "X\2\0\0\0\xc3\xa9q\1"                     /* 11 */
        "]q\2(h\1h\1eNa"                           /* 12 */
        ")\x85h\2h\2\x86"                          /* 13, 14 */
        "cm\nf\nNN\x86R"                           /* 15 */
        "h\1\x85Q"                                 /* 16 */
        ORDERED "X\1\0\0\0aNs}" META "}sb"         /* 17 */
        "t.";
    static const int64_t numbers[] = {0,  1, 0,    255, 65535,
                                      -1, 0, -128, 128, INT64_MIN};
    pickle p;
    OK(pickle_parse((const unsigned char *)text, sizeof text - 1, some,
                    COUNT(some), &f->mem, &p, &f->e));
    assert_int_equal(p.top->kind, PICKLE_TUPLE);
    assert_int_equal(p.top->n, 18);
    for (uint32_t i = 0; i < COUNT(numbers); i++)
        assert_true(pickle_item(&p, p.top, i)->number == numbers[i]);
    assert_int_equal(pickle_item(&p, p.top, 10)->kind, PICKLE_FLOAT);
    const pickle_value *text_value = pickle_item(&p, p.top, 11);
    assert_true(pickle_text_is(&p, text_value, "\xc3\xa9"));
    assert_false(pickle_text_is(&p, text_value, "\xc3"));
    assert_false(pickle_text_is(&p, p.top, ""));
    const pickle_value *list = pickle_item(&p, p.top, 12);
    assert_int_equal(list->kind, PICKLE_LIST);
    assert_int_equal(list->n, 3);
    assert_ptr_equal(pickle_item(&p, list, 1), text_value);
    assert_int_equal(pickle_item(&p, list, 2)->kind, PICKLE_NONE);
    assert_int_equal(pickle_item(&p, p.top, 13)->depth, 2);
    assert_ptr_equal(pickle_item(&p, pickle_item(&p, p.top, 14), 1), list);
    const pickle_value *call = pickle_item(&p, p.top, 15);
    assert_int_equal(call->kind, PICKLE_CALL);
    assert_int_equal(call->number, 1);
    assert_int_equal(call->n, 2);
    assert_int_equal(pickle_item(&p, p.top, 16)->kind, PICKLE_OUTSIDE);
    const pickle_value *dict = pickle_item(&p, p.top, 17);
    assert_int_equal(dict->kind, PICKLE_DICT);
    assert_int_equal(dict->n, 2);
}

/* ()  then BINPUT 0, BINGET 0, TUPLE2 again and again: 2^levels leaves. */
static void tuples_that_double_cost_nothing_and_end(void **state) {
    fixture *f = *state;
    static buffer b;
    for (int levels = 30; levels <= 1000; levels += 970) {
        b.n = 0;
        put(&b, BYTES("\x80\2)"));
        for (int i = 0; i < levels; i++)
            put(&b, BYTES("q\0h\0\x86"));
        put(&b, ".", 1);
        pickle p;
        if (levels == 30)
            OK(parse_pickle(f, b.at, b.n, &p));
        else
            REFUSED(parse_pickle(f, b.at, b.n, &p),
                    "TUPLE2: containers nest more than 32 deep");
    }
}

/* A dict that holds itself is a circle; nothing walks it. */
static void circles_are_harmless(void **state) {
    fixture *f = *state;
    static buffer b;
    pickle p;
    OK(parse_pickle(f, BYTES("\x80\2}q\0X\1\0\0\0ah\0s."), &p));
    b.n = 0;
    put(&b, BYTES("\x80\2]q\0"));
    for (int i = 0; i < 40; i++)
        put(&b, BYTES("h\0a"));
    put(&b, ".", 1);
    REFUSED(parse_pickle(f, b.at, b.n, &p), "nest more than 32 deep");
}

static void the_number_of_values_is_bounded(void **state) {
    fixture *f = *state;
    size_t n = PICKLE_MAX_VALUES + 10;
    unsigned char *at = malloc(n);
    pickle p;
    assert_non_null(at);
    static const struct {
        char fill;
        const char *says;
    } all[] = {{'N', "NONE: more than 1048576 values"},
               {'(', "MARK: more than 1048576 values on the stack"}};
    for (size_t i = 0; i < COUNT(all); i++) {
        memset(at, all[i].fill, n);
        at[0] = 0x80, at[1] = 2;
        REFUSED(parse_pickle(f, at, n, &p), all[i].says);
    }
    /* two million items: a list gets None and None again */
    size_t pairs = n / 2 * 3 / 2;
    unsigned char *more = malloc(2 * pairs * 3);
    assert_non_null(more);
    size_t k = 0;
    memcpy(more, "\x80\2]Nq\0a", k = 7);
    while (k < 2 * pairs * 3 - 3) {
        memcpy(more + k, "h\0a", 3);
        k += 3;
    }
    more[k++] = '.';
    REFUSED(parse_pickle(f, more, k, &p), "APPEND: more than 1048576 items");
    free(more);
    free(at);
    unsigned char *long_one = calloc(PICKLE_MAX_BYTES + 1, 1);
    assert_non_null(long_one);
    arena mem = {0};
    REFUSED(pickle_parse(long_one, PICKLE_MAX_BYTES + 1, some, COUNT(some),
                         &mem, &p, &f->e),
            "has 67108865 bytes, at most 67108864 are read");
    arena_free(&mem);
    free(long_one);
}

/* ---- Archives ---- */

/* A file in an archive, and what its headers say where that is not the truth.
 */
typedef struct {
    const char *name;
    const void *at;
    size_t n;
    uint64_t size;   /* 0: n */
    uint32_t packed; /* 0: n */
    uint16_t method; /* 0: stored */
    uint16_t flags;  /* 1: encrypted */
    bool no_sum, wrong_sum;
    int lies_on; /* not 0: on the bytes of that one, counted from 1 */
} member;

enum { FILES = 32 };

typedef struct {
    member files[FILES];
    int n;
    bool zip64; /* sizes and places in extra fields of 64 bits */
} archive;

static uint32_t sum_of(const unsigned char *at, size_t n) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= at[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

/* What both headers of a file have in common. */
static void put_header(buffer *b, const member *x, bool zip64) {
    uint64_t size = x->size ? x->size : x->n;
    put_number(b, 45, 2);
    put_number(b, x->flags, 2);
    put_number(b, x->method, 2);
    put_number(b, 0, 4);
    put_number(b, x->no_sum ? 0 : sum_of(x->at, x->n) ^ x->wrong_sum, 4);
    put_number(b, zip64 ? UINT32_MAX : x->packed ? x->packed : x->n, 4);
    put_number(b, zip64 ? UINT32_MAX : size, 4);
    put_number(b, strlen(x->name), 2);
}

static void put_directory(buffer *b, const archive *a, const size_t *places) {
    size_t start = b->n;
    for (int i = 0; i < a->n; i++) {
        const member *x = &a->files[i];
        size_t place = places[x->lies_on ? x->lies_on - 1 : i];
        bool wide = a->zip64 || x->size > UINT32_MAX;
        put(b, BYTES("PK\1\2"));
        put_number(b, 45, 2);
        put_header(b, x, wide);
        put_number(b, wide ? 28 : 0, 2);
        put_number(b, 0, 10);
        put_number(b, wide ? UINT32_MAX : place, 4);
        put_text(b, x->name);
        if (wide) {
            put_number(b, 1, 2);
            put_number(b, 24, 2);
            put_number(b, x->size ? x->size : x->n, 8);
            put_number(b, x->n, 8);
            put_number(b, place, 8);
        }
    }
    size_t end = b->n, n = (size_t)a->n;
    if (a->zip64) {
        put(b, BYTES("PK\6\6"));
        put_number(b, 44, 8);
        put_number(b, 45 | 45 << 16, 4);
        put_number(b, 0, 8);
        put_number(b, n, 8);
        put_number(b, n, 8);
        put_number(b, end - start, 8);
        put_number(b, start, 8);
        put(b, BYTES("PK\6\7"));
        put_number(b, 0, 4);
        put_number(b, end, 8);
        put_number(b, 1, 4);
    }
    put(b, BYTES("PK\5\6"));
    put_number(b, 0, 4);
    put_number(b, a->zip64 ? UINT16_MAX : n, 2);
    put_number(b, a->zip64 ? UINT16_MAX : n, 2);
    put_number(b, a->zip64 ? UINT32_MAX : end - start, 4);
    put_number(b, a->zip64 ? UINT32_MAX : start, 4);
    put_number(b, 0, 2);
}

/* The archive as bytes. Data begins at multiples of 64, as with torch.save. */
static void put_archive(buffer *b, const archive *a) {
    size_t places[FILES] = {0};
    b->n = 0;
    for (int i = 0; i < a->n; i++) {
        const member *x = &a->files[i];
        places[i] = b->n;
        if (x->lies_on)
            continue;
        size_t header = 30 + strlen(x->name) + 4;
        size_t padding = (64 - (b->n + header) % 64) % 64;
        put(b, BYTES("PK\3\4"));
        put_header(b, x, a->zip64);
        put_number(b, 4 + padding, 2);
        put_text(b, x->name);
        put_text(b, "FB");
        put_number(b, padding, 2);
        for (size_t k = 0; k < padding; k++)
            put_text(b, "Z");
        put(b, x->at, x->n);
    }
    put_directory(b, a, places);
}

static member *add_file(archive *a, const char *name, const void *at,
                        size_t n) {
    assert_true(a->n < FILES);
    a->files[a->n] = (member){.name = name, .at = at, .n = n};
    return &a->files[a->n++];
}

/* One stored block of deflate: nothing is compressed, but the method is it. */
static void put_deflated(buffer *b, const void *at, size_t n) {
    put_number(b, 1, 1);
    put_number(b, n, 2);
    put_number(b, ~n, 2);
    put(b, at, n);
}

/* ---- State dicts ---- */

/* A tensor as torch.save describes it; n_dims sizes, then as many strides. */
typedef struct {
    const char *name, *type, *key;
    int64_t n, offset;
    int n_dims;
    int64_t dims[18];
} view;

static void put_string(buffer *b, const char *text) {
    put_text(b, "X");
    put_number(b, strlen(text), 4);
    put_text(b, text);
}

static void put_int(buffer *b, int64_t x) {
    put(b, BYTES("\x8a\x08"));
    put_number(b, (uint64_t)x, 8);
}

static void put_ints(buffer *b, const int64_t *at, int n) {
    put_text(b, "(");
    for (int i = 0; i < n; i++)
        put_int(b, at[i]);
    put_text(b, "t");
}

static void put_view(buffer *b, const view *v) {
    put_text(b, "ctorch._utils\n_rebuild_tensor_v2\n((");
    put_string(b, "storage");
    put_text(b, "ctorch\n");
    put_text(b, v->type);
    put_text(b, "Storage\n");
    put_string(b, v->key);
    put_string(b, "cpu");
    put_int(b, v->n);
    put_text(b, "tQ");
    put_int(b, v->offset);
    put_ints(b, v->dims, v->n_dims);
    put_ints(b, v->dims + v->n_dims, v->n_dims);
    put(b, BYTES("\x89" ORDERED "tR"));
}

static void put_state_dict(buffer *b, const view *views, int n) {
    b->n = 0;
    put(b, BYTES("\x80\2}("));
    for (int i = 0; i < n; i++) {
        put_string(b, views[i].name);
        put_view(b, &views[i]);
    }
    put_text(b, "u.");
}

static const float six[6] = {1, 2, 3, 4, 5, 6};

static const view plain = {"w", "Float", "0", 6, 0, 2, {2, 3, 3, 1}};

/* An archive that is right: R/data.pkl with one tensor, and R/data/0. */
static void good_archive(archive *a, buffer *pickle_bytes, const view *v) {
    memset(a, 0, sizeof *a);
    put_state_dict(pickle_bytes, v, 1);
    add_file(a, "R/data.pkl", pickle_bytes->at, pickle_bytes->n);
    add_file(a, "R/data/0", six, sizeof six);
    add_file(a, "R/version", "3\n", 2);
}

/* Parses a copy of just this length; what it makes lives in the fixture. */
static int parse_bytes(fixture *f, const void *at, size_t n,
                       tensor_list *list) {
    unsigned char *copy = copy_of(at, n);
    arena mem = {0};
    *list = (tensor_list){.n = 9};
    int status = pth_parse(copy, n, "x.pth", &mem, list, &f->e);
    if (status) {
        assert_int_equal(strncmp(f->e.message, "x.pth: ", 7), 0);
        assert_int_equal(list->n, 0);
        assert_null(list->at);
    }
    list->at = NULL;
    arena_free(&mem);
    free(copy);
    return status;
}

static int parse_archive(fixture *f, const archive *a) {
    static buffer b;
    tensor_list list;
    put_archive(&b, a);
    return parse_bytes(f, b.at, b.n, &list);
}

/* ---- What an archive must be ---- */

static void what_is_no_archive_is_refused(void **state) {
    fixture *f = *state;
    static const struct {
        const char *at;
        size_t n;
        const char *says;
    } all[] = {
        {BYTES(""), "x.pth: is 0 bytes long; a checkpoint is a zip archive"},
        {BYTES("PK\3"), "is 3 bytes long"},
        {BYTES("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
         "starts with bytes 50 4b 05 06"},
        {BYTES("\x80\2}."), "starts with bytes 80 02 7d 2e; a checkpoint is a"},
        {BYTES("\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."),
         "is in the format from before PyTorch 1.6, which is not read: load it "
         "in a current PyTorch and torch.save it again, or convert it to "
         "safetensors"},
        {BYTES("<!DOCTYPE html><html>"), "x.pth: is a web page, not weights"},
        {BYTES("version https://git-lfs.github.com/spec/v1\noid"),
         "x.pth: is a Git LFS pointer, not weights"},
        {BYTES("PK\3\4"), "has no directory at its end; it was cut short"},
    };
    tensor_list list;
    for (size_t i = 0; i < COUNT(all); i++)
        REFUSED(parse_bytes(f, all[i].at, all[i].n, &list), all[i].says);
}

static void the_pickle_must_be_there_once(void **state) {
    fixture *f = *state;
    static buffer p;
    archive a;
    static const char *const elsewhere[] = {"data.pkl",     "/data.pkl",
                                            "R/S/data.pkl", "R/data.pkl2",
                                            "Rdata.pkl",    "R/data.PKL"};
    for (size_t i = 0; i < COUNT(elsewhere); i++) {
        good_archive(&a, &p, &plain);
        a.files[0].name = elsewhere[i];
        REFUSED(parse_archive(f, &a), "has no data.pkl in a folder");
    }
    good_archive(&a, &p, &plain);
    add_file(&a, "S/data.pkl", p.at, p.n);
    REFUSED(parse_archive(f, &a),
            "has two data.pkl, \"R/data.pkl\" and \"S/data.pkl\"");
    a.files[3].name = "R/data.pkl";
    REFUSED(parse_archive(f, &a),
            "has two data.pkl, \"R/data.pkl\" and \"R/data.pkl\"");
    a.files[3].name = "R/data/0";
    REFUSED(parse_archive(f, &a), "has two entries \"R/data/0\"");
    char name[1100];
    memset(name, 'R', sizeof name);
    strcpy(name + 1001, "/data.pkl");
    good_archive(&a, &p, &plain);
    a.files[0].name = name;
    REFUSED(parse_archive(f, &a), "has a name of 1001 bytes");
}

static void entries_that_break_a_rule_are_refused(void **state) {
    fixture *f = *state;
    static buffer p, deflated;
    archive a;
    deflated.n = 0;
    put_deflated(&deflated, six, sizeof six);
#define IN_0 "entry \"R/data/0\" "
    static const struct {
        member is; /* at null: the six floats, deflated */
        const char *says;
    } all[] = {
        {{.at = six, .n = 24, .flags = 1},
         IN_0 "is encrypted; save it without a password"},
        {{.at = six, .n = 24, .method = 12},
         IN_0 "is compressed by method 12; only stored and deflated"},
        {{.at = six, .n = 24, .method = 9}, IN_0 "is compressed by method 9"},
        {{.at = six, .n = 24, .method = 93}, IN_0 "is compressed by method 93"},
        {{.at = six, .n = 24, .wrong_sum = true},
         IN_0 "does not have its checksum: it was damaged"},
        {{.at = six, .n = 24, .no_sum = true}, IN_0 "does not have its chec"},
        {{.at = six, .n = 20},
         "its storage should hold 6 numbers of type F32, "
         "but entry \"R/data/0\" has 20 bytes, room for 5"},
        {{.at = six, .n = 23}, "has 23 bytes, room for 5"},
        {{.at = six, .n = 20, .size = 24}, IN_0 "ends after 20 of 24 bytes"},
        {{.n = 10, .size = 24, .method = 8}, IN_0 "ends after 5 of 24 bytes"},
        {{.at = "abcdefgh", .n = 8, .size = 24, .method = 8},
         IN_0 "ends after 0 of 24 bytes: "},
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        good_archive(&a, &p, &plain);
        a.files[1] = all[i].is;
        a.files[1].name = "R/data/0";
        if (!all[i].is.at)
            a.files[1].at = deflated.at;
        REFUSED(parse_archive(f, &a), all[i].says);
    }
    /* the directory says less than there is */
    view four = plain;
    four.n = 4;
    four.dims[1] = 2;
    good_archive(&a, &p, &four);
    a.files[1].size = 16;
    REFUSED(parse_archive(f, &a), "R/data/0\" ");
    a.files[1].at = deflated.at;
    a.files[1].n = deflated.n;
    a.files[1].method = 8;
    REFUSED(parse_archive(f, &a), IN_0);
}

/* The pickle itself is an entry as well. */
static void a_bad_entry_of_the_pickle_is_refused(void **state) {
    fixture *f = *state;
    static buffer p;
    archive a;
    static const struct {
        member is;
        const char *says;
    } all[] = {
        {{.flags = 1}, "x.pth: entry \"R/data.pkl\" is encrypted"},
        {{.method = 14}, "x.pth: entry \"R/data.pkl\" is compressed by"},
        {{.wrong_sum = true},
         "entry \"R/data.pkl\" does not have its checksum"},
        {{.size = PICKLE_MAX_BYTES + 1},
         "entry \"R/data.pkl\" has 67108865 bytes, at most 67108864 are read"},
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        good_archive(&a, &p, &plain);
        member is = a.files[0];
        a.files[0] = all[i].is;
        a.files[0].name = is.name, a.files[0].at = is.at, a.files[0].n = is.n;
        REFUSED(parse_archive(f, &a), all[i].says);
    }
}

static void
sizes_that_cannot_be_are_refused_before_memory_is_taken(void **state) {
    fixture *f = *state;
    static buffer p;
    archive a;
    static const struct {
        uint64_t size;
        uint16_t method;
        const char *says;
    } all[] = {
        {UINT64_C(24) << 32, 8, "when inflated; at most 4294967296 are read"},
        {UINT64_MAX / 8 * 4, 8, "when inflated; at most 4294967296 are read"},
        {UINT64_C(1) << 32, 8, "24 compressed bytes cannot hold 4294967296"},
        {25800, 8, "24 compressed bytes cannot hold 25800"},
        {UINT64_C(1) << 20, 0, "has 1048576 bytes, too many for a file of"},
        {UINT64_MAX / 8 * 4, 0, "too many for a file of"},
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        view v = plain;
        v.n = (int64_t)(all[i].size / 4);
        good_archive(&a, &p, &v);
        a.files[1].size = all[i].size;
        a.files[1].method = all[i].method;
        REFUSED(parse_archive(f, &a), all[i].says);
    }
}

static void an_entry_takes_up_no_more_bytes_than_the_file(void **state) {
    fixture *f = *state;
    static buffer p;
    archive a;
    view v = plain;
    v.n = 1 << 28;
    good_archive(&a, &p, &v);
    a.files[1].size = 1 << 30;
    a.files[1].packed = 1 << 20;
    a.files[1].method = 8;
    REFUSED(parse_archive(f, &a),
            "R/data/0\" has 1048576 bytes, too many for a file of");
}

/* Entries that all lie on the same bytes are more than the file has. */
static void overlapping_entries_end(void **state) {
    fixture *f = *state;
    static buffer p;
    static float much[2000];
    enum { N = 4 };
    view views[N];
    archive a = {0};
    static const char *const names[N][3] = {{"a", "0", "R/data/0"},
                                            {"b", "1", "R/data/1"},
                                            {"c", "2", "R/data/2"},
                                            {"d", "3", "R/data/3"}};
    for (int i = 0; i < N; i++)
        views[i] =
            (view){names[i][0], "Float", names[i][1], 2000, 0, 1, {2000, 1}};
    put_state_dict(&p, views, N);
    add_file(&a, "R/data.pkl", p.at, p.n);
    for (int i = 0; i < N; i++)
        add_file(&a, names[i][2], much, sizeof much)->lies_on = i ? 2 : 0;
    REFUSED(parse_archive(f, &a), "has 8000 bytes, too many for a file of");
}

static void the_byte_order_must_be_little(void **state) {
    fixture *f = *state;
    static buffer p;
    archive a;
    static const char *const other[] = {"big", "", "Little", "little\n",
                                        "a very long byte order, in fact"};
    good_archive(&a, &p, &plain);
    add_file(&a, "R/byteorder", "little", 6);
    OK(parse_archive(f, &a));
    for (size_t i = 0; i < COUNT(other); i++) {
        a.files[3].at = other[i];
        a.files[3].n = strlen(other[i]);
        REFUSED(parse_archive(f, &a), "entry \"R/byteorder\" says \"");
    }
    a.files[3].at = "big";
    a.files[3].n = 3;
    REFUSED(parse_archive(f, &a), "says \"big\"; only little-endian numbers");
    a.files[3].name = "S/byteorder"; /* of something else */
    OK(parse_archive(f, &a));
}

static void every_kind_of_archive_that_is_right_is_read(void **state) {
    fixture *f = *state;
    static buffer p, b, deflated;
    archive a;
    tensor_list list;
    deflated.n = 0;
    put_deflated(&deflated, six, sizeof six);
    for (int kind = 0; kind < 4; kind++) {
        good_archive(&a, &p, &plain);
        a.zip64 = kind == 1;
        if (kind == 2)
            a.files[1] = (member){.name = "R/data/0",
                                  .at = deflated.at,
                                  .n = deflated.n,
                                  .size = 24,
                                  .method = 8,
                                  .no_sum = true};
        for (int i = 0; i < a.n && (kind == 2 || kind == 3); i++)
            a.files[i].no_sum = true;
        put_archive(&b, &a);
        unsigned char *copy = copy_of(b.at, b.n);
        OK(pth_parse(copy, b.n, "x.pth", &f->mem, &list, &f->e));
        assert_int_equal(list.n, 1);
        assert_string_equal(list.at[0].name, "w");
        assert_string_equal(list.file, "x.pth");
        assert_memory_equal(list.at[0].at, six, sizeof six);
        bool inside = list.at[0].at >= copy && list.at[0].at < copy + b.n;
        assert_int_equal(inside, kind != 2);
        if (kind == 2 || kind == 3)
            assert_string_equal(list.warning,
                                "x.pth: its archive has no checksums; damage "
                                "to the weights would not be noticed");
        else
            assert_null(list.warning);
        free(copy);
    }
}

/* ---- What a tensor must be ---- */

static void storages_that_break_a_rule_are_refused(void **state) {
    fixture *f = *state;
    static buffer p;
    archive a;
    static const struct {
        const char *type, *key;
        int64_t n;
        const char *says;
    } all[] = {
        {"Float", "1", 6,
         "its storage is missing: there is no entry "
         "\"R/data/1\""},
        {"Float", "", 6, "has the key \"\"; expected a plain name"},
        {"Float", "../data/0", 6,
         "has the key \"../data/0\"; expected a plain"},
        {"Float", "..", 6, "has the key \"..\"; expected a plain name"},
        {"Float", "a/0", 6, "has the key \"a/0\"; expected a plain name"},
        {"Float", "/0", 6, "has the key \"/0\""},
        {"Float", "0", 7,
         "should hold 7 numbers of type F32, but entry "
         "\"R/data/0\" has 24 bytes, room for 6"},
        {"Float", "0", 5, "should hold 5 numbers of type F32"},
        {"Float", "0", -1, "should hold -1 numbers"},
        {"Float", "0", INT64_MAX, "should hold 9223372036854775807 numbers"},
        {"Float", "0", (INT64_C(1) << 62) + 6, "should hold 46116860184273879"},
        {"Double", "0", 6, "should hold 6 numbers of type F64"},
        {"Half", "0", 6, "should hold 6 numbers of type F16"},
        {"Bool", "0", 6, "should hold 6 numbers of type BOOL"},
        {"Untyped", "0", 6, "GLOBAL: asks for torch.UntypedStorage, which"},
        {"QInt8", "0", 6, "GLOBAL: asks for torch.QInt8Storage, which"},
        {"ComplexFloat", "0", 3, "asks for torch.ComplexFloatStorage, which"},
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        view v = plain;
        v.type = all[i].type, v.key = all[i].key, v.n = all[i].n;
        good_archive(&a, &p, &v);
        REFUSED(parse_archive(f, &a), all[i].says);
        assert_says(&f->e, "x.pth: R/data.pkl: byte ");
    }
}

#define BIG (INT64_C(1) << 62)

static void views_that_break_a_rule_are_refused(void **state) {
    fixture *f = *state;
    static buffer p;
    archive a;
    static const struct {
        int64_t offset;
        int n_dims;
        int64_t dims[18];
        const char *says;
    } all[] = {
        {1,
         2,
         {2, 3, 3, 1},
         "shape [2, 3] ends at element 6 of a storage that "
         "has 6"},
        {0, 2, {3, 3, 3, 1}, "shape [3, 3] ends at element 8"},
        {0, 2, {2, 3, 4, 1}, "shape [2, 3] ends at element 6"},
        {-1, 1, {1, 1}, "begins -1 elements into a storage of 6"},
        {INT64_MIN, 1, {1, 1}, "begins -9223372036854775808 elements"},
        {-1, 1, {7, 1}, "begins -1 elements into a storage of 6"},
        {7, 1, {0, 1}, "begins 7 elements into a storage of 6"},
        {6, 0, {0}, "shape [] ends at element 6 of a storage that has 6"},
        {0, 1, {-1, 1}, "size 0 is -1 and its stride 1; neither may be"},
        {0, 2, {2, 2, 2, -1}, "size 1 is 2 and its stride -1; neither may be"},
        {5, 1, {6, -1}, "size 0 is 6 and its stride -1; neither may be"},
        {0, 2, {BIG, 4, 1, 1}, "shape [4611686018427387904, 4] overflows"},
        {0,
         3,
         {BIG, 4, 0, 0, 0, 0},
         "shape [4611686018427387904, 4, 0] overflows"},
        {0,
         2,
         {0, 4, 1, BIG},
         "size 4 and stride 4611686018427387904 overflow"},
        {0, 1, {3, BIG}, "size 3 and stride 4611686018427387904 overflow"},
        {0, 3, {2, 2, 2, BIG, BIG, 1}, "size 2 and stride 46116860184273879"},
        {INT64_MAX, 1, {2, 1}, "size 2 and stride 1 overflow"},
        {0,
         1,
         {INT64_C(1) << 31, 0},
         "its 2147483648 elements are too many; "
         "the tensors of a file may take "
         "4294967296 bytes"},
        {0,
         9,
         {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
         "has 9 dimensions, at most 8 are read"},
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        view v = plain;
        v.offset = all[i].offset;
        v.n_dims = all[i].n_dims;
        memcpy(v.dims, all[i].dims, sizeof v.dims);
        good_archive(&a, &p, &v);
        REFUSED(parse_archive(f, &a), all[i].says);
        assert_says(&f->e, "x.pth: R/data.pkl: byte ");
        assert_says(&f->e, ", tensor \"w\": ");
    }
}

/* Many views of few numbers: each is small enough, together they are not. */
static void the_sum_of_all_tensors_is_bounded(void **state) {
    fixture *f = *state;
    static buffer p;
    archive a = {0};
    view views[3];
    for (int i = 0; i < 3; i++)
        views[i] = (view){i == 0   ? "a"
                          : i == 1 ? "b"
                                   : "c",
                          "Float",
                          "0",
                          6,
                          0,
                          1,
                          {INT64_C(1) << 29, 0}};
    put_state_dict(&p, views, 3);
    add_file(&a, "R/data.pkl", p.at, p.n);
    add_file(&a, "R/data/0", six, sizeof six);
    REFUSED(parse_archive(f, &a), "tensor \"c\": its 536870912 elements are");
}

static void views_of_every_legal_kind_are_read(void **state) {
    fixture *f = *state;
    static buffer p, b;
    archive a;
    tensor_list list;
    static const struct {
        int64_t offset;
        int n_dims;
        int64_t dims[16];
        int n;
        float is[6];
    } all[] = {
        {0, 2, {2, 3, 3, 1}, 6, {1, 2, 3, 4, 5, 6}},
        {0, 2, {3, 2, 1, 3}, 6, {1, 4, 2, 5, 3, 6}},
        {5, 0, {0}, 1, {6}},
        {1, 1, {3, 2}, 3, {2, 4, 6}},
        {2, 2, {2, 2, 0, 1}, 4, {3, 4, 3, 4}},
        {3, 2, {1, 2, INT64_MAX, 1}, 2, {4, 5}},
        {3, 2, {2, 1, 1, INT64_MAX}, 2, {4, 5}},
        {6, 2, {0, 5, 5, 1}, 0, {0}},
        {0, 2, {5, 0, 1, 1}, 0, {0}},
        {0, 3, {0, 3, 2, 6, 2, 1}, 0, {0}},
        {0, 8, {1, 1, 1, 1, 1, 1, 1, 2, 9, 9, 9, 9, 9, 9, 9, 1}, 2, {1, 2}},
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        view v = plain;
        v.offset = all[i].offset;
        v.n_dims = all[i].n_dims;
        memcpy(v.dims, all[i].dims, sizeof all[i].dims);
        good_archive(&a, &p, &v);
        put_archive(&b, &a);
        unsigned char *copy = copy_of(b.at, b.n);
        float *x = NULL;
        OK(pth_parse(copy, b.n, "x.pth", &f->mem, &list, &f->e));
        OK(tensor_floats(&list.at[0], &f->mem, &x, &f->e));
        assert_memory_equal(x, all[i].is, (size_t)all[i].n * sizeof *x);
        free(copy);
    }
}

static void every_type_is_known(void **state) {
    fixture *f = *state;
    static buffer p, b;
    archive a;
    tensor_list list;
    static const struct {
        const char *name;
        dtype is;
    } all[] = {{"Float", DTYPE_F32}, {"Double", DTYPE_F64},
               {"Half", DTYPE_F16},  {"BFloat16", DTYPE_BF16},
               {"Long", DTYPE_I64},  {"Int", DTYPE_I32},
               {"Short", DTYPE_I16}, {"Char", DTYPE_I8},
               {"Byte", DTYPE_U8},   {"Bool", DTYPE_BOOL}};
    assert_int_equal(COUNT(all), DTYPE_COUNT);
    for (size_t i = 0; i < COUNT(all); i++) {
        view v = plain;
        v.type = all[i].name;
        v.n = (int64_t)(24 / dtype_size(all[i].is));
        v.n_dims = 1, v.dims[0] = v.n, v.dims[1] = 1;
        good_archive(&a, &p, &v);
        put_archive(&b, &a);
        OK(pth_parse(b.at, b.n, "x.pth", &f->mem, &list, &f->e));
        assert_int_equal(list.at[0].dtype, all[i].is);
        assert_int_equal(list.at[0].shape[0], v.n);
    }
}

/* ---- What a state dict must be ---- */

static void dicts_that_break_a_rule_are_refused(void **state) {
    fixture *f = *state;
    static buffer p, one;
    archive a;
#define V2 "ctorch._utils\n_rebuild_tensor_v2\n"
#define PARAMETER "ctorch._utils\n_rebuild_parameter\n"
#define STORAGE                                                                \
    "(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"                         \
    "0X\3\0\0\0cpuK\6tQ"
#define REST "K\0K\6\x85K\1\x85\x89" ORDERED
#define NAME "X\1\0\0\0w"
    static const struct {
        const char *at;
        size_t n;
        const char *says;
    } all[] = {
        {BYTES("]"), "R/data.pkl: holds a list, expected a dict of tensors"},
        {BYTES("N"), "R/data.pkl: holds None"},
        {BYTES(V2 "(" STORAGE REST "tR"), "holds the result of a call"},
        {BYTES("}" NAME "Ns"), "byte 9, tensor \"w\": is None, not a tensor"},
        {BYTES("}" NAME "}s"), "tensor \"w\": is a dict, not a tensor; save "
                               "the model's state_dict by itself"},
        {BYTES("}" NAME "K\1s"), "tensor \"w\": is an integer, not a tensor"},
        {BYTES("}" NAME STORAGE "s"), "tensor \"w\": is a storage, not a"},
        {BYTES("}" NAME V2 "s"), "is the name of a function, not a tensor"},
        {BYTES("}" NAME "ctorch\nFloatStorage\n)Rs"),
         "tensor \"w\": is the result of FloatStorage, not a tensor"},
        {BYTES("}" NAME V2 ")Rs"),
         "the call that makes it has 0 items, expected 6"},
        {BYTES("}" NAME V2 "(" STORAGE REST "NNtRs"),
         "the call that makes it has 8 items, expected 6"},
        {BYTES("}" NAME V2 "(NK\0)))" ORDERED "tRs"),
         "item 0 of the call that makes it is None, which is not expected"},
        {BYTES("}" NAME V2 "(" STORAGE "N))\x89" ORDERED "tRs"),
         "item 1 of the call that makes it is None"},
        {BYTES("}" NAME V2 "(" STORAGE "K\0])\x89" ORDERED "tRs"),
         "item 2 of the call that makes it is a list"},
        {BYTES("}" NAME V2 "(" STORAGE "K\0)N\x89" ORDERED "tRs"),
         "item 3 of the call that makes it is None"},
        {BYTES("}" NAME V2 "(" STORAGE "K\0))N" ORDERED "tRs"),
         "item 4 of the call that makes it is None"},
        {BYTES("}" NAME V2 "(" STORAGE "K\0))\x89NtRs"),
         "item 5 of the call that makes it is None"},
        {BYTES("}" NAME V2 "(" STORAGE "K\0))\x89" ORDERED NAME "NstRs"),
         "item 5 of the call that makes it is a dict, which is not expected"},
        {BYTES("}" NAME V2 "(" STORAGE REST "}" NAME "\x88stRs"),
         "item 6 of the call that makes it is a dict, which is not expected"},
        {BYTES("}" NAME V2 "(" STORAGE "K\0K\6\x85)\x89" ORDERED "tRs"),
         "has 1 sizes and 0 strides"},
        {BYTES("}" NAME V2 "(" STORAGE "K\0N\x85K\1\x85\x89" ORDERED "tRs"),
         "size and stride 0 are None and an integer, not integers"},
        {BYTES("}" NAME V2 "()Q" REST "tRs"),
         "the name of its storage has 0 items, expected 5"},
        {BYTES("}" NAME V2 "((NNNNNtQ" REST "tRs"),
         "item 0 of the name of its storage is None"},
        {BYTES("}" NAME V2 "((X\6\0\0\0moduleactorch\nFloatStorage\n" NAME NAME
               "K\6tQ" REST "tRs"),
         "APPEND"},
        {BYTES("}" NAME V2 "((X\6\0\0\0modulectorch\nFloatStorage\n" NAME NAME
               "K\6tQ" REST "tRs"),
         "what should be its storage is something else"},
        {BYTES("}" NAME V2 "((X\7\0\0\0storage" V2 NAME NAME "K\6tQ" REST
               "tRs"),
         "what should be its storage is something else"},
        {BYTES("}" NAME PARAMETER ")Rs"), "the parameter has 0 items"},
        {BYTES("}" NAME PARAMETER "N\x88" ORDERED "\x87Rs"),
         "item 0 of the parameter is None"},
        {BYTES("}" NAME PARAMETER PARAMETER V2 "(" STORAGE REST "tR\x88" ORDERED
               "\x87R\x88" ORDERED "\x87Rs"),
         "is the result of _rebuild_parameter, not a tensor"},
        {BYTES("}(" NAME V2 "(" STORAGE REST "tR" NAME V2 "(" STORAGE REST
               "tRu"),
         "R/data.pkl: tensor \"w\" is there twice"},
        {BYTES("}" NAME V2 "(" STORAGE REST "tRsX\2\0\0\0w\0Ns"),
         "BINUNICODE: its text holds a NUL at byte 1"},
        {BYTES("}X\1\0\0\0\xffNs"), "BINUNICODE: its text is not valid UTF-8"},
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        one.n = 0;
        put(&one, BYTES("\x80\2"));
        put(&one, all[i].at, all[i].n);
        put_text(&one, ".");
        good_archive(&a, &p, &plain);
        a.files[0].at = one.at;
        a.files[0].n = one.n;
        REFUSED(parse_archive(f, &a), all[i].says);
    }
}

/* One long text could be the name of many tensors, and be copied for each. */
static void names_are_short(void **state) {
    fixture *f = *state;
    static buffer p;
    static char name[502];
    archive a;
    view v = plain;
    memset(name, 'k', 500);
    v.name = name;
    good_archive(&a, &p, &v);
    assert_int_equal(parse_archive(f, &a), 0);
    name[500] = 'k';
    good_archive(&a, &p, &v);
    REFUSED(parse_archive(f, &a), "R/data.pkl: byte 4: the name of a tensor "
                                  "has 501 bytes; at most 500 are read");
}

static void dicts_of_every_legal_kind_are_read(void **state) {
    fixture *f = *state;
    static buffer p, one, b;
    archive a;
    tensor_list list;
    static const struct {
        const char *at;
        size_t n, tensors;
    } all[] = {
        {BYTES("}"), 0},
        {BYTES(ORDERED), 0},
        {BYTES("}" NAME V2 "(" STORAGE REST "tRs"), 1},
        {BYTES("}" NAME V2 "(" STORAGE REST "NtRs"), 1},
        {BYTES("}" NAME V2 "(" STORAGE REST "}tRs"), 1},
        {BYTES("}" NAME PARAMETER V2 "(" STORAGE REST "tR\x88" ORDERED
               "\x87Rs"),
         1},
        {BYTES(ORDERED NAME V2 "(" STORAGE REST "tRs}" META ORDERED "sb"), 1},
        {BYTES("}(" NAME V2 "(" STORAGE REST
               "tRq\0X\1\0\0\0vh\0u(X\0\0\0\0h\0u"),
         3},
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        one.n = 0;
        put(&one, BYTES("\x80\2"));
        put(&one, all[i].at, all[i].n);
        put_text(&one, ".");
        good_archive(&a, &p, &plain);
        a.files[0].at = one.at;
        a.files[0].n = one.n;
        put_archive(&b, &a);
        OK(pth_parse(b.at, b.n, "x.pth", &f->mem, &list, &f->e));
        assert_int_equal(list.n, all[i].tensors);
        for (size_t k = 0; k < list.n; k++) {
            assert_memory_equal(list.at[k].at, six, sizeof six);
            for (size_t m = 0; m < k; m++)
                assert_true(list.at[k].at != list.at[m].at);
        }
    }
    assert_string_equal(list.at[0].name, "w");
    assert_string_equal(list.at[1].name, "v");
    assert_string_equal(list.at[2].name, "");
}

/* ---- Whole files ---- */

static bytes map_pth(fixture *f, const char *path, tensor_list *list) {
    bytes file;
    OK(file_map(path, &file, &f->e));
    OK(pth_parse(file.at, file.n, path, &f->mem, list, &f->e));
    return file;
}

static void the_golden_files_are_read_bit_for_bit(void **state) {
    fixture *f = *state;
    static const char *const names[] = {"tiny-1l", "tiny-2l"};
    for (size_t k = 0; k < COUNT(names); k++) {
        tensor_list list, golden;
        bytes file = map_pth(f, golden_path(f, names[k], "pth"), &list);
        bytes other =
            read_tensors(f, golden_path(f, names[k], "safetensors"), &golden);
        assert_int_equal(list.n, golden.n);
        assert_null(list.warning);
        for (size_t i = 0; i < golden.n; i++) {
            const tensor *g = &golden.at[i], *t = tensor_find(&list, g->name);
            char left[TENSOR_SHAPE_TEXT], right[TENSOR_SHAPE_TEXT];
            int64_t count = 0;
            assert_non_null(t);
            assert_int_equal(t->dtype, g->dtype);
            assert_string_equal(tensor_shape(t, left), tensor_shape(g, right));
            assert_true(tensor_is_dense(t));
            assert_int_equal(tensor_count(g, &count), 0);
            assert_memory_equal(t->at, g->at,
                                (size_t)count * dtype_size(g->dtype));
            /* used where it lies, and ready for that */
            assert_true(t->at >= file.at && t->at < file.at + file.n);
            assert_int_equal((uintptr_t)t->at % 64, 0);
        }
        file_unmap(&file);
        file_unmap(&other);
    }
}

/* Cut anywhere, a file is refused, and so is its pickle. */
static void a_file_cut_anywhere_is_refused(void **state) {
    fixture *f = *state;
    tensor_list list;
    bytes file;
    OK(file_map("tests/golden/tiny-1l.pth", &file, &f->e));
    for (size_t n = 0; n < file.n; n += n + 2500 < file.n ? 491 : 1)
        REFUSED(parse_bytes(f, file.at, n, &list), "x.pth: ");
    for (size_t n = 0; n < 1473; n++) {
        pickle p; /* the pickle of this file is the 1473 bytes from 64 on */
        REFUSED(parse_pickle(f, file.at + 64, n, &p), "byte ");
    }
    file_unmap(&file);
}

/* One byte changed somewhere: read or refused, and never more than that. */
static void a_changed_byte_does_no_harm(void **state) {
    fixture *f = *state;
    static buffer p, b;
    archive a;
    tensor_list list;
    int refused = 0;
    good_archive(&a, &p, &plain);
    put_archive(&b, &a);
    for (size_t i = 0; i < b.n; i++)
        for (int bit = 0; bit < 8; bit += 3) {
            b.at[i] ^= (unsigned char)(1 << bit);
            refused += parse_bytes(f, b.at, b.n, &list) != 0;
            b.at[i] ^= (unsigned char)(1 << bit);
        }
    assert_true(refused > 500);
}

/* x is y rounded to half precision, or nearly. */
static bool is_half_of(float x, float y) {
    return x == y || fabs((double)x - y) <= fabs((double)y) / 2048 + 0x1p-25 ||
           (isinf(x) && fabs((double)y) >= 65520 && signbit(x) == signbit(y));
}

static void compare_with_golden(fixture *f, const char *path) {
    tensor_list list, golden;
    bytes file = map_pth(f, path, &list);
    bytes other = read_tensors(f, "tests/golden/tiny-1l.safetensors", &golden);
    assert_int_equal(list.n, golden.n);
    for (size_t i = 0; i < golden.n; i++) {
        const tensor *g = &golden.at[i], *t = tensor_find(&list, g->name);
        int64_t count = 0;
        float *x = NULL, *y = NULL;
        assert_non_null(t);
        assert_int_equal(tensor_count(g, &count), 0);
        if (g->dtype == DTYPE_BOOL) {
            assert_memory_equal(t->at, g->at, (size_t)count);
            continue;
        }
        /* these two share a storage in one of the files, as one may */
        OK(tensor_floats(t, &f->mem, &x, &f->e));
        OK(tensor_floats(g, &f->mem, &y, &f->e));
        for (int64_t k = 0; k < count; k++)
            if (t->dtype == DTYPE_F16 ? !is_half_of(x[k], y[k]) : x[k] != y[k])
                fail_msg("%s: %s[%" PRId64 "] is %a, expected %a", path,
                         t->name, k, (double)x[k], (double)y[k]);
    }
    file_unmap(&file);
    file_unmap(&other);
}

/* tests/odd/expected.tsv says what must become of every odd file. */
static void odd_files_are_treated_as_the_table_says(void **state) {
    fixture *f = *state;
    char line[512];
    int found = 0;
    FILE *table = fopen("tests/odd/expected.tsv", "r");
    assert_non_null(table);
    link_file(f, "tests/golden/tiny-1l.config.json",
              in_folder(f, "config.json"));
    const char *weights = in_folder(f, "model.pth");
    while (fgets(line, sizeof line, table)) {
        char *name = strtok(line, "\t\n"), *result = strtok(NULL, "\t\n");
        char *says = strtok(NULL, "\t\n");
        if (!name || *name == '#' || !strstr(name, ".pth"))
            continue;
        char *path = arena_printf(&f->mem, &f->e, "tests/odd/%s", name);
        model m;
        found++;
        assert_non_null(result);
        link_file(f, path, weights);
        if (strcmp(result, "ok") == 0) {
            OK(model_open(f->folder, &m, &f->mem, &f->e));
            assert_int_equal(!m.warning, !says);
            if (says && !strstr(m.warning, says))
                fail_msg("\"%s\" should have \"%s\"", m.warning, says);
            compare_with_golden(f, path);
        } else {
            assert_non_null(says);
            REFUSED(model_open(f->folder, &m, &f->mem, &f->e), says);
            assert_says(&f->e, weights);
        }
        model_close(&m);
        assert_int_equal(unlink(weights), 0);
    }
    fclose(table);
    assert_true(found >= 18);
}

/* ---- Models ---- */

static void assert_same(const char *name, const float *x, const float *y,
                        size_t n) {
    assert_int_equal(!x, !y);
    if (x && memcmp(x, y, n * sizeof *x) != 0)
        fail_msg("%s differs", name);
}

static void assert_same_models(const model *x, const model *y) {
    size_t V = (size_t)x->c.d_vocab, D = (size_t)x->c.d_model;
    size_t HK = (size_t)(x->c.n_heads * x->c.d_head), C = (size_t)x->c.n_ctx;
    assert_same("W_E", x->W_E, y->W_E, V * D);
    assert_same("W_pos", x->W_pos, y->W_pos, C * D);
    assert_same("W_U", x->W_U, y->W_U, D * V);
    assert_same("b_U", x->b_U, y->b_U, V);
    for (int l = 0; l < x->c.n_layers; l++) {
        const layer_weights *a = &x->layers[l], *b = &y->layers[l];
        assert_same("W_Q", a->W_Q, b->W_Q, HK * D);
        assert_same("W_K", a->W_K, b->W_K, HK * D);
        assert_same("W_V", a->W_V, b->W_V, HK * D);
        assert_same("W_O", a->W_O, b->W_O, HK * D);
        assert_same("b_Q", a->b_Q, b->b_Q, HK);
        assert_same("b_K", a->b_K, b->b_K, HK);
        assert_same("b_V", a->b_V, b->b_V, HK);
        assert_same("b_O", a->b_O, b->b_O, D);
    }
}

static void a_pth_gives_the_same_model_as_a_safetensors(void **state) {
    fixture *f = *state;
    static const char *const names[] = {"tiny-1l", "tiny-2l"};
    for (size_t k = 0; k < COUNT(names); k++) {
        model x, y;
        golden_open(f, names[k], &x);
        assert_int_equal(unlink(in_folder(f, "model.safetensors")), 0);
        link_file(f, golden_path(f, names[k], "pth"), in_folder(f, "m.pth"));
        OK(model_open(f->folder, &y, &f->mem, &f->e));
        assert_same_models(&x, &y);
        OK(model_process(&x, &f->mem, &f->e));
        OK(model_process(&y, &f->mem, &f->e));
        assert_same_models(&x, &y);
        model_close(&x);
        model_close(&y);
        unlink(in_folder(f, "m.pth"));
        unlink(in_folder(f, "config.json"));
    }
}

static void a_folder_with_both_kinds_is_refused(void **state) {
    fixture *f = *state;
    model m;
    golden_link(f, "tiny-1l");
    link_file(f, "tests/golden/tiny-1l.pth", in_folder(f, "m.pth"));
    REFUSED(model_open(f->folder, &m, &f->mem, &f->e),
            "more than one weights file; keep one");
    model_close(&m);
}

/* A model of 4 tokens and 4 numbers whose W_U is W_E (or its transpose), whose
   W_Q, W_K and W_O are one array and whose b_Q and b_K overlap. Untied, every
   tensor has a storage of its own with the same numbers. */
static void write_tied(fixture *f, bool tied, bool transposed) {
    static buffer p, b;
    static float numbers[16], own[16][16];
    static char names[16][32];
    archive a = {0};
    view all[] = {
        {"embed.W_E", "Float", "0", 16, 0, 2, {4, 4, 4, 1}},
        {"unembed.W_U", "Float", "0", 16, 0, 2, {4, 4, 4, 1}},
        {"pos_embed.W_pos", "Float", "0", 16, 2, 2, {2, 4, 4, 1}},
        {"blocks.0.attn.W_Q", "Float", "0", 16, 0, 3, {1, 4, 2, 8, 2, 1}},
        {"blocks.0.attn.W_K", "Float", "0", 16, 0, 3, {1, 4, 2, 8, 2, 1}},
        {"blocks.0.attn.W_V", "Float", "0", 16, 8, 3, {1, 4, 2, 8, 2, 1}},
        {"blocks.0.attn.W_O", "Float", "0", 16, 0, 3, {1, 2, 4, 8, 4, 1}},
        {"blocks.0.attn.b_Q", "Float", "0", 16, 3, 2, {1, 2, 2, 1}},
        {"blocks.0.attn.b_K", "Float", "0", 16, 4, 2, {1, 2, 2, 1}},
        {"blocks.0.attn.b_V", "Float", "0", 16, 5, 2, {1, 2, 2, 1}},
        {"blocks.0.attn.b_O", "Float", "0", 16, 5, 1, {4, 1}},
        {"blocks.0.ln1.w", "Float", "0", 16, 6, 1, {4, 1}},
        {"blocks.0.ln1.b", "Float", "0", 16, 7, 1, {4, 1}},
        {"ln_final.w", "Float", "0", 16, 1, 1, {4, 1}},
        {"ln_final.b", "Float", "0", 16, 12, 1, {4, 1}},
        {"unembed.b_U", "Float", "0", 16, 0, 1, {4, 5}},
    };
    if (transposed)
        all[1].dims[2] = 1, all[1].dims[3] = 4;
    for (int i = 0; i < 16; i++)
        numbers[i] = (float)(i * i % 7) - 2.5f + (float)i / 16;
    add_file(&a, "R/data.pkl", NULL, 0);
    add_file(&a, "R/data/0", numbers, sizeof numbers);
    for (int i = 0; !tied && i < (int)COUNT(all); i++) {
        snprintf(names[i], sizeof names[i], "R/data/own%d", i);
        memcpy(own[i], numbers, sizeof numbers);
        add_file(&a, names[i], own[i], sizeof own[i]);
        all[i].key = names[i] + 7;
    }
    put_state_dict(&p, all, COUNT(all));
    a.files[0].at = p.at;
    a.files[0].n = p.n;
    put_archive(&b, &a);
    write_text(in_folder(f, "config.json"),
               "{\"attn_only\": true, \"n_layers\": 1, \"d_model\": 4,"
               "\"n_heads\": 1, \"d_head\": 2, \"n_ctx\": 2, \"d_vocab\": 4}");
    unlink(in_folder(f, "m.pth")); /* it may be mapped */
    FILE *file = fopen(in_folder(f, "m.pth"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(b.at, 1, b.n, file), b.n);
    assert_int_equal(fclose(file), 0);
}

static void tied_weights_are_untied(void **state) {
    fixture *f = *state;
    for (int transposed = 0; transposed < 2; transposed++) {
        model tied, untied;
        write_tied(f, true, transposed);
        OK(model_open(f->folder, &tied, &f->mem, &f->e));
        write_tied(f, false, transposed);
        OK(model_open(f->folder, &untied, &f->mem, &f->e));
        assert_same_models(&tied, &untied);
        OK(model_process(&tied, &f->mem, &f->e));
        OK(model_process(&untied, &f->mem, &f->e));
        assert_same_models(&tied, &untied);
        assert_true(memcmp(tied.W_E, tied.W_U, 16 * sizeof(float)) != 0);
        model_close(&tied);
        model_close(&untied);
    }
}

/* Two entries of the archive that lie on the same bytes tie as well. */
static void entries_on_the_same_bytes_are_untied(void **state) {
    fixture *f = *state;
    static buffer p, b;
    archive a = {0};
    tensor_list list;
    view views[] = {{"a", "Float", "0", 6, 0, 1, {6, 1}},
                    {"b", "Float", "1", 6, 0, 1, {6, 1}}};
    put_state_dict(&p, views, 2);
    add_file(&a, "R/data.pkl", p.at, p.n);
    add_file(&a, "R/data/0", six, sizeof six);
    add_file(&a, "R/data/1", six, sizeof six)->lies_on = 2;
    put_archive(&b, &a);
    OK(pth_parse(b.at, b.n, "x.pth", &f->mem, &list, &f->e));
    assert_memory_equal(list.at[0].at, six, sizeof six);
    memset(list.at[0].at, 0, sizeof six);
    assert_memory_equal(list.at[1].at, six, sizeof six);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(pickles_that_break_a_rule_are_refused),
        TEST(values_are_what_the_opcodes_say),
        TEST(tuples_that_double_cost_nothing_and_end),
        TEST(circles_are_harmless),
        TEST(the_number_of_values_is_bounded),
        TEST(what_is_no_archive_is_refused),
        TEST(the_pickle_must_be_there_once),
        TEST(entries_that_break_a_rule_are_refused),
        TEST(a_bad_entry_of_the_pickle_is_refused),
        TEST(sizes_that_cannot_be_are_refused_before_memory_is_taken),
        TEST(an_entry_takes_up_no_more_bytes_than_the_file),
        TEST(overlapping_entries_end),
        TEST(the_byte_order_must_be_little),
        TEST(every_kind_of_archive_that_is_right_is_read),
        TEST(storages_that_break_a_rule_are_refused),
        TEST(views_that_break_a_rule_are_refused),
        TEST(the_sum_of_all_tensors_is_bounded),
        TEST(views_of_every_legal_kind_are_read),
        TEST(every_type_is_known),
        TEST(dicts_that_break_a_rule_are_refused),
        TEST(names_are_short),
        TEST(dicts_of_every_legal_kind_are_read),
        TEST(the_golden_files_are_read_bit_for_bit),
        TEST(a_file_cut_anywhere_is_refused),
        TEST(a_changed_byte_does_no_harm),
        TEST(odd_files_are_treated_as_the_table_says),
        TEST(a_pth_gives_the_same_model_as_a_safetensors),
        TEST(a_folder_with_both_kinds_is_refused),
        TEST(tied_weights_are_untied),
        TEST(entries_on_the_same_bytes_are_untied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
