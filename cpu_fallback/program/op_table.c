/* The operations of the CPU backend, from the rows of common/operations/ops.def. */
#include "common/operations/operation.h"
#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/program/band.h"

#include <string.h>

/* The inputs that operations pack. For a cell they start at its first weights; an LSTM has
 * peepholes in between. */
#define FILTER_AND_BIAS HY_CPU_OP_PACKS(1, 2)
#define RNN_CELL(first) HY_CPU_OP_PACKS(first, (first) + 2)
#define LSTM_CELL(first) \
    (HY_CPU_OP_PACKS(first, (first) + 7) | HY_CPU_OP_PACKS((first) + 11, (first) + 14))

/* The columns of ops.def. */
#define AT(member)                 offsetof(struct hy_kernel_table, member)
#define SIZE(member)               sizeof(((struct hy_kernel_table *)0)->member)
#define KERNEL(member)             .kernels = {AT(member), SIZE(member)}
#define KERNELS(first, last)       .kernels = {AT(first), AT(last) - AT(first) + SIZE(last)}
#define KIND(family, number)       KINDS(family, number, number)
#define KINDS(family, first, last) KERNELS(family[first], family[last]), .kind = first
#define FLAGS(names)               .flags = (names)
#define BANDED(family)             .banded = &hy_cpu_##family##_banded

static const struct hy_cpu_op ops[HY_OP_COUNT + 1] = {
#define CPU(resolved, ran, ...) \
    .resolve = hy_cpu_##resolved##_resolve, .run = hy_cpu_##ran##_run, __VA_ARGS__
#define NO_CPU .resolve = NULL
#define OP(code, name, level, in_min, in_max, out_min, out_max, work, shapes, cpu) \
    [HY_OP_ROW(code)] = {cpu},
#define EXTENSION_OP(name, in_min, in_max, out_min, out_max, work, shapes, cpu) \
    [HY_OP_ROW(HY_EXT_##name)] = {cpu},
#include "common/operations/ops.def"
};

const struct hy_cpu_op *hy_cpu_op_find(int32_t operation)
{
    const struct hy_cpu_op *op = &ops[hy_op_row(operation)];

    return op->resolve ? op : NULL;
}

bool hy_cpu_op_is_fast(const struct hy_cpu_op *op, const struct hy_kernel_table *kernels)
{
    const char *own = (const char *)kernels;
    const char *reference = (const char *)hy_kernels_reference();

    return memcmp(own + op->kernels.offset, reference + op->kernels.offset, op->kernels.size) != 0;
}
