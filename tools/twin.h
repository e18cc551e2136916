#ifndef HY_TOOLS_TWIN_H
#define HY_TOOLS_TWIN_H

#include "tools/options.h"
#include "tools/session.h"

/*
 * The same measurement in a process without isolation: one process has each driver either in it or
 * outside. The two take turns, so that what the machine does besides falls on both alike.
 */
struct hy_twin;

struct hy_twin_plan {
    const char *model;
    const struct hy_option_list *device_names;
    const struct hy_option_list *inputs;
    const struct hy_session_settings *settings; /* with other devices */
    uint32_t warmup;
};

/* Forks: before the first call of the API, and while there is one thread. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_twin_start(const struct hy_twin_plan *plan, struct hy_twin **ret,
                                         struct hy_error *err);
void hy_twin_end(struct hy_twin *twin); /* takes NULL */

/* Has it compile and warm up. Error: FAILED, and it has said why on stderr. */
HY_MUST_CHECK enum hy_code hy_twin_prepare(struct hy_twin *twin, struct hy_error *err);

/* Has it run `count` times; `samples` become the nanoseconds that each took. Error: FAILED. */
HY_MUST_CHECK enum hy_code hy_twin_run(struct hy_twin *twin, uint32_t count, uint64_t *samples,
                                       struct hy_error *err);

#endif
