#include "common/operations/operation.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/nnapi_operands.h"
#include "libhalyard/lower/operations.h"

/* Operators between element types. Where NNAPI's operation does not take the types, or computes
 * something else, the extension's does. */

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
