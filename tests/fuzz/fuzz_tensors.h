/* What a program does with the tensors of a file, for both formats. */
#ifndef FUZZ_TENSORS_H
#define FUZZ_TENSORS_H

#include "fuzz.h"
#include "tensor.h"

/* Small files can describe large tensors, by strides of 0. Of those that have
   more elements than this only the first and the last are looked at. */
enum { MAX_ELEMENTS = 1 << 16, MAX_TENSORS = 500 };

/* The first and the last element lie where they may be read. */
static inline void check_ends(const tensor *t, int64_t count) {
    int64_t last = 0;
    size_t size = dtype_size(t->dtype);
    for (int d = 0; d < t->n_dims && count > 0; d++)
        last += (t->shape[d] - 1) * t->stride[d];
    if (count == 0)
        return;
    touch(t->at, size);
    touch(t->at + last * (int64_t)size, size);
}

static inline void check_floats(const tensor *t, int64_t count, arena *a) {
    error e = {""};
    float *out = NULL;
    int status = tensor_floats(t, a, &out, &e);
    check_status(status, &e);
    require((status == 0) == (t->dtype <= DTYPE_BF16),
            "floats are read, integers are refused");
    if (status == 0)
        touch(out, (size_t)count * sizeof *out);
}

/* The list holds tensors that lie where they say, each under a name of its own,
   and no two dense ones share a byte. */
static inline void check_tensors(const tensor_list *list, arena *a) {
    char shape[TENSOR_SHAPE_TEXT];
    size_t n = list->n < MAX_TENSORS ? list->n : MAX_TENSORS;
    for (size_t i = 0; i < n; i++) {
        const tensor *t = &list->at[i];
        int64_t count = -1;
        require(tensor_find(list, t->name) == t, "names are distinct");
        require(t->n_dims >= 0 && t->n_dims <= TENSOR_MAX_DIMS &&
                    (int)t->dtype < DTYPE_COUNT,
                "a tensor has at most 8 dimensions and a known type");
        require(tensor_count(t, &count) == 0 && count >= 0,
                "a shape does not overflow");
        require(strlen(tensor_shape(t, shape)) < TENSOR_SHAPE_TEXT - 1,
                "there is room for the text of a shape");
        check_ends(t, count);
        if (count <= MAX_ELEMENTS)
            check_floats(t, count, a);
    }
    /* Two that share bytes would see each other's marks. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            const tensor *t = &list->at[i];
            int64_t count = 0;
            if (tensor_count(t, &count) || !tensor_is_dense(t))
                continue;
            size_t size = (size_t)count * dtype_size(t->dtype);
            for (size_t k = 0; k < size; k++)
                if (pass == 0)
                    t->at[k] = (unsigned char)(i * 31 + 7);
                else
                    require(t->at[k] == (unsigned char)(i * 31 + 7),
                            "dense tensors share no bytes");
        }
}

#endif
