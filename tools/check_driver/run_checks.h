#ifndef HY_TOOLS_CHECK_DRIVER_RUN_CHECKS_H
#define HY_TOOLS_CHECK_DRIVER_RUN_CHECKS_H

#include "tools/check_driver/models.h"
#include "tools/check_driver/outcome.h"

/* The subject and the options of a check. */
struct hy_check_plan {
    const struct hy_target *target;
    const struct hy_model_list *models;
    const char *device;    /* check this device only; NULL: all devices */
    unsigned hang_timeout; /* time limit of a step in seconds */
};

/*
 * Runs all checks, each in a separate process. Fills a zeroed outcome, which the caller must finish
 * also after a failure. Errors: no process can be started, or memory has run out; HY_BAD_DATA: no
 * device has the requested name.
 */
HY_MUST_CHECK enum hy_code hy_check_run(const struct hy_check_plan *plan, struct hy_outcome *out,
                                        struct hy_error *err);

#endif
