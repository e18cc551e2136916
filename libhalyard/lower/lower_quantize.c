#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/nnapi_operands.h"
#include "libhalyard/lower/operations.h"

/* Conversions between element types. The extension's operation is used if NNAPI's operation does
 * not support the types, or computes a different result. */

static bool is_byte_type(int32_t type)
{
    return type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ||
           type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
}

static bool is_real_type(int32_t type)
{
    return type == ANEURALNETWORKS_TENSOR_FLOAT32 || type == ANEURALNETWORKS_TENSOR_FLOAT16;
}

void hy_lower_quantize(struct hy_lowering *lowering)
{
    const int32_t from = hy_nnapi_type(hy_input(lowering, 0)->element);
    const int32_t to = hy_nnapi_type(hy_output(lowering, 0)->element);
    const bool is_core = is_real_type(from) && is_byte_type(to);

    hy_push_input(lowering, 0);
    hy_emit(lowering, is_core ? ANEURALNETWORKS_QUANTIZE : HY_EXT_QUANTIZE);
}

static int32_t dequantize_of(const struct hy_graph_tensor *input, int32_t to)
{
    const int32_t from = hy_nnapi_type(input->element);

    if (is_real_type(from) && is_real_type(to))
        return ANEURALNETWORKS_CAST;
    return is_byte_type(from) && is_real_type(to) && input->rank <= HY_LEGAL_RANK
               ? ANEURALNETWORKS_DEQUANTIZE
               : HY_EXT_DEQUANTIZE;
}

/* In files, float16 is dequantised, too. */
void hy_lower_dequantize(struct hy_lowering *lowering)
{
    const int32_t to = hy_nnapi_type(hy_output(lowering, 0)->element);

    hy_push_input(lowering, 0);
    hy_emit(lowering, dequantize_of(hy_input(lowering, 0), to));
}

void hy_lower_cast(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_emit(lowering,
            hy_cast_operation(hy_input(lowering, 0)->element, hy_output(lowering, 0)->element));
}

/* Elements have as many bytes in the model as in the file, and larger ones are whole. */
static void expect_bits(struct hy_lowering *lowering, const struct hy_graph_tensor *input,
                        const struct hy_graph_tensor *output)
{
    const struct hy_graph_tensor *tensors[] = {input, output};
    const unsigned from = hy_element_bits(input->element), to = hy_element_bits(output->element);

    for (uint32_t i = 0; i < 2; i++) {
        const int32_t type = hy_nnapi_type(tensors[i]->element);
        hy_expect(lowering,
                  type >= 0 &&
                      8 * hy_operand_type_bytes(type) == hy_element_bits(tensors[i]->element),
                  "the element type of the bitcast");
    }
    if (lowering->code != HY_OK || to <= from)
        return;
    const int32_t last = input->rank > 0 ? input->extents[input->rank - 1] : 0;
    hy_expect(lowering, last < 0 || last == (int32_t)(to / from),
              "a last dimension that does not form a whole element");
}

/* The operation puts the bytes of an element in a row. A scalar, which is a vector of one, is the
 * row of a matrix there. */
void hy_lower_bitcast(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0), *output = hy_output(lowering, 0);
    struct hy_graph_tensor row = input->rank == 0 ? *output : *input;

    expect_bits(lowering, input, output);
    row.rank = 2;
    row.extents[1] = row.extents[0];
    row.extents[0] = 1;
    if (input->rank == 0 && output->rank == 1) {
        const uint32_t bits =
            hy_emit_unary(lowering, HY_EXT_BITCAST, hy_input_operand(lowering, 0), &row);
        hy_emit_output_reshape(lowering, bits);
    } else if (input->rank == 1 && output->rank == 0) {
        const uint32_t bits = hy_emit_reshape(lowering, hy_input_operand(lowering, 0), &row);
        hy_emit_output_unary(lowering, HY_EXT_BITCAST, bits);
    } else {
        hy_push_input(lowering, 0);
        hy_emit(lowering, HY_EXT_BITCAST);
    }
}
