#ifndef HY_TESTS_COST_WAYS_H
#define HY_TESTS_COST_WAYS_H

#include "bench/inference.h"

/*
 * The ways to run inferences of a compiled model on one thread. Each has its own buffers, or its
 * own memory objects.
 */
enum hy_way_run {
    HY_WAY_REUSED,     /* one reusable execution, compute */
    HY_WAY_BURST,      /* one reusable execution, burstCompute */
    HY_WAY_NEW,        /* an execution for each inference, compute */
    HY_WAY_NEW_BURST,  /* an execution for each inference, burstCompute */
    HY_WAY_OVERLAPPED, /* the same as NEW, but the one before goes after the next has come */
    HY_WAY_RUNS,
};

struct hy_way;

/* `in_memory`: all arguments lie in memory objects, padded; else in buffers. False is a recorded
 * failure. */
bool hy_way_open(const struct hy_inference *inference, enum hy_way_run run, bool in_memory,
                 struct hy_way **out);
void hy_way_close(struct hy_way *way); /* takes NULL */

/* One inference. `way` is a struct hy_way. Nothing is recorded where it fails. */
bool hy_way_infer(void *way);

/* "burst, memory". */
const char *hy_way_name(const struct hy_way *way);

#endif
