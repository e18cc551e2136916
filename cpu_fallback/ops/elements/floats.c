#include "cpu_fallback/ops/elements/floats.h"

#include <string.h>

#include "common/checked.h"
#include "common/operations/operand_type.h"

enum hy_code hy_cpu_floats_init(const struct hy_kernel_table *kernels, int32_t type,
                                struct hy_cpu_floats *floats, struct hy_error *err)
{
    enum hy_element element = hy_cpu_element(type);

    if (element != HY_ELEMENT_F32 && element != HY_ELEMENT_F16)
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(type));
    *floats = (struct hy_cpu_floats){.element = element, .size = hy_operand_type_bytes(type)};
    if (element != HY_ELEMENT_F32) {
        floats->load = kernels->cast[element][HY_ELEMENT_F32];
        floats->store = kernels->cast[HY_ELEMENT_F32][element];
    }
    return HY_OK;
}

void hy_cpu_floats_load(const struct hy_cpu_floats *floats, const void *tensor, size_t begin,
                        size_t count, float *to)
{
    const uint8_t *from = (const uint8_t *)tensor + begin * floats->size;

    if (floats->load)
        floats->load(count, from, to);
    else
        memcpy(to, from, count * sizeof *to);
}

void hy_cpu_floats_store(const struct hy_cpu_floats *floats, const float *from, size_t count,
                         void *tensor, size_t begin)
{
    uint8_t *to = (uint8_t *)tensor + begin * floats->size;

    if (floats->store)
        floats->store(count, from, to);
    else
        memcpy(to, from, count * sizeof *from);
}

struct hy_cell_kernels hy_cpu_floats_cell_kernels(const struct hy_kernel_table *kernels,
                                                  const struct hy_cpu_floats *floats)
{
    return (struct hy_cell_kernels){
        .matvec = kernels->matvec[floats->element],
        .logistic = kernels->unary[HY_UNARY_LOGISTIC][HY_ELEMENT_F32],
        .tanh = kernels->unary[HY_UNARY_TANH][HY_ELEMENT_F32],
    };
}

bool hy_cpu_scratch_alloc_rows(size_t *total, uint64_t rows, uint64_t columns, size_t size,
                               size_t *offset)
{
    size_t elements, bytes;

    return hy_mul_size(rows, columns, &elements) && hy_mul_size(elements, size, &bytes) &&
           hy_cpu_scratch_alloc(total, bytes, offset);
}
