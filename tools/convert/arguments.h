#ifndef HY_TOOLS_CONVERT_ARGUMENTS_H
#define HY_TOOLS_CONVERT_ARGUMENTS_H

#include "tools/convert/builder.h"

/*
 * One operator of the file on its way to one operation: its operands are listed in NNAPI's order,
 * then given. The first failure is kept and all that follows does nothing, so an operator reads as
 * a plain list:
 *
 *     hy_take(args, 0);
 *     hy_take_int(args, options->axis);
 *     return hy_give(args, ANEURALNETWORKS_GATHER);
 */
enum { HY_ARGUMENTS_MAX = 32 };

struct hy_arguments {
    struct hy_model_builder *builder;
    const struct hy_tflite_operator *operator_;
    struct hy_error *err;
    enum hy_code code;
    uint32_t count;
    uint32_t operands[HY_ARGUMENTS_MAX];
};

/* Input `index` of the operator: its tensor, or -1 where it is left out or not even listed. */
int32_t hy_input(const struct hy_arguments *args, uint32_t index);

/* The tensor behind input or output `index`; NULL, and a failure, where it is left out. */
const struct hy_tflite_tensor *hy_input_tensor(struct hy_arguments *args, uint32_t index);
const struct hy_tflite_tensor *hy_output_tensor(struct hy_arguments *args, uint32_t index);

/* Keeps the first failure: "... has no NNAPI form" unless `holds`. */
void hy_expect(struct hy_arguments *args, bool holds, const char *what);

/* Fails for a fused activation that NNAPI has not; the others have the same numbers. */
void hy_expect_activation(struct hy_arguments *args, int32_t activation);

/* Each appends one operand. */
void hy_take(struct hy_arguments *args, uint32_t input);        /* an input, as it is */
void hy_take_scalar(struct hy_arguments *args, uint32_t input); /* a constant of one element */
void hy_take_int(struct hy_arguments *args, int32_t value);
void hy_take_bool(struct hy_arguments *args, bool value);
void hy_take_float(struct hy_arguments *args, float value);
void hy_take_ints(struct hy_arguments *args, const int32_t *values, uint32_t count);
void hy_take_operand(struct hy_arguments *args, enum hy_code code, uint32_t operand);
void hy_take_activation(struct hy_arguments *args, int32_t activation);

/* SAME or VALID, from the file's number. */
void hy_take_padding(struct hy_arguments *args, int32_t padding);

/* Adds the operation, with all outputs of the operator. Gives the first failure, if there was one.
 */
HY_MUST_CHECK enum hy_code hy_give(struct hy_arguments *args, int32_t type);

#endif
