#ifndef HY_TESTS_MODEL_BUILDER_H
#define HY_TESTS_MODEL_BUILDER_H

#include "common/memory/arena.h"
#include "halyard/driver.h"

/*
 * Builds driver views of models for tests. Operands get consecutive indices, returned by the
 * functions. Ends the test program if out of memory.
 */
struct hy_builder {
    struct hy_arena memory;
    struct hy_operand *operands;
    struct hy_operation *operations;
    uint8_t *values;
    struct hy_pool *pools;
    uint32_t *inputs, *outputs;
    uint32_t operand_count, operation_count, input_count, output_count, pool_count;
    uint64_t values_size;
    struct hy_subgraph main;
    struct hy_model model;
};

/* Type and shape of an operand. A tensor type with rank 0 has an unknown rank. */
struct hy_builder_type {
    int32_t type;
    float scale;
    int32_t zero_point;
    uint32_t rank;
    uint32_t dims[HY_MAX_RANK];
};

void hy_builder_init(struct hy_builder *builder);
void hy_builder_finish(struct hy_builder *builder);

uint32_t hy_builder_input(struct hy_builder *builder, const struct hy_builder_type *type);
uint32_t hy_builder_output(struct hy_builder *builder, const struct hy_builder_type *type);
uint32_t hy_builder_temporary(struct hy_builder *builder, const struct hy_builder_type *type);
uint32_t hy_builder_no_value(struct hy_builder *builder, const struct hy_builder_type *type);

/* Adds a constant with a copy of `length` bytes: in the values, or in a separate host pool. */
uint32_t hy_builder_constant(struct hy_builder *builder, const struct hy_builder_type *type,
                             const void *data, uint64_t length);
uint32_t hy_builder_pool_constant(struct hy_builder *builder, const struct hy_builder_type *type,
                                  const void *data, uint64_t length);

/* Scalar constants. */
uint32_t hy_builder_int(struct hy_builder *builder, int32_t value);
uint32_t hy_builder_float(struct hy_builder *builder, float value);
uint32_t hy_builder_bool(struct hy_builder *builder, int value);

/* Scales of a TENSOR_QUANT8_SYMM_PER_CHANNEL operand; copied. */
void hy_builder_channel_scales(struct hy_builder *builder, uint32_t operand, uint32_t dim,
                               uint32_t count, const float *scales);

void hy_builder_operation(struct hy_builder *builder, int32_t type, uint32_t input_count,
                          const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs);

/* Returns the view. Valid until hy_builder_finish or the next addition. */
const struct hy_model *hy_builder_model(struct hy_builder *builder);

#endif
