#ifndef HY_RUNTIME_PLAN_OVERRIDES_H
#define HY_RUNTIME_PLAN_OVERRIDES_H

#include "runtime/plan/plan.h"

#define HY_ASSIGNMENT_FILE_MAX_BYTES 65536u
#define HY_ASSIGNMENTS_MAX           4096u

/*
 * User overrides for all plans of the process, from HALYARD_PLAN_* (docs/planning.md). Overrides
 * only choose among possible plans; an override never makes a wrong plan.
 */

/* Assigns operations to a device. */
struct hy_assignment {
    uint32_t number; /* order of addition; HY_ANY_NUMBER: all operations of `type` */
    int32_t type;    /* operation code */
    char *device;
};
#define HY_ANY_NUMBER UINT32_MAX

struct hy_assignments {
    struct hy_assignment *list;
    uint32_t count;
};

struct hy_plan_overrides {
    const char *devices; /* globs; NULL: all */
    const char *without; /* globs; NULL: none */
    struct hy_assignments assignments;
    uint32_t max_steps; /* 0: no limit */
};

/* True if the overrides may remove operations from a device. */
static inline bool hy_plan_overrides_refuse(const struct hy_plan_overrides *overrides)
{
    return overrides->devices || overrides->without || overrides->assignments.count > 0;
}

/* Returns the overrides of the environment, read once. Invalid settings are logged and ignored. */
const struct hy_plan_overrides *hy_plan_overrides(void);

/* Removes all operations from the devices that the overrides exclude. The matrix has the reason. */
void hy_plan_overrides_pick_devices(const struct hy_plan_overrides *overrides,
                                    struct hy_support_matrix *support_matrix);

/*
 * Removes assigned operations from all other devices. An assignment to a device outside the matrix,
 * or to a device that refuses the operation, is logged and ignored. `order` is as in struct
 * hy_plan_request. NULL: assignments by number belong to another model. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_overrides_assign(const struct hy_plan_overrides *overrides,
                                                    const struct hy_model *model,
                                                    const uint32_t *order,
                                                    struct hy_support_matrix *support_matrix,
                                                    struct hy_arena *arena, struct hy_error *err);

/*
 * Parses the text of an assignment file: {"operations": {"3": "acme-npu", "CONV_2D":
 * "halyard-cpu"}}. Errors: BAD_DATA, OUT_OF_MEMORY; `*ret` is unchanged after an error.
 */
HY_MUST_CHECK enum hy_code hy_assignments_parse(const char *text, size_t length,
                                                struct hy_assignments *ret, struct hy_error *err);
void hy_assignments_finish(struct hy_assignments *assignments); /* a zeroed struct is allowed */

#endif
