#ifndef HY_TESTS_UNIT_CPU_FALLBACK_KIT_OP_CASE_H
#define HY_TESTS_UNIT_CPU_FALLBACK_KIT_OP_CASE_H

#include <stdbool.h>

#include "common/operations/shape.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/model_builder.h"

/*
 * A model of one operation, run through the driver table. Arguments are added in order; the caller
 * owns the data. Outputs have no declared extents, so the driver must compute every shape.
 */
#define HY_OP_CASE_ARGUMENTS 32

struct hy_op_case {
    struct hy_builder builder;
    char message[512]; /* of the last run, like the shapes */
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

/* Adds an input of the given type: a model input or a constant. */
void hy_op_case_tensor(struct hy_op_case *test, const struct hy_builder_type *type,
                       const void *data, bool is_constant);

/* Like hy_op_case_tensor, for an int32 tensor. */
void hy_op_case_ints(struct hy_op_case *test, uint32_t rank, const uint32_t *dims,
                     const int32_t *data, bool is_constant);

/* Adds constant scalars, or an omitted argument. */
void hy_op_case_int(struct hy_op_case *test, int32_t value);
void hy_op_case_float(struct hy_op_case *test, float value);
void hy_op_case_bool(struct hy_op_case *test, bool value);
void hy_op_case_no_value(struct hy_op_case *test, int32_t type);

/* Adds an output of the given type and rank, with a buffer of `length` bytes. */
void hy_op_case_output(struct hy_op_case *test, const struct hy_builder_type *type, void *data,
                       uint64_t length);

/* Prepares and executes on a device. Returns the status of the first failure, or OK. */
int32_t hy_op_case_run(struct hy_op_case *test, uint32_t device);

/* Like hy_op_case_run, with device 0 limited to the given instruction sets, in the format of
 * cpu_fallback/allowed_isa_levels.h. */
int32_t hy_op_case_run_within(struct hy_op_case *test, uint32_t device, const char *sets);

/* A tensor type, with quantisation parameters for quantised types. */
struct hy_builder_type hy_op_case_type(int32_t type, uint32_t rank, const uint32_t *dims);

#endif
