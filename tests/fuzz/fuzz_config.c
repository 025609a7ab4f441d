/* The sizes of a model, config.json. */
#include "fuzz.h"
#include "config.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>

static bool product_fits(int a, int b) {
    return a <= INT_MAX / b;
}

static void check_config(const config *c) {
    const int sizes[] = {c->n_layers, c->d_model, c->n_heads,
                         c->d_head,   c->n_ctx,   c->d_vocab};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        require(sizes[i] >= 1 && sizes[i] <= 200000, "a size is bounded");
    require(product_fits(c->d_vocab, c->d_model) &&
                product_fits(c->n_ctx, c->d_model) &&
                product_fits(c->n_ctx, c->n_ctx) &&
                product_fits(c->d_model, c->d_model) &&
                product_fits(c->n_heads, c->d_head),
            "the products of two sizes that are formed fit an int");
    require(isfinite(c->eps) && c->eps > 0, "eps is a small number");
    require(c->layer_norm || !c->norm_folded,
            "only what is normalized has a folded norm");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool seeded = false;
    error e = {""};
    config c;
    if (!seeded)
        json_object_seed(1); /* a finding must happen again */
    seeded = true;
    unsigned char *copy = copy_of(data, size);
    int status = config_parse(copy, size, "config.json", &c, &e);
    free(copy); /* nothing of it may be needed afterwards */
    check_status(status, &e);
    if (status == 0)
        check_config(&c);
    return 0;
}
