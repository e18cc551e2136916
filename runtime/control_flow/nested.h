#ifndef HY_RUNTIME_NESTED_H
#define HY_RUNTIME_NESTED_H

#include "runtime/execute/execution.h"
#include "runtime/plan/sub_executor.h"

/*
 * Plans that run inside an execution of another plan: what stands in for a step, or the bodies of
 * an IF or WHILE. Each has a compilation of its own that the app does not see, whose executions are
 * made and kept like the app's, and get their arguments from a request.
 */

/* Hands the plans below to the planner. */
extern const struct hy_sub_executor hy_nested_executor;

/* A device that no app sees: `table_` runs what is prepared, `work_` counts it. */
#define HY_HIDDEN_DEVICE(table_, name_, work_) \
    { \
        .kind = HY_DEVICE_HIDDEN, .abi = HY_DRIVER_ABI, .table = (table_), \
        .info = {.struct_size = sizeof(struct hy_device_info), \
                 .type = HY_DEVICE_OTHER, \
                 .name = (name_), \
                 .version = "", \
                 .build_id = "", \
                 .feature_level = 8}, \
        .capabilities = {.struct_size = sizeof(struct hy_capabilities)}, .manifest = "", \
        .library = "", .work = (work_), \
    }

/* A device whose prepared models are such plans. Its name is for whoever uses it to set. */
extern const struct hy_runtime_device hy_nested_device;

/* See sub_executor.h. */
HY_MUST_CHECK enum hy_code hy_nested_create(struct hy_plan *plan, void **ret, struct hy_error *err);

/* Where an argument lies. An input or output of unknown shape has dims. */
struct hy_nested_argument {
    void *address; /* NULL: it was left out */
    uint64_t length;
    const uint32_t *dims; /* NULL: as in the model */
    uint32_t rank;
};

/* An argument of a request. `protection`: what it is wanted for. Errors: FAILED (its memory cannot
 * be mapped so). */
HY_MUST_CHECK enum hy_code
hy_nested_find_argument(const struct hy_request *request, const struct hy_argument *argument,
                        uint32_t protection, struct hy_nested_argument *ret, struct hy_error *err);

/*
 * An execution with these arguments and the measuring and loop timeout of the options; for
 * hy_execution_release. None is allocated where one is kept. Errors: as hy_execution_set.
 */
HY_MUST_CHECK enum hy_code hy_nested_open(struct hy_compilation *compilation,
                                          const struct hy_nested_argument *inputs,
                                          const struct hy_nested_argument *outputs,
                                          const struct hy_run_options *options,
                                          struct hy_execution **ret, struct hy_error *err);

/* Runs it, any number of times. The options are the same each time. */
HY_MUST_CHECK enum hy_code hy_nested_run(struct hy_execution *execution,
                                         const struct hy_run_options *options,
                                         struct hy_error *err);

/* Adds a time that may be unknown to a sum that may be. */
static inline uint64_t hy_nested_add_times(uint64_t sum, uint64_t time)
{
    uint64_t both;
    if (sum == HY_NO_TIME || time == HY_NO_TIME || __builtin_add_overflow(sum, time, &both))
        return HY_NO_TIME;
    return both;
}

#endif
