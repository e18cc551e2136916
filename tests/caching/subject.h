#ifndef HY_TESTS_CACHING_SUBJECT_H
#define HY_TESTS_CACHING_SUBJECT_H

#include "tests/graphs/graph.h"

/*
 * Small models that need different things from a cache. Each model computes the same outputs in
 * every run. A run without cache supplies the expected outputs.
 */
enum subject_kind {
    SUBJECT_CNN8,   /* int8: convolution, depthwise convolution, fully connected */
    SUBJECT_DENSE,  /* float32: two layers and a softmax */
    SUBJECT_BRANCH, /* float32: IF, a fully connected layer in each body */
    SUBJECT_DENSE8, /* int8: two layers */
    SUBJECT_POOLED, /* float32: average pooling and an addition */
    SUBJECT_LARGE,  /* float32: as DENSE, with more than 64 KiB of weights */
    SUBJECT_MAPPED, /* float32: as DENSE, with more than 2 MiB of weights */
    SUBJECT_HUGE,   /* float32: as DENSE, with more than 64 MiB of weights */
    SUBJECT_KIND_COUNT,
};

#define SUBJECT_RUNS 2 /* number of inputs per subject; for BRANCH one per body */

struct subject {
    enum subject_kind kind;
    struct hy_arena memory;
    struct graph *graph;
    struct graph_models models;
    uint32_t output; /* operand index of the single output */
    size_t output_bytes;
};

/* `seed` determines the constants; the structure of a kind is fixed. Returns false if out of memory
 * or if the library refuses the model. Call subject_finish in any case. */
bool subject_init(struct subject *subject, enum subject_kind kind, uint32_t seed);
void subject_finish(struct subject *subject);

const char *subject_name(enum subject_kind kind);

#endif
