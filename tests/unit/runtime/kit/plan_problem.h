#ifndef HY_TESTS_UNIT_RUNTIME_KIT_PLAN_PROBLEM_H
#define HY_TESTS_UNIT_RUNTIME_KIT_PLAN_PROBLEM_H

/* Planning without devices, on random graphs and cost models determined by a seed. */
#include "runtime/plan/search/search.h"

#include <stdbool.h>

struct plan_problem {
    struct hy_arena arena;
    struct hy_flow flow;
    struct hy_cost_model cost_model;
    uint32_t *cheapest; /* [operation]: the cheapest device */
};

struct plan_problem_size {
    uint32_t operations;
    uint32_t devices;
};

/*
 * Graphs are chains with side branches, parallel blocks, or arbitrary. Each operation is supported
 * by some devices; the cost may or may not depend on the device. Launches and links are free, cheap
 * or expensive in comparison with operations. Returns false if out of memory.
 */
bool plan_problem_make(uint64_t seed, struct plan_problem_size size, struct plan_problem *ret);
void plan_problem_finish(struct plan_problem *problem);

/* The cost of an assignment with the cheaper of both step formings, without cost_model.least. */
double plan_problem_cost(struct plan_problem *problem, const uint32_t *device_of);

/* The least cost of all assignments if below `limit`, else `limit`. */
double plan_problem_optimum(struct plan_problem *problem, double limit);

#endif
