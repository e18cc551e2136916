#ifndef HY_TOOLS_COMMANDS_MEASUREMENT_H
#define HY_TOOLS_COMMANDS_MEASUREMENT_H

#include <halyard/halyard.h>

#include "tools/commands/compile_times.h"
#include "tools/session.h"
#include "tools/stats.h"
#include "tools/twin.h"

/* What `halyard bench` measures. */
struct hy_measurement_plan {
    uint32_t compilations;
    const char *cache_folder; /* for entries, which stay there */
    uint32_t warmup;
    uint32_t runs;
    const char *mode_name;
    struct hy_twin *twin; /* to compare with, or NULL */
};

struct hy_step_time {
    const char *device;
    uint32_t operation_count;
    uint64_t mean_ns; /* of a run */
};

struct hy_measurement {
    struct hy_measurement_plan plan;
    struct hy_compile_times compile;
    struct hy_stats run;
    struct hy_stats twin;  /* with one */
    uint64_t copied_bytes; /* of tensors, by the runtime, in the mean of all runs */
    uint32_t step_count;
    struct hy_step_time *steps;
};

/*
 * Compiles and runs, with the inputs that the session has. The clock per step costs time, so steps
 * are measured in a pass of their own. Takes a zeroed struct; hy_measurement_finish it in any case.
 */
HY_MUST_CHECK enum hy_code hy_measurement_make(struct hy_session *session,
                                               const struct hy_measurement_plan *plan,
                                               struct hy_measurement *out, struct hy_error *err);
void hy_measurement_finish(struct hy_measurement *measurement);

/* By how much an inference takes longer than that of the twin: 0.03 is 3 %. */
double hy_measurement_excess(const struct hy_measurement *measurement);

/* To stdout. */
void hy_measurement_print(const struct hy_measurement *measurement);
HY_MUST_CHECK enum hy_code hy_measurement_print_json(const struct hy_measurement *measurement,
                                                     struct hy_error *err);

#endif
