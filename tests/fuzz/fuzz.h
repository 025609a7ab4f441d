/* What the fuzz targets share: each hands the bytes that it is given to a
   parser, uses what was parsed as a program would, and stops when a promise of
   the parser's header is broken. The sanitizers watch over the rest. */
#ifndef FUZZ_H
#define FUZZ_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool holds, const char *promise) {
    if (holds)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

/* A copy in a block of exactly n bytes, so that the sanitizer sees a read
   beyond its end. As for an empty file, null if n is 0. */
static inline unsigned char *copy_of(const uint8_t *data, size_t n) {
    unsigned char *copy = n > 0 ? malloc(n) : NULL;
    require(copy || n == 0, "there is memory for the input");
    if (copy)
        memcpy(copy, data, n);
    return copy;
}

/* A failure is -1 and comes with one line. */
static inline void check_status(int status, const error *e) {
    if (status == 0)
        return;
    require(status == -1, "a failure is -1");
    const char *end = memchr(e->message, 0, sizeof e->message);
    size_t n = end ? (size_t)(end - e->message) : 0;
    require(n > 0, "a failure has a message");
    for (size_t i = 0; i < n; i++)
        require((unsigned char)e->message[i] >= 0x20 && e->message[i] != 0x7f,
                "a message is one line");
}

/* Reads every byte. */
static inline void touch(const void *at, size_t n) {
    static volatile unsigned char sink;
    const unsigned char *byte = at;
    unsigned char sum = 0;
    for (size_t i = 0; i < n; i++)
        sum ^= byte[i];
    sink = sum;
    (void)sink;
}

#endif
