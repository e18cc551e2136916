#ifndef HY_TOOLS_PROFILE_PROFILING_H
#define HY_TOOLS_PROFILE_PROFILING_H

#include "tools/device_selection.h"

/* The stored measurements of one device. */
struct hy_profiled_device {
    const char *name;
    uint64_t launch_ns;
    uint32_t operation_count; /* over all models */
};

struct hy_profiling {
    uint32_t device_count;
    struct hy_profiled_device devices[HY_OPTION_LIST_MAX];
    char path[4096]; /* the file with the measurements; "" without a file */
};

/*
 * Measures the operations of .tflite models individually, on each device with support for the
 * operation, and stores the times for the planner. nnapi-reference is measured only if it is named.
 */
HY_MUST_CHECK enum hy_code hy_profiling_make(const struct hy_device_selection *devices,
                                             uint32_t model_count, char *const *models,
                                             struct hy_profiling *out, struct hy_error *err);

/* Prints to stdout. */
void hy_profiling_print(const struct hy_profiling *profiling);
HY_MUST_CHECK enum hy_code hy_profiling_print_json(const struct hy_profiling *profiling,
                                                   struct hy_error *err);

#endif
