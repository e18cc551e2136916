#ifndef HY_RUNTIME_PLAN_OVERRIDES_H
#define HY_RUNTIME_PLAN_OVERRIDES_H

#include "runtime/plan/plan.h"

#define HY_ASSIGNMENT_FILE_MAX_BYTES 65536u
#define HY_ASSIGNMENTS_MAX           4096u

/*
 * What the person in front of the machine wants of all plans of this process, by HALYARD_PLAN_*
 * (docs/planning.md). Overrides choose among what is possible; none makes a wrong plan.
 */

/* Operations to have on one device. */
struct hy_assignment {
    uint32_t number; /* as the app added it; HY_ANY_NUMBER: all of the type */
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
    uint32_t max_steps; /* 0: as many as pay */
};

/* Whether they may take operations from a device. */
static inline bool hy_plan_overrides_refuse(const struct hy_plan_overrides *overrides)
{
    return overrides->devices || overrides->without || overrides->assignments.count > 0;
}

/* Those of the environment, read once. What cannot be understood is logged and left out. */
const struct hy_plan_overrides *hy_plan_overrides(void);

/* Takes all operations from the devices that the overrides do not name; the matrix says why. */
void hy_plan_overrides_pick_devices(const struct hy_plan_overrides *overrides,
                                    struct hy_support_matrix *matrix);

/*
 * Takes assigned operations from all devices but theirs. An assignment to a device that is not to
 * choose from, or refuses the operation, is logged and counts for nothing. `order` as in struct
 * hy_plan_request; NULL: assignments by number are another model's. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_overrides_assign(const struct hy_plan_overrides *overrides,
                                                    const struct hy_model *model,
                                                    const uint32_t *order,
                                                    struct hy_support_matrix *matrix,
                                                    struct hy_arena *arena, struct hy_error *err);

/*
 * The text of an assignment file: {"operations": {"3": "acme-npu", "CONV_2D": "halyard-cpu"}}.
 * Errors: BAD_DATA, OUT_OF_MEMORY; `*ret` is then as it was.
 */
HY_MUST_CHECK enum hy_code hy_assignments_parse(const char *text, size_t length,
                                                struct hy_assignments *ret, struct hy_error *err);
void hy_assignments_finish(struct hy_assignments *assignments); /* takes zeroed ones */

#endif
