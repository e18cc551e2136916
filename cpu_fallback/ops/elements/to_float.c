#include "cpu_fallback/ops/elements/to_float.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/kernels/to_float.h"
#include "cpu_fallback/ops/elements/floats.h"

static size_t element_count(const struct hy_value *value)
{
    return hy_shape_span(&value->shape, 0, value->shape.rank);
}

bool hy_cpu_to_float_alloc(size_t *total, const struct hy_value *value, size_t *offset)
{
    return hy_cpu_scratch_alloc_rows(total, element_count(value), 1, sizeof(float), offset);
}

bool hy_cpu_copy_alloc(size_t *total, const struct hy_value *value, size_t *offset)
{
    return hy_cpu_scratch_alloc_rows(total, element_count(value), 1,
                                     hy_operand_type_bytes(value->type), offset);
}

float *hy_cpu_to_float_load(const struct hy_value *value, void *out)
{
    hy_to_float_load(hy_cpu_element(value->type), value->scale, value->zero_point,
                     element_count(value), value->data, out);
    return out;
}

bool hy_cpu_to_float_view_alloc(size_t *total, const struct hy_value *value, size_t *offset)
{
    *offset = *total;
    return value->type == ANEURALNETWORKS_TENSOR_FLOAT32 ||
           hy_cpu_to_float_alloc(total, value, offset);
}

const float *hy_cpu_to_float_view(const struct hy_value *value, void *out)
{
    return value->type == ANEURALNETWORKS_TENSOR_FLOAT32 ? value->data
                                                         : hy_cpu_to_float_load(value, out);
}

void *hy_cpu_copy_load(const struct hy_value *value, void *out)
{
    size_t bytes = element_count(value) * hy_operand_type_bytes(value->type);

    if (bytes > 0)
        memcpy(out, value->data, bytes);
    return out;
}

void hy_cpu_to_float_store(const struct hy_value *value, size_t first, size_t count,
                           const float *in)
{
    uint8_t *out = (uint8_t *)value->data + first * hy_operand_type_bytes(value->type);

    hy_to_float_store(hy_cpu_element(value->type), value->scale, value->zero_point, count, in, out);
}
