#ifndef HY_RUNTIME_PLAN_SUPPORT_WRONG_SCALES_H
#define HY_RUNTIME_PLAN_SUPPORT_WRONG_SCALES_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

/*
 * Finds the operations of the main subgraph that no device is asked about, as their scales and zero
 * points are not those that the operation demands. A model may be finished with them: Android, too,
 * refuses them no earlier than when they are prepared. An IF or WHILE is one of them where a body
 * has one; a driver sees all bodies together.
 * `*ret`: [operation] why, or NULL for those that fit; lives in the arena. NULL: all fit.
 * Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_find_wrong_scales(const struct hy_model *model,
                                                     struct hy_arena *arena,
                                                     const char *const **ret, struct hy_error *err);

#endif
