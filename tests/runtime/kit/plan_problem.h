#ifndef HY_TESTS_RUNTIME_KIT_PLAN_PROBLEM_H
#define HY_TESTS_RUNTIME_KIT_PLAN_PROBLEM_H

/* Planning without devices: graphs and cost models made by chance, the same for the same seed. */
#include "runtime/plan/search/search.h"

#include <stdbool.h>

struct plan_problem {
    struct hy_arena arena;
    struct hy_flow flow;
    struct hy_cost_model cost_model;
    uint32_t *cheapest; /* [operation]: the device where it costs least */
};

struct plan_problem_size {
    uint32_t operations;
    uint32_t devices;
};

/*
 * Graphs are chains with side branches, blocks side by side, or anything; each operation is taken
 * by some of the devices, at a cost that goes with the device or not; launches and links are free,
 * cheap or dear, compared with the operations. False: no memory.
 */
bool plan_problem_make(uint64_t seed, struct plan_problem_size size, struct plan_problem *ret);
void plan_problem_finish(struct plan_problem *problem);

/* The cost of the cheaper of both step formings of these devices, without cost_model.least. */
double plan_problem_cost(struct plan_problem *problem, const uint32_t *device_of);

/* The least such cost of all choices of devices that are below `limit`; else `limit`. */
double plan_problem_optimum(struct plan_problem *problem, double limit);

#endif
