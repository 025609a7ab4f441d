/* Weights as .pth. An input that starts with the opcode PROTO is a pickle: it
   is put into an archive with a few storages, so that a change of it needs no
   other change around it. The archive has no checksums, which would stop most
   changes. */
#include "fuzz.h"
#include "fuzz_tensors.h"
#include "pth.h"

static void try_file(const uint8_t *data, size_t size) {
    error e = {""};
    arena a = {0};
    tensor_list list;
    unsigned char *copy = copy_of(data, size);
    int status = pth_parse(copy, size, "f", &a, &list, &e);
    check_status(status, &e);
    require(status == 0 || list.n == 0, "after a failure the list is empty");
    check_tensors(&list, &a);
    arena_free(&a);
    free(copy);
}

/* An archive in the making: the entries, and its directory. */
struct zip {
    uint8_t entries[1 << 15], directory[1 << 10];
    size_t n, n_directory, count;
};

static size_t put(uint8_t *at, uint32_t number, size_t n) {
    for (size_t i = 0; i < n; i++)
        at[i] = (uint8_t)(number >> 8 * i);
    return n;
}

/* The fields that an entry and its line in the directory have in common:
   version, flags, method, time, date, checksum, sizes, length of the name. */
static size_t put_common(uint8_t *at, size_t size, size_t n_name) {
    memset(at, 0, 26);
    put(at, 20, 2);
    put(at + 14, (uint32_t)size, 4);
    put(at + 18, (uint32_t)size, 4);
    put(at + 22, (uint32_t)n_name, 2);
    return 26;
}

static void zip_put(struct zip *z, const char *name, const void *data,
                    size_t size) {
    size_t n_name = strlen(name), start = z->n;
    uint8_t *at = z->entries + z->n, *d = z->directory + z->n_directory;
    at += put(at, 0x04034b50, 4);
    at += put_common(at, size, n_name);
    memcpy(at, name, n_name);
    if (size > 0)
        memcpy(at + n_name, data, size);
    z->n = (size_t)(at - z->entries) + n_name + size;
    d += put(d, 0x02014b50, 4);
    d += put(d, 20, 2); /* made by */
    d += put_common(d, size, n_name);
    memset(d, 0, 10); /* comment, disk, attributes */
    d += 10;
    d += put(d, (uint32_t)start, 4);
    memcpy(d, name, n_name);
    z->n_directory = (size_t)(d - z->directory) + n_name;
    z->count++;
}

/* Writes the directory and the record at the end behind the entries. */
static void zip_end(struct zip *z) {
    uint8_t *at = z->entries + z->n;
    memcpy(at, z->directory, z->n_directory);
    at += z->n_directory;
    memset(at, 0, 22);
    put(at, 0x06054b50, 4);
    put(at + 8, (uint32_t)z->count, 2);
    put(at + 10, (uint32_t)z->count, 2);
    put(at + 12, (uint32_t)z->n_directory, 4);
    put(at + 16, (uint32_t)z->n, 4);
    z->n += z->n_directory + 22;
}

static void try_pickle(const uint8_t *data, size_t size) {
    static struct zip z;
    static const uint8_t numbers[96] = {0, 0, 0x80, 0x3f, 0, 0x3c, 0xff, 0x7f};
    z.n = z.n_directory = z.count = 0;
    zip_put(&z, "a/data.pkl", data, size);
    zip_put(&z, "a/byteorder", "little", 6);
    zip_put(&z, "a/data/0", numbers, 96);
    zip_put(&z, "a/data/1", numbers, 24);
    zip_put(&z, "a/data/2", numbers, 8);
    zip_put(&z, "a/data/3", numbers, 0);
    zip_end(&z);
    try_file(z.entries, z.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0 && data[0] == 0x80 && size <= 1 << 14)
        try_pickle(data, size);
    try_file(data, size);
    return 0;
}
