#ifndef HY_TESTS_PEERS_CONTEST_H
#define HY_TESTS_PEERS_CONTEST_H

#include <stdbool.h>

#include "common/error.h"
#include "difference.h"
#include "tests/tools/operators/op_case.h"

/* One random model, run by TensorFlow Lite's built-in kernels and by the devices of the CPU backend
 * on the same bytes. */
enum hy_contestant {
    HY_CONTEST_CPU,
    HY_CONTEST_REFERENCE,
    HY_CONTESTANTS,
};

extern const char *const hy_contestant_names[HY_CONTESTANTS];

/* Adds how far each device's outputs are from TensorFlow Lite's. */
struct hy_contest_result {
    struct hy_difference difference[HY_CONTESTANTS];
    bool is_real; /* an output is float32: distances are relative */
};

/* `library`: path of libtensorflowlite_c.so. Errors: who failed, and its words; HY_BAD_DATA where
 * outputs differ in size. */
HY_MUST_CHECK enum hy_code hy_contest(const char *library, const struct hy_op_case *model,
                                      struct hy_contest_result *result, struct hy_error *err);

#endif
