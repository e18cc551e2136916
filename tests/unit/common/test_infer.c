/* Shapes and run-time checks, by small calls. */
#include "common/operations/geometry.h"
#include "common/operations/operand_type.h"
#include "infer_fixture.h"
#include "tests/kit/test.h"

TEST(infer, every_rule_names_the_values_it_reads)
{
    EXPECT(hy_infer_knows(HY_OP_ADD) && !hy_infer_knows(-1) && !hy_infer_knows(0x10001));
    EXPECT(hy_infer_needs_value(HY_OP_RESHAPE, 1, 2) && !hy_infer_needs_value(HY_OP_RESHAPE, 0, 2));
    EXPECT(hy_infer_needs_value(HY_OP_CONV_2D, 12, 13));
    EXPECT(!hy_infer_needs_value(HY_OP_CONV_2D, 2, 13));
}

TEST(infer, every_operation_without_bodies_has_a_rule)
{
    for (uint32_t row = 0; row < HY_OP_COUNT; row++) {
        const int32_t code = hy_op_code(row);
        if (hy_operation_info(code))
            EXPECT(hy_infer_knows(code) == (code != HY_OP_IF && code != HY_OP_WHILE));
    }
    EXPECT(hy_infer_gives_limits(HY_OP_BOX_WITH_NMS_LIMIT));
    EXPECT(hy_infer_gives_limits(HY_OP_GENERATE_PROPOSALS));
    EXPECT(hy_infer_gives_limits(HY_EXT_WHERE) && hy_infer_gives_limits(HY_EXT_UNIQUE));
    EXPECT(hy_infer_gives_limits(HY_EXT_SEGMENT_SUM));
    EXPECT(!hy_infer_gives_limits(HY_EXT_UNSORTED_SEGMENT_SUM));
    EXPECT(!hy_infer_gives_limits(HY_OP_ADD) && !hy_infer_gives_limits(HY_OP_WHILE));
}

TEST(infer, add_broadcasts_and_names_shapes_that_do_not)
{
    struct fixture f;

    start(&f, HY_OP_ADD);
    f32(&f, (struct hy_shape){2, {2, 1}});
    f32(&f, (struct hy_shape){1, {3}});
    integer(&f, 0);
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT(f.out[0].rank == 2 && f.out[0].dims[0] == 2 && f.out[0].dims[1] == 3);

    f.values[0].shape.dims[1] = 4;
    EXPECT_INT(infer(&f), HY_FAILED);
    EXPECT_STR(f.err.text, "inputs of shapes [2, 4] and [3] do not broadcast");
    f.values[0].shape.dims[1] = 1;
    f.ints[2] = 4;
    EXPECT_INT(infer(&f), HY_FAILED);
    EXPECT_CONTAINS(f.err.text, "input 2 is 4, not an activation");
}

static void start_conv(struct fixture *f, uint32_t height, uint32_t width)
{
    start(f, HY_OP_CONV_2D);
    f32(f, (struct hy_shape){4, {1, height, width, 3}});
    f32(f, (struct hy_shape){4, {8, 3, 2, 3}});
    f32(f, (struct hy_shape){1, {8}});
}

TEST(infer, convolution_takes_width_before_height)
{
    struct fixture f;

    start_conv(&f, 9, 7);
    integer(&f, 2);                 /* VALID */
    integer(&f, 1), integer(&f, 2); /* strides */
    integer(&f, 0);                 /* activation */
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT(f.out[0].dims[1] == 4 && f.out[0].dims[2] == 6 && f.out[0].dims[3] == 8);
    f.ints[3] = 1; /* SAME */
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT(f.out[0].dims[1] == 5 && f.out[0].dims[2] == 7);
}

