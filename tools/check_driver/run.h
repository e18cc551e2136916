#ifndef HY_TOOLS_CHECK_DRIVER_RUN_H
#define HY_TOOLS_CHECK_DRIVER_RUN_H

#include "tools/check_driver/models.h"
#include "tools/check_driver/outcome.h"

/* What to check, and how. */
struct hy_check_plan {
    const struct hy_target *target;
    const struct hy_model_list *models;
    const char *device; /* this one alone; NULL for all */
    unsigned patience;  /* seconds that a step may take */
};

/*
 * Runs all checks, each in a process of its own. Takes a zeroed outcome; finish it in any case.
 * Fails only where no process can be started or memory has run out, and with HY_BAD_DATA where no
 * device has the name asked for.
 */
HY_MUST_CHECK enum hy_code hy_check_run(const struct hy_check_plan *plan, struct hy_outcome *out,
                                        struct hy_error *err);

#endif
