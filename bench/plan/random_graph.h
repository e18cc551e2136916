#ifndef HY_BENCH_PLAN_RANDOM_GRAPH_H
#define HY_BENCH_PLAN_RANDOM_GRAPH_H

#include <android/NeuralNetworks.h>

#include "common/error.h"

/*
 * A finished model of ADD, MUL, LOGISTIC and TANH on float images, built with the public API, the
 * same at every call. Each operation reads the result of the previous operation; operations with
 * two inputs also read a result that is at most `reach` operations older. The caller frees the
 * model.
 */
HY_MUST_CHECK enum hy_code hy_random_graph_make(uint32_t operations, uint32_t reach,
                                                ANeuralNetworksModel **out, struct hy_error *err);

#endif