TEST(infer, convolution_refuses_what_kernels_cannot_take)
{
    struct fixture f;

    start_conv(&f, 9, 7);
    integer(&f, 2);
    integer(&f, 0), integer(&f, 1);
    integer(&f, 0);
    EXPECT_INT(infer(&f), HY_FAILED);
    EXPECT_STR(f.err.text, "input 4 is 0, needs 1 or more");
    f.ints[4] = 1;
    f.ints[3] = 3;
    EXPECT_INT(infer(&f), HY_FAILED);
    EXPECT_CONTAINS(f.err.text, "not a padding scheme");
    f.ints[3] = 2;
    f.values[0].shape.dims[3] = 4;
    EXPECT_INT(infer(&f), HY_FAILED);
    EXPECT_STR(f.err.text, "filter is for 3 channels in 1 groups, input 0 has 4");
    f.values[0].shape.dims[3] = 3;
    f.values[2].shape.dims[0] = 7;
    EXPECT_INT(infer(&f), HY_FAILED);
    EXPECT_STR(f.err.text, "bias has 7 elements for 8 output channels");
    f.values[2].shape.dims[0] = 8;
    f.values[0].shape.dims[1] = 2;
    EXPECT_INT(infer(&f), HY_FAILED);
    EXPECT_CONTAINS(f.err.text, "does not fit");
}

TEST(infer, quantised_bias_has_the_scale_of_the_product)
{
    struct fixture f;

    start(&f, HY_OP_FULLY_CONNECTED);
    tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, (struct hy_shape){2, {3, 4}});
    tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, (struct hy_shape){2, {5, 6}});
    tensor(&f, ANEURALNETWORKS_TENSOR_INT32, (struct hy_shape){1, {5}});
    integer(&f, 0);
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT(f.out[0].rank == 2 && f.out[0].dims[0] == 2 && f.out[0].dims[1] == 5);
    f.values[2].scale = 1.00001f;
    EXPECT_INT(infer(&f), HY_FAILED);
    EXPECT_CONTAINS(f.err.text, "bias has scale 1.00001");
    f.values[2].scale = 1;
    f.values[1].shape.dims[1] = 5;
    EXPECT_INT(infer(&f), HY_FAILED);
    EXPECT_STR(f.err.text, "input 0 does not divide into rows of 5");
}

static enum hy_code reshape(struct fixture *f, uint32_t rank, const int32_t *extents)
{
    start(f, HY_OP_RESHAPE);
    f32(f, (struct hy_shape){2, {4, 6}});
    tensor(f, ANEURALNETWORKS_TENSOR_INT32, (struct hy_shape){1, {rank}});
    f->values[1].data = (void *)extents;
    return infer(f);
}

TEST(infer, reshape_fills_in_one_extent)
{
    struct fixture f;

    EXPECT_INT(reshape(&f, 3, (int32_t[]){2, -1, 3}), HY_OK);
    EXPECT(f.out[0].rank == 3 && f.out[0].dims[1] == 4);
    EXPECT_INT(reshape(&f, 1, (int32_t[]){24}), HY_OK);
    EXPECT_INT(reshape(&f, 2, (int32_t[]){-1, -1}), HY_FAILED);
    EXPECT_INT(reshape(&f, 2, (int32_t[]){-1, 5}), HY_FAILED);
    EXPECT_INT(reshape(&f, 2, (int32_t[]){4, 5}), HY_FAILED);
    EXPECT_CONTAINS(f.err.text, "24 elements do not fill a shape of [4, 5]");
    EXPECT_INT(reshape(&f, 2, (int32_t[]){0, -1}), HY_FAILED);
    EXPECT_INT(reshape(&f, 4, (int32_t[]){INT32_MAX, INT32_MAX, INT32_MAX, -1}), HY_FAILED);
    EXPECT_INT(reshape(&f, HY_MAX_RANK + 1, (int32_t[HY_MAX_RANK + 1]){0}), HY_FAILED);
    EXPECT_CONTAINS(f.err.text, "rank");
}

