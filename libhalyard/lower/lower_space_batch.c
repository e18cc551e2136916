#include "common/operations/operation.h"
#include "libhalyard/graph/constant.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/movement.h"

/* Blocks of images that become channels or batches, and the opposite. */

static bool is_image_of_nnapi(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);

    return input->rank == 4 && hy_nnapi_moves(input, HY_MOVES_NO_INTEGERS);
}

void hy_lower_depth_to_space(struct hy_lowering *lowering)
{
    const bool is_nnapi = is_image_of_nnapi(lowering);

    hy_push_input(lowering, 0);
    hy_push_int(lowering, lowering->node->attributes.block.size);
    if (!is_nnapi) {
        hy_push_bool(lowering, false); /* NHWC */
        hy_push_bool(lowering, false); /* channels come after the position in the block */
    }
    hy_emit(lowering, is_nnapi ? ANEURALNETWORKS_DEPTH_TO_SPACE : HY_EXT_DEPTH_TO_SPACE);
}

void hy_lower_space_to_depth(struct hy_lowering *lowering)
{
    const bool is_nnapi = is_image_of_nnapi(lowering);

    hy_push_input(lowering, 0);
    hy_push_int(lowering, lowering->node->attributes.block.size);
    if (!is_nnapi)
        hy_push_bool(lowering, false); /* NHWC */
    hy_emit(lowering, is_nnapi ? ANEURALNETWORKS_SPACE_TO_DEPTH : HY_EXT_SPACE_TO_DEPTH);
}

void hy_lower_space_to_batch_nd(struct hy_lowering *lowering)
{
    const bool is_nnapi = is_image_of_nnapi(lowering);

    hy_push_inputs(lowering);
    hy_emit(lowering, is_nnapi ? ANEURALNETWORKS_SPACE_TO_BATCH_ND : HY_EXT_SPACE_TO_BATCH_ND);
}

/* NNAPI's operation crops nothing: a SLICE follows where the file does. */
static void batch_to_space_of_nnapi(struct hy_lowering *lowering, const int64_t block[2],
                                    const int64_t crops[4])
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const struct hy_graph_tensor *output = hy_output(lowering, 0);

    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    if (crops[0] == 0 && crops[1] == 0 && crops[2] == 0 && crops[3] == 0) {
        hy_emit(lowering, ANEURALNETWORKS_BATCH_TO_SPACE_ND);
        return;
    }
    const uint32_t extents[4] = {
        (uint32_t)output->extents[0], (uint32_t)(input->extents[1] * block[0]),
        (uint32_t)(input->extents[2] * block[1]), (uint32_t)input->extents[3]};
    const int32_t begin[4] = {0, (int32_t)crops[0], (int32_t)crops[2], 0};
    const uint32_t whole = hy_temporary_operand_of(lowering, output, 4, extents);
    hy_emit_to(lowering, ANEURALNETWORKS_BATCH_TO_SPACE_ND, whole);
    hy_push(lowering, whole);
    hy_push_ints(lowering, begin, 4);
    hy_push_ints(lowering, output->extents, 4);
    hy_emit(lowering, ANEURALNETWORKS_SLICE);
}

void hy_lower_batch_to_space_nd(struct hy_lowering *lowering)
{
    int64_t block[2], crops[4];
    const bool is_known = hy_constant_ints(hy_input(lowering, 1), block, 2) == 2 &&
                          hy_constant_ints(hy_input(lowering, 2), crops, 4) == 4 &&
                          block[0] <= INT32_MAX && block[1] <= INT32_MAX &&
                          hy_graph_unknown_extents(hy_input(lowering, 0)) == 0 &&
                          hy_output(lowering, 0)->rank == 4;

    if (is_known && is_image_of_nnapi(lowering)) {
        batch_to_space_of_nnapi(lowering, block, crops);
        return;
    }
    hy_push_inputs(lowering);
    hy_emit(lowering, HY_EXT_BATCH_TO_SPACE_ND);
}
