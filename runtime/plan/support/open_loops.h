#ifndef HY_RUNTIME_PLAN_SUPPORT_OPEN_LOOPS_H
#define HY_RUNTIME_PLAN_SUPPORT_OPEN_LOOPS_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

#include <stdbool.h>

/*
 * Finds each IF or WHILE of the main subgraph with a tensor of unknown size, in the operation or in
 * a body. Only the CPU backend runs these operations; drivers need known shapes. `*ret` has one
 * entry per operation and lives in the arena; NULL without an IF or WHILE. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_find_open_loops(const struct hy_model *model,
                                                   struct hy_arena *arena, const bool **ret,
                                                   struct hy_error *err);

/* Finds the referenced subgraphs with a tensor of unknown size, in the subgraph or in a subgraph
 * referenced from it. `*ret` has one entry per referenced subgraph. */
HY_MUST_CHECK enum hy_code hy_plan_find_open_bodies(const struct hy_model *model,
                                                    struct hy_arena *arena, const bool **ret,
                                                    struct hy_error *err);

#endif
