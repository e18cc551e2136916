#ifndef HY_TESTS_CPU_FALLBACK_KIT_OP_CASE_H
#define HY_TESTS_CPU_FALLBACK_KIT_OP_CASE_H

#include <stdbool.h>

#include "common/operations/shape.h"
#include "support/driver_runner.h"
#include "support/model_builder.h"

/*
 * A model of one operation, run through the driver table. Arguments are added in order; data stays
 * the caller's. Outputs are declared without extents, so the driver has to find every shape.
 */
#define HY_OP_CASE_ARGUMENTS 32

struct hy_op_case {
    struct hy_builder builder;
    char message[512]; /* of the last run, as are the shapes */
    struct hy_output_shape shapes[HY_RUNNER_ARGUMENTS];
    int32_t operation;
    uint32_t inputs[HY_OP_CASE_ARGUMENTS], outputs[HY_OP_CASE_ARGUMENTS];
    uint32_t input_count, output_count;
    struct {
        const void *data;
        uint64_t length;
    } given[HY_OP_CASE_ARGUMENTS], wanted[HY_OP_CASE_ARGUMENTS];
    uint32_t given_count;
};

void hy_op_case_init(struct hy_op_case *test, int32_t operation);
void hy_op_case_finish(struct hy_op_case *test);

/* An input of this shape: of the model, or constant. */
void hy_op_case_tensor(struct hy_op_case *test, const struct hy_builder_type *type,
                       const void *data, bool is_constant);

/* The same for an int32 tensor. */
void hy_op_case_ints(struct hy_op_case *test, uint32_t rank, const uint32_t *dims,
                     const int32_t *data, bool is_constant);

/* Constant scalars, and an argument that is left out. */
void hy_op_case_int(struct hy_op_case *test, int32_t value);
void hy_op_case_float(struct hy_op_case *test, float value);
void hy_op_case_bool(struct hy_op_case *test, bool value);
void hy_op_case_no_value(struct hy_op_case *test, int32_t type);

/* An output of the type and rank, with room for `length` bytes. */
void hy_op_case_output(struct hy_op_case *test, const struct hy_builder_type *type, void *data,
                       uint64_t length);

/* Prepares and executes on a device; the status of what failed first. */
int32_t hy_op_case_run(struct hy_op_case *test, uint32_t device);

/* The same with only these instruction sets for device 0, as in cpu_fallback/allowed_levels.h. */
int32_t hy_op_case_run_within(struct hy_op_case *test, uint32_t device, const char *sets);

/* A tensor type with quantisation where it needs one. */
struct hy_builder_type hy_op_case_type(int32_t type, uint32_t rank, const uint32_t *dims);

#endif
