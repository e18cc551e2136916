#ifndef HY_TESTS_SCENARIOS_CACHING_CACHE_MODEL_H
#define HY_TESTS_SCENARIOS_CACHING_CACHE_MODEL_H

#include "tests/scenarios/graphs/graph.h"

/*
 * Small models that need different things from a cache. Each model computes the same outputs in
 * every run. A run without cache supplies the expected outputs.
 */
enum cache_model_kind {
    CACHE_MODEL_CNN8,   /* int8: convolution, depthwise convolution, fully connected */
    CACHE_MODEL_DENSE,  /* float32: two layers and a softmax */
    CACHE_MODEL_BRANCH, /* float32: IF, a fully connected layer in each body */
    CACHE_MODEL_DENSE8, /* int8: two layers */
    CACHE_MODEL_POOLED, /* float32: average pooling and an addition */
    CACHE_MODEL_LARGE,  /* float32: as DENSE, with more than 64 KiB of weights */
    CACHE_MODEL_MAPPED, /* float32: as DENSE, with more than 2 MiB of weights */
    CACHE_MODEL_HUGE,   /* float32: as DENSE, with more than 64 MiB of weights */
    CACHE_MODEL_KIND_COUNT,
};

#define CACHE_MODEL_RUNS 2 /* number of inputs per subject; for BRANCH one per body */

struct cache_model {
    enum cache_model_kind kind;
    struct hy_arena memory;
    struct graph *graph;
    struct graph_models models;
    uint32_t output; /* operand index of the single output */
    size_t output_bytes;
};

/* `seed` determines the constants; the structure of a kind is fixed. Returns false if out of memory
 * or if the library refuses the model. Call cache_model_finish in any case. */
bool cache_model_init(struct cache_model *cache_model, enum cache_model_kind kind, uint32_t seed);
void cache_model_finish(struct cache_model *cache_model);

const char *cache_model_name(enum cache_model_kind kind);

#endif
