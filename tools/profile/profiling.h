#ifndef HY_TOOLS_PROFILE_PROFILING_H
#define HY_TOOLS_PROFILE_PROFILING_H

#include "tools/device_choice.h"

/* What was measured on one device, and stored. */
struct hy_profiled_device {
    const char *name;
    uint64_t launch_ns;
    uint32_t operation_count; /* over all models */
};

struct hy_profiling {
    uint32_t device_count;
    struct hy_profiled_device devices[HY_OPTION_LIST_MAX];
    char path[4096]; /* of the file that holds them; "" if there is none */
};

/*
 * Measures the operations of .tflite models one by one, on each device that takes them, and stores
 * the times where the planner finds them. nnapi-reference is left out unless it was named.
 */
HY_MUST_CHECK enum hy_code hy_profiling_make(const struct hy_device_choice *devices,
                                             uint32_t model_count, char *const *models,
                                             struct hy_profiling *out, struct hy_error *err);

/* To stdout. */
void hy_profiling_print(const struct hy_profiling *profiling);
HY_MUST_CHECK enum hy_code hy_profiling_print_json(const struct hy_profiling *profiling,
                                                   struct hy_error *err);

#endif
