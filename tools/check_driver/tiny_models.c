/*
 * Small models of common operations, for checks without vector files. Their values were computed by
 * hand, and are exact.
 */
#include <android/NeuralNetworks.h>

#include "tools/check_driver/models.h"

/* clang-format off */
#define COUNT(type, ...) (sizeof((const type[]){__VA_ARGS__}) / sizeof(type))

#define SHAPE(...) \
    .rank = COUNT(uint32_t, __VA_ARGS__), .dims = (const uint32_t[]){__VA_ARGS__}, \
    .declared_dims = (const uint32_t[]){__VA_ARGS__}
#define VALUES(type, ...) \
    {.count = COUNT(type, __VA_ARGS__), .length = sizeof((const type[]){__VA_ARGS__}), \
     .bytes = (const type[]){__VA_ARGS__}}
#define INDICES(...) \
    {.count = COUNT(uint32_t, __VA_ARGS__), .items = (const uint32_t[]){__VA_ARGS__}}

#define F32(role, ...) \
    {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .lifetime = HY_VECTOR_##role, SHAPE(__VA_ARGS__)}
#define F16(role, ...) \
    {.type = ANEURALNETWORKS_TENSOR_FLOAT16, .lifetime = HY_VECTOR_##role, SHAPE(__VA_ARGS__)}
#define Q8(role, step, ...) \
    {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .lifetime = HY_VECTOR_##role, .scale = (step), \
     .zero_point = 128, SHAPE(__VA_ARGS__)}
#define S8(role, step, ...) \
    {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, .lifetime = HY_VECTOR_##role, \
     .scale = (step), SHAPE(__VA_ARGS__)}
#define CONSTANT(operand_type, values, ...) \
    {.type = ANEURALNETWORKS_##operand_type, .lifetime = HY_VECTOR_CONSTANT_COPY, \
     .value = values, __VA_ARGS__}
#define INTEGER(value_) CONSTANT(INT32, VALUES(int32_t, value_), .rank = 0)
#define REAL(value_) CONSTANT(FLOAT32, VALUES(float, value_), .rank = 0)
#define LIST(...) __VA_ARGS__

/* One operation: operands in the order inputs of the model, other inputs of the operation, output. */
#define TINY(name_, op, operands_, operand_total, model_inputs, op_inputs, in_values, out_values) \
    {.name = "tiny_" name_, .model_count = 1, \
     .models = &(const struct hy_vector_model){ \
         .operand_count = (operand_total), .operation_count = 1, \
         .operands = (const struct hy_vector_operand[]){operands_}, \
         .operations = &(const struct hy_vector_operation){ \
             .type = ANEURALNETWORKS_##op, .inputs = op_inputs, \
             .outputs = INDICES((operand_total) - 1)}, \
         .inputs = model_inputs, .outputs = INDICES((operand_total) - 1)}, \
     .example_count = 1, \
     .examples = &(const struct hy_vector_example){ \
         .inputs = (const struct hy_vector_value[]){in_values}, \
         .outputs = (const struct hy_vector_value[]){out_values}}}

static const struct hy_vector tiny[] = {
    TINY("add_f32", ADD,
         LIST(F32(INPUT, 2, 3), F32(INPUT, 2, 3), INTEGER(0), F32(OUTPUT, 2, 3)), 4,
         INDICES(0, 1), INDICES(0, 1, 2),
         LIST(VALUES(float, 1, 2, 3, 4, 5, 6), VALUES(float, 0.5f, -1, 1.5f, -2, 2.5f, -3)),
         VALUES(float, 1.5f, 1, 4.5f, 2, 7.5f, 3)),
    TINY("add_f16", ADD,
         LIST(F16(INPUT, 2), F16(INPUT, 2), INTEGER(0), F16(OUTPUT, 2)), 4,
         INDICES(0, 1), INDICES(0, 1, 2),
         LIST(VALUES(uint16_t, 0x3c00, 0x4000), VALUES(uint16_t, 0x3c00, 0xc000)),
         VALUES(uint16_t, 0x4000, 0)),
    TINY("add_quant8", ADD,
         LIST(Q8(INPUT, 0.5f, 4), Q8(INPUT, 0.5f, 4), INTEGER(0), Q8(OUTPUT, 0.5f, 4)), 4,
         INDICES(0, 1), INDICES(0, 1, 2),
         LIST(VALUES(uint8_t, 128, 130, 120, 250), VALUES(uint8_t, 129, 126, 136, 250)),
         VALUES(uint8_t, 129, 128, 128, 255)),
    TINY("add_signed", ADD,
         LIST(S8(INPUT, 0.5f, 4), S8(INPUT, 0.5f, 4), INTEGER(0), S8(OUTPUT, 0.5f, 4)), 4,
         INDICES(0, 1), INDICES(0, 1, 2),
         LIST(VALUES(int8_t, 0, 2, -8, 100), VALUES(int8_t, 1, -2, 8, 100)),
         VALUES(int8_t, 1, 0, 0, 127)),
    TINY("add_constant_f32", ADD,
         LIST(F32(INPUT, 4), CONSTANT(TENSOR_FLOAT32, VALUES(float, 1, 2, 3, 4), SHAPE(4)),
              INTEGER(1), F32(OUTPUT, 4)), 4,
         INDICES(0), INDICES(0, 1, 2),
         VALUES(float, -1, -3, 0, 4), VALUES(float, 0, 0, 3, 8)),
    TINY("mul_f32", MUL,
         LIST(F32(INPUT, 2, 2), F32(INPUT, 2, 2), INTEGER(0), F32(OUTPUT, 2, 2)), 4,
         INDICES(0, 1), INDICES(0, 1, 2),
         LIST(VALUES(float, 1, -2, 3, 0.5f), VALUES(float, 4, 2, -1, 8)),
         VALUES(float, 4, -4, -3, 4)),
    TINY("relu_f32", RELU, LIST(F32(INPUT, 1, 4), F32(OUTPUT, 1, 4)), 2,
         INDICES(0), INDICES(0),
         VALUES(float, -1, 0, 2, -0.5f), VALUES(float, 0, 0, 2, 0)),
    TINY("logistic_f32", LOGISTIC, LIST(F32(INPUT, 1, 2), F32(OUTPUT, 1, 2)), 2,
         INDICES(0), INDICES(0), VALUES(float, 0, 0), VALUES(float, 0.5f, 0.5f)),
    TINY("softmax_f32", SOFTMAX, LIST(F32(INPUT, 1, 4), REAL(1), F32(OUTPUT, 1, 4)), 3,
         INDICES(0), INDICES(0, 1),
         VALUES(float, 2, 2, 2, 2), VALUES(float, 0.25f, 0.25f, 0.25f, 0.25f)),
    TINY("reshape_f32", RESHAPE,
         LIST(F32(INPUT, 2, 3), CONSTANT(TENSOR_INT32, VALUES(int32_t, 3, 2), SHAPE(2)),
              F32(OUTPUT, 3, 2)), 3,
         INDICES(0), INDICES(0, 1),
         VALUES(float, 1, 2, 3, 4, 5, 6), VALUES(float, 1, 2, 3, 4, 5, 6)),
    TINY("concatenation_f32", CONCATENATION,
         LIST(F32(INPUT, 1, 2), F32(INPUT, 1, 2), INTEGER(1), F32(OUTPUT, 1, 4)), 4,
         INDICES(0, 1), INDICES(0, 1, 2),
         LIST(VALUES(float, 1, 2), VALUES(float, 3, 4)), VALUES(float, 1, 2, 3, 4)),
    TINY("fully_connected_f32", FULLY_CONNECTED,
         LIST(F32(INPUT, 1, 2),
              CONSTANT(TENSOR_FLOAT32, VALUES(float, 1, 2, 3, 4), SHAPE(2, 2)),
              CONSTANT(TENSOR_FLOAT32, VALUES(float, 10, 20), SHAPE(2)), INTEGER(0),
              F32(OUTPUT, 1, 2)), 5,
         INDICES(0), INDICES(0, 1, 2, 3), VALUES(float, 1, 2), VALUES(float, 15, 31)),
    TINY("average_pool_f32", AVERAGE_POOL_2D,
         LIST(F32(INPUT, 1, 2, 2, 1), INTEGER(2), INTEGER(1), INTEGER(1), INTEGER(2), INTEGER(2),
              INTEGER(0), F32(OUTPUT, 1, 1, 1, 1)), 8,
         INDICES(0), INDICES(0, 1, 2, 3, 4, 5, 6), VALUES(float, 1, 2, 3, 6), VALUES(float, 3)),
    TINY("max_pool_f32", MAX_POOL_2D,
         LIST(F32(INPUT, 1, 2, 2, 1), INTEGER(2), INTEGER(1), INTEGER(1), INTEGER(2), INTEGER(2),
              INTEGER(0), F32(OUTPUT, 1, 1, 1, 1)), 8,
         INDICES(0), INDICES(0, 1, 2, 3, 4, 5, 6), VALUES(float, 1, 2, 3, 6), VALUES(float, 6)),
    TINY("conv_f32", CONV_2D,
         LIST(F32(INPUT, 1, 2, 2, 1),
              CONSTANT(TENSOR_FLOAT32, VALUES(float, 2), SHAPE(1, 1, 1, 1)),
              CONSTANT(TENSOR_FLOAT32, VALUES(float, 1), SHAPE(1)), INTEGER(1), INTEGER(1),
              INTEGER(1), INTEGER(0), F32(OUTPUT, 1, 2, 2, 1)), 8,
         INDICES(0), INDICES(0, 1, 2, 3, 4, 5, 6),
         VALUES(float, 1, 2, 3, 4), VALUES(float, 3, 5, 7, 9)),
};
/* clang-format on */

const struct hy_vector *hy_tiny_models(uint32_t *count)
{
    *count = sizeof tiny / sizeof *tiny;
    return tiny;
}
