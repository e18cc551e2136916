#ifndef HY_TESTS_SCENARIOS_GRAPHS_RANDOM_GRAPH_H
#define HY_TESTS_SCENARIOS_GRAPHS_RANDOM_GRAPH_H

#include "tests/scenarios/graphs/graph.h"

/* Maximum number of operations of a random graph. */
#define RANDOM_GRAPH_MAX 100u

/* Number of operations of the graph of a seed. */
uint32_t random_graph_size(uint64_t seed);

/*
 * The first `count` operations of the graph of a seed. Unread results are outputs of the model, and
 * so are some others. Every second graph is dynamic: its model has few known shapes, and some
 * shapes depend on values. Returns NULL if out of memory.
 */
struct graph *random_graph_make(uint64_t seed, uint32_t count, struct hy_arena *arena);

#endif
