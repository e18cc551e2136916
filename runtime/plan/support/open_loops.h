#ifndef HY_RUNTIME_PLAN_SUPPORT_OPEN_LOOPS_H
#define HY_RUNTIME_PLAN_SUPPORT_OPEN_LOOPS_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

#include <stdbool.h>

/*
 * Finds the operations of the main subgraph that are an IF or WHILE with a tensor of unknown size,
 * their own or of a body: only the CPU backend runs those, drivers know shapes before they start.
 * `*ret` has one entry per operation and lives in the arena; NULL where there is no IF or WHILE.
 * Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_find_open_loops(const struct hy_model *model,
                                                   struct hy_arena *arena, const bool **ret,
                                                   struct hy_error *err);

/* The same for the referenced subgraphs, one entry for each: whether a tensor of unknown size is in
 * it, or in one that it refers to. */
HY_MUST_CHECK enum hy_code hy_plan_find_open_bodies(const struct hy_model *model,
                                                    struct hy_arena *arena, const bool **ret,
                                                    struct hy_error *err);

#endif
