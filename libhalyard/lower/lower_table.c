#include "libhalyard/lower/families.h"

#include "common/operations/operation.h"

/* Tables: HASHTABLE_FIND, HASHTABLE_LOOKUP, EMBEDDING_LOOKUP_SPARSE, LSH_PROJECTION. */

/* Inputs of HASHTABLE_FIND. */
enum { QUERIES, KEYS, VALUES, DEFAULT };

void hy_lower_hashtable_find(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);

    hy_push_inputs(lowering);
    if (hy_input(lowering, QUERIES)->element == HY_ELEMENT_STRING)
        hy_push_shape(lowering, output);
    else if (output->element == HY_ELEMENT_STRING)
        hy_push_int(lowering, output->extents[0]);
    hy_emit(lowering, HY_EXT_HASHTABLE_FIND);
}

void hy_lower_hashtable_lookup(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *values = hy_input(lowering, 2);
    const bool is_core = values->element == HY_ELEMENT_FLOAT32 ||
                         values->element == HY_ELEMENT_INT32 || values->element == HY_ELEMENT_UINT8;

    hy_push_inputs(lowering);
    hy_emit(lowering, is_core ? ANEURALNETWORKS_HASHTABLE_LOOKUP : HY_EXT_HASHTABLE_LOOKUP);
}

void hy_lower_embedding_lookup_sparse(struct hy_lowering *lowering)
{
    hy_push_inputs(lowering);
    hy_push_int(lowering, lowering->node->attributes.combiner.combiner);
    hy_emit(lowering, HY_EXT_EMBEDDING_LOOKUP_SPARSE);
}

/* NNAPI's numbers of the types. */
enum { DENSE = 2, SPARSE = 3 };

/* A weight for each row; a sparse projection has none. */
static void push_weights(struct hy_lowering *lowering, bool is_dense)
{
    const struct hy_graph_tensor *rows = hy_input(lowering, 1);

    if (hy_has_input(lowering, 2) || !is_dense) {
        hy_expect(lowering, is_dense || !hy_has_input(lowering, 2),
                  "a sparse projection with weights");
        hy_push(lowering,
                is_dense ? hy_input_operand(lowering, 2) : hy_left_out_operand(lowering, 1));
        return;
    }
    const uint32_t count = rows->rank > 0 ? (uint32_t)rows->extents[0] : 1;
    const ANeuralNetworksOperandType type = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &count};
    float *ones = hy_scratch_memory(lowering, count, sizeof *ones);
    for (uint32_t i = 0; ones && i < count; i++)
        ones[i] = 1.0f;
    hy_push(lowering, hy_constant_operand(lowering, &type, ones, count * sizeof *ones));
}

void hy_lower_lsh_projection(struct hy_lowering *lowering)
{
    const bool is_dense = lowering->node->attributes.projection.is_dense;
    const struct hy_graph_tensor *rows = hy_input(lowering, 1);
    const bool is_core = rows->element == HY_ELEMENT_FLOAT32 ||
                         rows->element == HY_ELEMENT_FLOAT16 || rows->element == HY_ELEMENT_INT32 ||
                         rows->element == HY_ELEMENT_UINT8;

    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    push_weights(lowering, is_dense);
    hy_push_int(lowering, is_dense ? DENSE : SPARSE);
    hy_emit(lowering, is_core ? ANEURALNETWORKS_LSH_PROJECTION : HY_EXT_LSH_PROJECTION);
}