TEST(infer, softmax_output_has_its_fixed_quantisation)
{
    struct fixture f;
    float beta = 1;

    start(&f, HY_OP_SOFTMAX);
    tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, (struct hy_shape){2, {4, 6}});
    f.values[f.call.input_count++] =
        (struct hy_value){.type = ANEURALNETWORKS_FLOAT32, .known = true, .data = &beta};
    EXPECT_INT(infer(&f), HY_FAILED);
    EXPECT_STR(f.err.text, "output 0 has scale 1 and zero point 0, needs 0.00390625 and 0");
    f.values[0].scale = 1.0f / 256; /* infer gives it to the output */
    EXPECT_INT(infer(&f), HY_OK);
    integer(&f, -3);
    EXPECT_INT(infer(&f), HY_FAILED);
    EXPECT_STR(f.err.text, "axis -3 is outside a tensor of rank 2");
    beta = 0;
    EXPECT_INT(infer(&f), HY_FAILED);
}

TEST(infer, bitcast_begins_or_ends_a_dimension_where_elements_change_their_size)
{
    struct fixture f;

    start(&f, HY_EXT_BITCAST);
    tensor(&f, HY_TENSOR_INT8, (struct hy_shape){3, {2, 3, 4}});
    f.values[1].type = HY_TENSOR_UINT8;
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT(f.out[0].rank == 3 && f.out[0].dims[2] == 4);
    f.values[1].type = ANEURALNETWORKS_TENSOR_FLOAT32;
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT(f.out[0].rank == 2 && f.out[0].dims[0] == 2 && f.out[0].dims[1] == 3);
    f.values[1].type = HY_TENSOR_FLOAT64;
    EXPECT_INT(infer(&f), HY_FAILED);
    EXPECT_STR(f.err.text, "the last dimension of input 0 is 4, needs 8");
    f.values[0].type = HY_TENSOR_FLOAT64;
    f.values[1].type = HY_TENSOR_INT16;
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT(f.out[0].rank == 4 && f.out[0].dims[2] == 4 && f.out[0].dims[3] == 4);
    f.values[0].shape = (struct hy_shape){1, {8}};
    f.values[0].type = HY_TENSOR_INT8;
    f.values[1].type = HY_TENSOR_INT64;
    EXPECT_INT(infer(&f), HY_FAILED); /* nothing would be left */
}

TEST(infer, normalisations_of_the_extension_take_any_rank_and_output)
{
    struct fixture f;

    start(&f, HY_EXT_L2_NORMALIZATION);
    tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, (struct hy_shape){6, {1, 2, 1, 2, 1, 3}});
    integer(&f, -6);
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT(f.out[0].rank == 6 && f.out[0].dims[5] == 3);
    f.ints[1] = 6;
    EXPECT_INT(infer(&f), HY_FAILED);
    start(&f, HY_EXT_SOFTMAX);
    tensor(&f, ANEURALNETWORKS_TENSOR_QUANT16_SYMM, (struct hy_shape){6, {1, 2, 1, 2, 1, 3}});
    real(&f, 1);
    integer(&f, 0);
    EXPECT_INT(infer(&f), HY_OK);
    f.values[0].shape.dims[2] = 0;
    EXPECT_INT(infer(&f), HY_FAILED);
}

TEST(geometry, same_padding_puts_the_odd_element_at_the_end)
{
    struct hy_window window = {.filter = 3, .stride = 2, .dilation = 1};
    uint32_t out;

    EXPECT_INT(hy_window_pad(&window, ANEURALNETWORKS_PADDING_SAME, 8, NULL), HY_OK);
    EXPECT(window.head == 0 && window.tail == 1);
    EXPECT_INT(hy_window_output(&window, 8, &out, NULL), HY_OK);
    EXPECT_INT(out, 4);
    window.dilation = 3; /* reaches over 7 */
    EXPECT_INT(hy_window_pad(&window, ANEURALNETWORKS_PADDING_SAME, 8, NULL), HY_OK);
    EXPECT(window.head == 2 && window.tail == 3);
}

TEST(geometry, sizes_past_32_bits_are_refused)
{
    struct hy_window window = {.filter = 60000, .stride = 1, .dilation = 60000};
    struct hy_error err;
    uint32_t out;

    EXPECT_INT(hy_window_output(&window, 100, &out, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "too large");
    window = (struct hy_window){.filter = 3, .stride = 1, .dilation = 1, .head = 3};
    EXPECT_INT(hy_window_output(&window, 100, &out, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "padding of 3 and 0 reaches the filter");
}
