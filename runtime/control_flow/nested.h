#ifndef HY_RUNTIME_NESTED_H
#define HY_RUNTIME_NESTED_H

#include "runtime/execute/execution.h"
#include "runtime/plan/sub_executor.h"

/*
 * Plans that run inside an execution of another plan: the fallback of a step, or the bodies of an
 * IF or WHILE. Each nested plan has an internal compilation that the app does not see. Its
 * executions are pooled like the app's executions and get their arguments from a request.
 */

/* The functions that the planner uses to create nested plans. */
extern const struct hy_sub_executor hy_nested_executor;

/* Initializes a device that no app sees. `table_` runs the prepared models; `work_` counts the
 * executions. */
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

/* A device whose prepared models are nested plans. The user of a copy sets the name. */
extern const struct hy_runtime_device hy_nested_device;

/* See sub_executor.h. */
HY_MUST_CHECK enum hy_code hy_nested_create(struct hy_plan *plan, void **ret, struct hy_error *err);

/* The memory of an argument. An input or output of unknown shape has dims. */
struct hy_nested_argument {
    void *address; /* NULL: omitted argument */
    uint64_t length;
    const uint32_t *dims; /* NULL: as in the model */
    uint32_t rank;
};

/* Finds the memory of a request's argument. `protection` is the access that the caller needs.
 * Errors: FAILED (the memory cannot be mapped with this access). */
HY_MUST_CHECK enum hy_code
hy_nested_find_argument(const struct hy_request *request, const struct hy_argument *argument,
                        uint32_t protection, struct hy_nested_argument *ret, struct hy_error *err);

/*
 * Gets an execution with these arguments and with the measuring and loop timeout of the options;
 * release with hy_execution_release. Reuses a pooled execution if possible. Errors: as
 * hy_execution_set.
 */
HY_MUST_CHECK enum hy_code hy_nested_open(struct hy_compilation *compilation,
                                          const struct hy_nested_argument *inputs,
                                          const struct hy_nested_argument *outputs,
                                          const struct hy_run_options *options,
                                          struct hy_execution **ret, struct hy_error *err);

/* Runs an execution, any number of times. The options must be the same each time. */
HY_MUST_CHECK enum hy_code hy_nested_run(struct hy_execution *execution,
                                         const struct hy_run_options *options,
                                         struct hy_error *err);

/* Adds two times. The sum is HY_NO_TIME if a time is unknown or the sum overflows. */
static inline uint64_t hy_nested_add_times(uint64_t sum, uint64_t time)
{
    uint64_t both;
    if (sum == HY_NO_TIME || time == HY_NO_TIME || __builtin_add_overflow(sum, time, &both))
        return HY_NO_TIME;
    return both;
}

#endif
