#include "common/operations/operation.h"
#include "libhalyard/graph/constant.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

/* The operation of org.halyard.operations that pools int16. */
static int32_t wide_pool_of(int32_t type)
{
    return type == ANEURALNETWORKS_MAX_POOL_2D ? HY_EXT_MAX_POOL_2D : HY_EXT_AVERAGE_POOL_2D;
}

static void push_windows(struct hy_lowering *lowering)
{
    const struct hy_attributes_pool *attributes = &lowering->node->attributes.pool;

    hy_push_int(lowering, attributes->stride_width);
    hy_push_int(lowering, attributes->stride_height);
    hy_push_int(lowering, attributes->filter_width);
    hy_push_int(lowering, attributes->filter_height);
}

/* The operands after the data. */
static void push_pool(struct hy_lowering *lowering)
{
    const struct hy_attributes_pool *attributes = &lowering->node->attributes.pool;

    hy_push_padding(lowering, attributes->padding);
    push_windows(lowering);
    hy_push_activation(lowering, attributes->activation);
}

void hy_lower_pool(struct hy_lowering *lowering, int32_t type)
{
    const bool is_wide = hy_input(lowering, 0)->element == HY_ELEMENT_INT16;

    hy_expect(lowering, !is_wide || type != ANEURALNETWORKS_L2_POOL_2D, "int16");

    hy_push(lowering, hy_same_bytes_operand(lowering, 0));
    push_pool(lowering);
    if (is_wide)
        hy_push_bool(lowering, false); /* NHWC */
    hy_emit(lowering, is_wide ? wide_pool_of(type) : type);
}

/* The largest elements, and their indices. */
void hy_lower_max_pool_with_argmax_2d(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    push_pool(lowering);
    hy_emit(lowering, HY_EXT_MAX_POOL_WITH_ARGMAX_2D);
}

void hy_lower_max_unpool_2d(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    push_windows(lowering);
    hy_emit(lowering, HY_EXT_MAX_UNPOOL_2D);
}

/* The operation of org.halyard.operations, for the types that NNAPI's has not. */
static int32_t own_resize_of(int32_t type)
{
    return type == ANEURALNETWORKS_RESIZE_BILINEAR ? HY_EXT_RESIZE_BILINEAR
                                                   : HY_EXT_RESIZE_NEAREST_NEIGHBOR;
}

/* The size is the output's size, which equals the constant in the file. */
void hy_lower_resize(struct hy_lowering *lowering, int32_t type)
{
    const struct hy_attributes_resize *attributes = &lowering->node->attributes.resize;
    const struct hy_graph_tensor *input = hy_input(lowering, 0), *output = hy_output(lowering, 0);
    const bool is_native = input->element == HY_ELEMENT_FLOAT32 ||
                           input->element == HY_ELEMENT_FLOAT16 || hy_is_byte(input);

    hy_expect(lowering, output->rank == 4, "an image of rank other than 4");
    hy_expect(lowering, output->extents[1] >= 0 && output->extents[2] >= 0,
              "a size known only at run time");
    hy_push_input(lowering, 0);
    hy_push_int(lowering, output->extents[2]);
    hy_push_int(lowering, output->extents[1]);
    hy_push_bool(lowering, false); /* NHWC */
    hy_push_bool(lowering, attributes->align_corners);
    hy_push_bool(lowering, attributes->half_pixel_centers);
    hy_emit(lowering, is_native ? type : own_resize_of(type));
}
