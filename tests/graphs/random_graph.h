#ifndef HY_TESTS_GRAPHS_RANDOM_GRAPH_H
#define HY_TESTS_GRAPHS_RANDOM_GRAPH_H

#include "tests/graphs/graph.h"

/* Graphs of up to this many operations. */
#define RANDOM_GRAPH_MAX 100u

/* How many operations the graph of a seed has. */
uint32_t random_graph_size(uint64_t seed);

/*
 * The first `count` operations of the graph of a seed. What no operation reads is an output of the
 * model, and some of the rest is. Of two graphs one is dynamic: its model tells few shapes, and
 * some come from values. NULL without memory.
 */
struct graph *random_graph_make(uint64_t seed, uint32_t count, struct hy_arena *arena);

#endif
