#ifndef HY_RUNTIME_PLAN_SUPPORT_QUARANTINE_H
#define HY_RUNTIME_PLAN_SUPPORT_QUARANTINE_H

#include "runtime/plan/support/support_matrix.h"

/*
 * Removes operations from devices in quarantine (health.h) if another device except the last resort
 * supports the operations. The matrix has the reason. `now`: time of hy_clock_now. Errors:
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_apply_quarantine(struct hy_support_matrix *support_matrix,
                                                    struct hy_arena *arena, uint64_t now,
                                                    struct hy_error *err);

#endif
