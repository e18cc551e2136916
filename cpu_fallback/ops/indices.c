#include "cpu_fallback/ops/indices.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/floats.h"

#include <android/NeuralNetworksTypes.h>

bool hy_cpu_indices_alloc(size_t *total, const struct hy_value *output, uint64_t count,
                          size_t *offset)
{
    return output->type == ANEURALNETWORKS_TENSOR_INT32 ||
           hy_cpu_scratch_alloc_rows(total, count, 1, sizeof(int32_t), offset);
}

int32_t *hy_cpu_indices_at(const struct hy_cpu_work *work, const struct hy_value *output,
                           size_t offset)
{
    return output->type == ANEURALNETWORKS_TENSOR_INT32 ? output->data
                                                        : (void *)(work->scratch + offset);
}

void hy_cpu_indices_store(const struct hy_cpu_work *work, const struct hy_value *output,
                          size_t offset, size_t count)
{
    const int32_t *indices = hy_cpu_indices_at(work, output, offset);

    if (output->type == HY_TENSOR_INT64) {
        for (size_t i = 0; i < count; i++)
            ((int64_t *)output->data)[i] = indices[i];
    } else if (output->type == HY_TENSOR_INT16) {
        for (size_t i = 0; i < count; i++)
            ((int16_t *)output->data)[i] = (int16_t)indices[i];
    }
}
