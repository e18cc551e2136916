#include "tests/unit/tools/operators/op_builder.h"

static struct hy_op_tensor image(struct hy_op_builder *op_builder, int32_t height_of,
                                 int32_t width_of, int32_t depth_of)
{
    const int32_t dims[4] = {
        hy_op_between(op_builder, 1, 2), hy_op_between(op_builder, 1, 5) * height_of,
        hy_op_between(op_builder, 1, 5) * width_of, hy_op_between(op_builder, 1, 5) * depth_of};
    return hy_op_of(op_builder, op_builder->type, 4, dims);
}

/* Corners and pixel centres are never both asked for: that is an error. */
void hy_op_resize(struct hy_op_builder *op_builder)
{
    const bool bilinear = op_builder->row->op == HY_TFLITE_OP_RESIZE_BILINEAR;
    const struct hy_op_tensor x = image(op_builder, 1, 1, 1);
    const int32_t size[2] = {hy_op_between(op_builder, 1, 12), hy_op_between(op_builder, 1, 12)};
    const struct hy_op_tensor y =
        hy_op_shaped(&x, 4, (const int32_t[]){x.dims[0], size[0], size[1], x.dims[3]});
    const uint32_t variant = hy_op_pick(op_builder, 3);

    hy_op_input(op_builder, &x);
    hy_op_ints(op_builder, 2, size);
    hy_op_options(op_builder, bilinear ? HY_TFLITE_OPTIONS_RESIZE_BILINEAR
                                       : HY_TFLITE_OPTIONS_RESIZE_NEAREST_NEIGHBOR);
    hy_op_option(op_builder, bilinear ? 2 : 0, 1, variant == 1);
    hy_op_option(op_builder, bilinear ? 3 : 1, 1, variant == 2);
    hy_op_output(op_builder, &y);
}

void hy_op_depth_to_space(struct hy_op_builder *op_builder)
{
    const int32_t block = hy_op_between(op_builder, 1, 3);
    const struct hy_op_tensor x = image(op_builder, 1, 1, block * block);
    const struct hy_op_tensor y =
        hy_op_shaped(&x, 4,
                     (const int32_t[]){x.dims[0], x.dims[1] * block, x.dims[2] * block,
                                       x.dims[3] / (block * block)});
    hy_op_input(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_DEPTH_TO_SPACE);
    hy_op_option(op_builder, 0, 4, block);
    hy_op_output(op_builder, &y);
}

void hy_op_space_to_depth(struct hy_op_builder *op_builder)
{
    const int32_t block = hy_op_between(op_builder, 1, 3);
    const struct hy_op_tensor x = image(op_builder, block, block, 1);
    const struct hy_op_tensor y =
        hy_op_shaped(&x, 4,
                     (const int32_t[]){x.dims[0], x.dims[1] / block, x.dims[2] / block,
                                       x.dims[3] * block * block});
    hy_op_input(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_SPACE_TO_DEPTH);
    hy_op_option(op_builder, 0, 4, block);
    hy_op_output(op_builder, &y);
}

void hy_op_space_to_batch(struct hy_op_builder *op_builder)
{
    const int32_t block[2] = {hy_op_between(op_builder, 1, 3), hy_op_between(op_builder, 1, 3)};
    const struct hy_op_tensor x = image(op_builder, block[0], block[1], 1);
    const int32_t pads[4] = {hy_op_between(op_builder, 0, 1) * block[0], 0, 0,
                             hy_op_between(op_builder, 0, 1) * block[1]};
    const struct hy_op_tensor y = hy_op_shaped(
        &x, 4,
        (const int32_t[]){x.dims[0] * block[0] * block[1], (x.dims[1] + pads[0]) / block[0],
                          (x.dims[2] + pads[3]) / block[1], x.dims[3]});
    hy_op_input(op_builder, &x);
    hy_op_ints(op_builder, 2, block);
    hy_op_int_rows(op_builder, 2, 2, pads);
    hy_op_output(op_builder, &y);
}

void hy_op_batch_to_space(struct hy_op_builder *op_builder)
{
    const int32_t block[2] = {hy_op_between(op_builder, 1, 3), hy_op_between(op_builder, 1, 3)};
    int32_t crops[4] = {0, 0, 0, 0};
    struct hy_op_tensor x = image(op_builder, 1, 1, 1);
    x.dims[0] *= block[0] * block[1];
    for (uint32_t i = 0; i < 2 && hy_op_pick(op_builder, 2); i++) {
        const int32_t most = x.dims[1 + i] * block[i] - 1; /* one row is left */
        crops[2 * i] = hy_op_between(op_builder, 0, most < 2 ? most : 2);
        crops[2 * i + 1] =
            hy_op_between(op_builder, 0, most - crops[2 * i] < 2 ? most - crops[2 * i] : 2);
    }
    const struct hy_op_tensor y =
        hy_op_shaped(&x, 4,
                     (const int32_t[]){x.dims[0] / (block[0] * block[1]),
                                       x.dims[1] * block[0] - crops[0] - crops[1],
                                       x.dims[2] * block[1] - crops[2] - crops[3], x.dims[3]});
    hy_op_input(op_builder, &x);
    hy_op_ints(op_builder, 2, block);
    hy_op_int_rows(op_builder, 2, 2, crops);
    hy_op_output(op_builder, &y);
}
