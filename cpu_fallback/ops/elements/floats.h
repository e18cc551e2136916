#ifndef HY_CPU_FALLBACK_OPS_ELEMENTS_FLOATS_H
#define HY_CPU_FALLBACK_OPS_ELEMENTS_FLOATS_H

#include "cpu_fallback/program/op.h"

/* Tensors of a real type as float32, for operations that compute in float32 for every stored
 * type. */
struct hy_cpu_floats {
    enum hy_element element;
    uint32_t size;            /* bytes per element */
    hy_cast_fn *load, *store; /* NULL: the stored type is float32 */
};

/* Initializes `floats` for tensors of `type`. Errors: HY_FAILED (neither TENSOR_FLOAT32 nor
 * TENSOR_FLOAT16). */
HY_MUST_CHECK enum hy_code hy_cpu_floats_init(const struct hy_kernel_table *kernels, int32_t type,
                                              struct hy_cpu_floats *floats, struct hy_error *err);

/* Convert `count` elements of a tensor, from element `begin` on, to or from float32. */
void hy_cpu_floats_load(const struct hy_cpu_floats *floats, const void *tensor, size_t begin,
                        size_t count, float *to);
void hy_cpu_floats_store(const struct hy_cpu_floats *floats, const float *from, size_t count,
                         void *tensor, size_t begin);

/* The kernels of recurrent cells with weights of this type. */
struct hy_cell_kernels hy_cpu_floats_cell_kernels(const struct hy_kernel_table *kernels,
                                                  const struct hy_cpu_floats *floats);

/* Reserves scratch for `rows` * `columns` elements of `size` bytes. False: overflow. */
bool hy_cpu_scratch_alloc_rows(size_t *total, uint64_t rows, uint64_t columns, size_t size,
                               size_t *offset);

/* The scratch of `work` at `offset`, as floats. */
static inline float *hy_cpu_scratch_floats(const struct hy_cpu_work *work, size_t offset)
{
    return (float *)(void *)(work->scratch + offset);
}

#endif
