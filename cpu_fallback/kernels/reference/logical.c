#include "cpu_fallback/kernels/reference/binary_rows.h"
#include "cpu_fallback/kernels/reference/reference.h"

/* LOGICAL_AND, LOGICAL_OR and LOGICAL_XOR. */

#define LOGICAL(name, op) \
    static HY_T name##_one(const struct hy_binary_params *params, HY_T a, HY_T b) \
    { \
        bool x = a != 0, y = b != 0; \
        (void)params; \
        return x op y; \
    } \
    HY_BINARY_KERNEL(name, HY_T, name##_one)

LOGICAL(and, &&)
LOGICAL(or, ||)
LOGICAL(xor, !=)
