#ifndef HY_RUNTIME_PLAN_SUPPORT_WRONG_SCALES_H
#define HY_RUNTIME_PLAN_SUPPORT_WRONG_SCALES_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

/*
 * Finds the operations of the main subgraph whose scales and zero points violate the rules of the
 * operation. Devices are not asked about these operations. Finishing a model accepts wrong scales:
 * Android refuses them only at prepare, too. An IF or WHILE counts as wrong if any body has a wrong
 * scale, because a driver sees all bodies together. `*ret`: [operation] reason, or NULL for correct
 * scales; lives in the arena. NULL: all scales are correct. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_find_wrong_scales(const struct hy_model *model,
                                                     struct hy_arena *arena,
                                                     const char *const **ret, struct hy_error *err);

#endif
