#ifndef HY_TESTS_SCENARIOS_COST_WAYS_H
#define HY_TESTS_SCENARIOS_COST_WAYS_H

#include "bench/inference.h"

/*
 * Ways of running inferences of a compiled model on one thread. Each way has its own buffers or
 * memory objects.
 */
enum hy_way_run {
    HY_WAY_REUSED,     /* one reusable execution, compute */
    HY_WAY_BURST,      /* one reusable execution, burstCompute */
    HY_WAY_NEW,        /* an execution per inference, compute */
    HY_WAY_NEW_BURST,  /* an execution per inference, burstCompute */
    HY_WAY_OVERLAPPED, /* like NEW, but the old execution is freed after creating the next */
    HY_WAY_RUNS,
};

struct hy_way;

/* With `in_memory` all arguments lie in padded memory objects, else in buffers. On failure records
 * a test failure and returns false. */
bool hy_way_open(const struct hy_inference *inference, enum hy_way_run run, bool in_memory,
                 struct hy_way **out);
void hy_way_close(struct hy_way *way); /* accepts NULL */

/* Runs one inference; `way` is a struct hy_way. Failures are not recorded. */
bool hy_way_infer(void *way);

/* "burst, memory". */
const char *hy_way_name(const struct hy_way *way);

#endif
