#ifndef HY_TESTS_SCENARIOS_PEERS_DEVICE_COMPARISON_H
#define HY_TESTS_SCENARIOS_PEERS_DEVICE_COMPARISON_H

#include <stdbool.h>

#include "common/error.h"
#include "difference.h"
#include "tests/unit/tools/operators/op_case.h"

/* Runs one random model with TensorFlow Lite's built-in kernels and with the CPU backend's devices
 * on the same bytes. */
enum hy_compared_device {
    HY_COMPARED_CPU,
    HY_COMPARED_REFERENCE,
    HY_COMPARED_DEVICES,
};

extern const char *const hy_compared_names[HY_COMPARED_DEVICES];

/* Adds up the distances of each device's outputs from TensorFlow Lite's outputs. */
struct hy_comparison_result {
    struct hy_difference difference[HY_COMPARED_DEVICES];
    bool is_real; /* an output is float32, so distances are relative */
};

/* `library` is the path of libtensorflowlite_c.so. Errors name the failed side with its error text.
 * HY_BAD_DATA: outputs differ in size. */
HY_MUST_CHECK enum hy_code hy_comparison_run(const char *library, const struct hy_op_case *model,
                                             struct hy_comparison_result *result,
                                             struct hy_error *err);

#endif
