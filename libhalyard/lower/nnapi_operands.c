#include "libhalyard/lower/nnapi_operands.h"

#include "common/operations/operand_type.h"
#include "halyard/halyard.h"
#include "libhalyard/graph/budget.h"
#include "libhalyard/lower/model.h"

#include <inttypes.h>
#include <string.h>

void hy_lowering_check(struct hy_lowering *lowering, int result)
{
    if (lowering->code == HY_OK && result != ANEURALNETWORKS_NO_ERROR)
        lowering->code = hy_fail(lowering->err, (enum hy_code)result, "%s", halyard_last_error());
}

/* The code of an extension's operation in this process. */
static void find_operation(struct hy_lowering *lowering, int32_t *type)
{
    ANeuralNetworksOperationType found = *type;

    if (hy_type_is_extension(*type) && lowering->code == HY_OK)
        hy_lowering_check(lowering, ANeuralNetworksModel_getExtensionOperationType(
                                        lowering->model->handle, HALYARD_OPERATIONS_NAME,
                                        (uint16_t)(*type & 0xffff), &found));
    *type = found;
}

static void find_operand_type(struct hy_lowering *lowering, int32_t *type)
{
    if (hy_type_is_extension(*type) && lowering->code == HY_OK)
        hy_lowering_check(lowering, ANeuralNetworksModel_getExtensionOperandType(
                                        lowering->model->handle, HALYARD_OPERATIONS_NAME,
                                        (uint16_t)(*type & 0xffff), type));
}

uint32_t hy_lowering_add_operand(struct hy_lowering *lowering,
                                 const ANeuralNetworksOperandType *type)
{
    ANeuralNetworksOperandType own = *type;

    find_operand_type(lowering, &own.type);
    if (lowering->code != HY_OK)
        return 0;
    for (uint32_t i = 0; i < own.dimensionCount; i++)
        lowering->model->has_open_operands |= own.dimensions[i] == 0;
    hy_lowering_check(lowering, ANeuralNetworksModel_addOperand(lowering->model->handle, &own));
    return lowering->code == HY_OK ? lowering->operand_count++ : 0;
}

void hy_lowering_set_value(struct hy_lowering *lowering, uint32_t operand, const void *data,
                           size_t bytes)
{
    if (lowering->code == HY_OK)
        hy_lowering_check(lowering, ANeuralNetworksModel_setOperandValue(
                                        lowering->model->handle, (int32_t)operand, data, bytes));
}

void hy_lowering_add_operation(struct hy_lowering *lowering, int32_t type, uint32_t input_count,
                               const uint32_t *inputs, uint32_t output_count,
                               const uint32_t *outputs)
{
    const struct hy_budget *budget = lowering->graph->budget;
    const uint32_t limit = budget ? budget->operation_limit : 0;

    if (lowering->code == HY_OK && limit > 0 && lowering->model->operation_count >= limit)
        lowering->code = hy_fail(lowering->err, HY_BAD_DATA,
                                 "more NNAPI operations than max_operations = %" PRIu32, limit);
    int32_t own = type;
    find_operation(lowering, &own);
    if (lowering->code == HY_OK)
        hy_lowering_check(lowering, ANeuralNetworksModel_addOperation(lowering->model->handle, own,
                                                                      input_count, inputs,
                                                                      output_count, outputs));
    if (lowering->code == HY_OK)
        lowering->code =
            hy_lowered_model_note(lowering->model, lowering->node, type, lowering->err);
}

void *hy_lowering_make_constant(struct hy_lowering *lowering, uint64_t bytes)
{
    if (lowering->code != HY_OK)
        return NULL;
    void *made = hy_graph_make_constant(&lowering->model->graph, bytes, lowering->err);
    if (made)
        memset(made, 0, (size_t)bytes);
    else
        lowering->code = HY_OUT_OF_MEMORY;
    return made;
}

int32_t hy_nnapi_type(enum hy_element element)
{
    switch (element) {
    case HY_ELEMENT_FLOAT32:
        return ANEURALNETWORKS_TENSOR_FLOAT32;
    case HY_ELEMENT_FLOAT16:
        return ANEURALNETWORKS_TENSOR_FLOAT16;
    case HY_ELEMENT_INT32:
        return ANEURALNETWORKS_TENSOR_INT32;
    case HY_ELEMENT_UINT8:
        return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
    case HY_ELEMENT_INT8:
        return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    case HY_ELEMENT_INT16:
        return ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
    case HY_ELEMENT_BOOL:
        return ANEURALNETWORKS_TENSOR_BOOL8;
    case HY_ELEMENT_UINT16:
        return HY_TENSOR_UINT16;
    case HY_ELEMENT_UINT32:
        return HY_TENSOR_UINT32;
    case HY_ELEMENT_INT64:
        return HY_TENSOR_INT64;
    case HY_ELEMENT_UINT64:
        return HY_TENSOR_UINT64;
    case HY_ELEMENT_FLOAT64:
        return HY_TENSOR_FLOAT64;
    case HY_ELEMENT_BFLOAT16:
        return HY_TENSOR_BFLOAT16;
    case HY_ELEMENT_STRING: /* one blob of bytes */
        return HY_TENSOR_UINT8;
    default:
        return -1;
    }
}

bool hy_nnapi_is_quantised(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
        return true;
    default:
        return false;
    }
}

void hy_nnapi_set_quantisation(const struct hy_graph_quantisation *quantisation,
                               ANeuralNetworksOperandType *out)
{
    if (quantisation->count == 1 &&
        (hy_nnapi_is_quantised(out->type) || out->type == ANEURALNETWORKS_TENSOR_INT32)) {
        out->scale = quantisation->scales[0];
        out->zeroPoint = quantisation->zero_points[0];
    } else if (quantisation->count == 0 && hy_nnapi_is_quantised(out->type)) {
        out->scale = 1.0f;
    }
}

uint32_t hy_nnapi_rank(const struct hy_graph_tensor *tensor)
{
    return tensor->rank ? tensor->rank : 1;
}

void hy_nnapi_extents(const struct hy_graph_tensor *tensor, uint32_t extents[HY_GRAPH_MAX_RANK])
{
    extents[0] = 1;
    for (uint32_t i = 0; i < tensor->rank; i++)
        extents[i] = tensor->extents[i] < 0 ? 0 : (uint32_t)tensor->extents[i];
}

static bool is_real_type(int32_t type)
{
    return type == ANEURALNETWORKS_TENSOR_FLOAT32 || type == ANEURALNETWORKS_TENSOR_FLOAT16;
}

/* NNAPI's CAST of integers to bytes saturates, that of the file formats does not. */
static bool nnapi_casts(int32_t from, int32_t to)
{
    const bool is_known = from == ANEURALNETWORKS_TENSOR_INT32 ||
                          from == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM || is_real_type(from);

    if (from == to)
        return is_known || hy_nnapi_is_quantised(from) || from == ANEURALNETWORKS_TENSOR_BOOL8;
    if (to == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM)
        return is_real_type(from);
    return is_known && (to == ANEURALNETWORKS_TENSOR_INT32 || is_real_type(to));
}

int32_t hy_cast_operation(enum hy_element from, enum hy_element to)
{
    return nnapi_casts(hy_nnapi_type(from), hy_nnapi_type(to)) ? ANEURALNETWORKS_CAST : HY_EXT_CAST;
}
