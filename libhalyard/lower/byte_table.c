#include "libhalyard/lower/byte_table.h"

#include "libhalyard/lower/operations.h"

enum { BYTES = 256 };

/* The stored value that stands at an index of a table. */
static int32_t stored_at(const struct hy_graph_tensor *tensor, int32_t index)
{
    return tensor->element == HY_ELEMENT_INT8 ? index - 128 : index;
}

/* A tensor of stored values that are real numbers. */
static const float unit_scale = 1.0f;

static struct hy_graph_tensor in_units(const struct hy_graph_tensor *tensor,
                                       const int32_t *zero_point)
{
    struct hy_graph_tensor plain = *tensor;
    plain.quantisation = (struct hy_graph_quantisation){
        .count = 1, .scales = &unit_scale, .zero_points = zero_point};
    return plain;
}

uint32_t hy_stored_values_operand(struct hy_lowering *lowering, uint32_t input)
{
    static const int32_t zero = 0;
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    const struct hy_graph_tensor plain = in_units(tensor, &zero), real = hy_real_like(tensor);
    const uint32_t stored =
        hy_emit_unary(lowering, ANEURALNETWORKS_CAST, hy_input_operand(lowering, input), &plain);
    return hy_emit_unary(lowering, ANEURALNETWORKS_DEQUANTIZE, stored, &real);
}

/* The elements of an input as indices from 0 to 255. CAST has no way from signed bytes to integers:
 * signed bytes become real numbers in between, with a quantisation that adds 128. */
static uint32_t index_operand(struct hy_lowering *lowering, uint32_t input)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    static const int32_t zero_point = -128;
    const struct hy_graph_tensor plain = in_units(tensor, &zero_point), real = hy_real_like(tensor);
    struct hy_graph_tensor index = *tensor;

    hy_expect(lowering, hy_is_byte(tensor), "an operand with elements of other than 8 bits");
    index.element = HY_ELEMENT_INT32;
    index.quantisation.count = 0;
    uint32_t from = hy_input_operand(lowering, input);
    if (tensor->element == HY_ELEMENT_INT8) {
        from = hy_emit_unary(lowering, ANEURALNETWORKS_CAST, from, &plain);
        from = hy_emit_unary(lowering, ANEURALNETWORKS_DEQUANTIZE, from, &real);
    }
    return hy_emit_unary(lowering, ANEURALNETWORKS_CAST, from, &index);
}

uint32_t hy_byte_integers_operand(struct hy_lowering *lowering, uint32_t input,
                                  hy_byte_function function, const void *context)
{
    static const uint32_t count = BYTES;
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    const struct hy_graph_tensor numbers = {.element = HY_ELEMENT_INT32};
    struct hy_graph_tensor like = *tensor;
    const uint32_t index = index_operand(lowering, input);
    int32_t table[BYTES];

    for (int32_t i = 0; i < BYTES; i++)
        table[i] = (int32_t)function(context, stored_at(tensor, i));
    like.element = HY_ELEMENT_INT32;
    like.quantisation.count = 0;
    const uint32_t result = hy_temporary_operand(lowering, &like);
    hy_push(lowering, hy_constant_operand_like(lowering, &numbers, 1, &count, table, sizeof table));
    hy_push_int(lowering, 0);
    hy_push(lowering, index);
    hy_emit_to(lowering, ANEURALNETWORKS_GATHER, result);
    return result;
}
