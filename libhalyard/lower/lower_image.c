#include "libhalyard/graph/constant.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

void hy_lower_pool(struct hy_lowering *lowering, int32_t type)
{
    const struct hy_attributes_pool *attributes = &lowering->node->attributes.pool;

    hy_push(lowering, hy_same_bytes_operand(lowering, 0));
    hy_push_padding(lowering, attributes->padding);
    hy_push_int(lowering, attributes->stride_width);
    hy_push_int(lowering, attributes->stride_height);
    hy_push_int(lowering, attributes->filter_width);
    hy_push_int(lowering, attributes->filter_height);
    hy_push_activation(lowering, attributes->activation);
    hy_emit(lowering, type);
}

/* The size is that of the output: the constant in the file says the same. */
void hy_lower_resize(struct hy_lowering *lowering, int32_t type)
{
    const struct hy_attributes_resize *attributes = &lowering->node->attributes.resize;
    const struct hy_graph_tensor *output = hy_output(lowering, 0);

    hy_expect(lowering, output->rank == 4, "an image of this rank");
    hy_push_input(lowering, 0);
    hy_push_int(lowering, output->extents[2]);
    hy_push_int(lowering, output->extents[1]);
    hy_push_bool(lowering, false); /* NHWC */
    hy_push_bool(lowering, attributes->align_corners);
    hy_push_bool(lowering, attributes->half_pixel_centers);
    hy_emit(lowering, type);
}

void hy_lower_block(struct hy_lowering *lowering, int32_t type)
{
    hy_push_input(lowering, 0);
    hy_push_int(lowering, lowering->node->attributes.block.size);
    hy_emit(lowering, type);
}

/* NNAPI's operation crops nothing: a SLICE follows where the file does. */
void hy_lower_batch_to_space_nd(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    int64_t block[2], crops[4];
    const bool known = hy_constant_ints(hy_input(lowering, 1), block, 2) == 2 &&
                       hy_constant_ints(hy_input(lowering, 2), crops, 4) == 4 &&
                       block[0] <= INT32_MAX && block[1] <= INT32_MAX;

    hy_expect(lowering, known && input->rank == 4 && output->rank == 4,
              "a block or crops known only at run time, or images of this rank");
    if (lowering->code != HY_OK)
        return;
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
