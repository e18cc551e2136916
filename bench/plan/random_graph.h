#ifndef HY_BENCH_PLAN_RANDOM_GRAPH_H
#define HY_BENCH_PLAN_RANDOM_GRAPH_H

#include <android/NeuralNetworks.h>

#include "common/error.h"

/*
 * A finished model of ADD, MUL, LOGISTIC and TANH on float images, built through the public API,
 * the same at every call. Each operation reads what the one before it wrote; those with two inputs
 * also something that is at most `reach` operations older. The caller frees it.
 */
HY_MUST_CHECK enum hy_code hy_random_graph_make(uint32_t operations, uint32_t reach,
                                                ANeuralNetworksModel **out, struct hy_error *err);

#endif
