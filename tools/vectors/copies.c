#include "tools/vectors/copies.h"

#include <string.h>

#include <android/NeuralNetworks.h>

#include "common/operations/operand_type.h"

#define RESHAPE_RANK_MAX 4u

/* True if the operand's type is one of the given letters of signatures.def. */
static bool is_one_of(const struct hy_vector_operand *operand, const char *letters)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(operand->type);
    return info && strchr(letters, info->letter);
}

bool hy_vector_can_copy(const struct hy_vector_operand *operand)
{
    return operand->rank > 0 && is_one_of(operand, "FHIQBAWSY");
}

bool hy_vector_has_elements(const struct hy_vector *test, uint32_t input)
{
    for (uint32_t e = 0; e < test->example_count; e++)
        if (test->examples[e].inputs[input].count == 0)
            return false;
    return true;
}

bool hy_vector_can_reshape(const struct hy_vector_operand *operand)
{
    bool has_elements = true;
    for (uint32_t i = 0; i < operand->rank; i++)
        has_elements &= operand->dims[i] > 0;
    return has_elements && operand->rank > 0 && operand->rank <= RESHAPE_RANK_MAX &&
           is_one_of(operand, "FHIQS");
}

struct hy_vector_operand hy_vector_shape_of(const struct hy_vector_operand *operand)
{
    static const uint32_t extents[RESHAPE_RANK_MAX + 1] = {0, 1, 2, 3, 4};
    return (struct hy_vector_operand){
        .type = ANEURALNETWORKS_TENSOR_INT32,
        .lifetime = HY_VECTOR_CONSTANT_COPY,
        .rank = 1,
        .dims = &extents[operand->rank],
        .declared_dims = &extents[operand->rank],
        .value = {.count = operand->rank,
                  .length = operand->rank * sizeof *operand->dims,
                  .bytes = operand->dims},
    };
}
