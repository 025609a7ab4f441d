/* Weights as .safetensors. An input that starts with '{' is a header and,
   behind a byte 0, the data: it gets its length in front, so that headers can
   be tried whose length is right. */
#include "fuzz.h"
#include "fuzz_tensors.h"
#include "safetensors.h"

#include <jansson.h>

static void try_file(const uint8_t *data, size_t size) {
    error e = {""};
    arena a = {0};
    tensor_list list;
    unsigned char *copy = copy_of(data, size);
    int status = safetensors_parse(copy, size, "f", &a, &list, &e);
    check_status(status, &e);
    require(status == 0 || list.n == 0, "after a failure the list is empty");
    for (size_t i = 0; i < list.n; i++)
        require(tensor_is_dense(&list.at[i]), "the file's tensors are dense");
    check_tensors(&list, &a);
    arena_free(&a);
    free(copy);
}

static void try_header(const uint8_t *data, size_t size) {
    const uint8_t *zero = memchr(data, 0, size);
    size_t length = zero ? (size_t)(zero - data) : size;
    size_t rest = zero ? size - length - 1 : 0;
    uint8_t *file = calloc(8 + size, 1);
    require(file != NULL, "there is memory for the input");
    for (int i = 0; i < 8; i++)
        file[i] = (uint8_t)((uint64_t)length >> 8 * i);
    memcpy(file + 8, data, length);
    if (rest > 0)
        memcpy(file + 8 + length, zero + 1, rest);
    try_file(file, 8 + length + rest);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool seeded = false;
    if (!seeded)
        json_object_seed(1); /* a finding must happen again */
    seeded = true;
    if (size > 0 && data[0] == '{')
        try_header(data, size);
    else
        try_file(data, size);
    return 0;
}
