#include "cpu_fallback/ops/elements/reals.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/kernels/reals.h"
#include "cpu_fallback/ops/elements/floats.h"

static size_t element_count(const struct hy_value *value)
{
    return hy_shape_span(&value->shape, 0, value->shape.rank);
}

bool hy_cpu_reals_take(size_t *total, const struct hy_value *value, size_t *offset)
{
    return hy_cpu_scratch_take_rows(total, element_count(value), 1, sizeof(float), offset);
}

bool hy_cpu_copy_take(size_t *total, const struct hy_value *value, size_t *offset)
{
    return hy_cpu_scratch_take_rows(total, element_count(value), 1,
                                    hy_operand_type_bytes(value->type), offset);
}

float *hy_cpu_reals_load(const struct hy_value *value, void *out)
{
    hy_reals_load(hy_cpu_element(value->type), value->scale, value->zero_point,
                  element_count(value), value->data, out);
    return out;
}

bool hy_cpu_reals_view_take(size_t *total, const struct hy_value *value, size_t *offset)
{
    *offset = *total;
    return value->type == ANEURALNETWORKS_TENSOR_FLOAT32 || hy_cpu_reals_take(total, value, offset);
}

const float *hy_cpu_reals_view(const struct hy_value *value, void *out)
{
    return value->type == ANEURALNETWORKS_TENSOR_FLOAT32 ? value->data
                                                         : hy_cpu_reals_load(value, out);
}

void *hy_cpu_copy_load(const struct hy_value *value, void *out)
{
    size_t bytes = element_count(value) * hy_operand_type_bytes(value->type);

    if (bytes > 0)
        memcpy(out, value->data, bytes);
    return out;
}

void hy_cpu_reals_store(const struct hy_value *value, size_t first, size_t count, const float *in)
{
    uint8_t *out = (uint8_t *)value->data + first * hy_operand_type_bytes(value->type);

    hy_reals_store(hy_cpu_element(value->type), value->scale, value->zero_point, count, in, out);
}
