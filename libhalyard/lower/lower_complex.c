#include "libhalyard/lower/families.h"

#include "common/operations/operation.h"

/* REAL and IMAG of complex numbers, which are pairs along the last dimension: RESHAPE to rows of
 * two, SLICE of a column, RESHAPE. */

enum { MOST_CORE_RANK = 4 }; /* of a RESHAPE of NNAPI */

static int32_t reshape_of(uint32_t rank)
{
    return rank <= MOST_CORE_RANK ? ANEURALNETWORKS_RESHAPE : HY_OPERATIONS_CODE(HALYARD_RESHAPE);
}

static void extract_part(struct hy_lowering *lowering, int32_t part)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    uint64_t count = 0;

    hy_expect(lowering,
              input->rank >= 1 && input->extents[input->rank - 1] == 2 &&
                  hy_graph_tensor_elements(output, &count) && count <= INT32_MAX,
              "the shape of the complex numbers");
    const int32_t pairs[] = {(int32_t)count, 2}, begin[] = {0, part};
    const int32_t column[] = {(int32_t)count, 1};
    const uint32_t flat = hy_temporary_operand_of(lowering, input, 2, (const uint32_t *)pairs);
    const uint32_t sliced = hy_temporary_operand_of(lowering, input, 2, (const uint32_t *)column);

    hy_push_input(lowering, 0);
    hy_push_ints(lowering, pairs, 2);
    hy_emit_to(lowering, reshape_of(input->rank), flat);
    hy_push(lowering, flat);
    hy_push_ints(lowering, begin, 2);
    hy_push_ints(lowering, column, 2);
    hy_emit_to(lowering, ANEURALNETWORKS_SLICE, sliced);
    hy_push(lowering, sliced);
    hy_push_shape(lowering, output);
    hy_emit(lowering, ANEURALNETWORKS_RESHAPE);
}

void hy_lower_real(struct hy_lowering *lowering)
{
    extract_part(lowering, 0);
}

void hy_lower_imag(struct hy_lowering *lowering)
{
    extract_part(lowering, 1);
}
