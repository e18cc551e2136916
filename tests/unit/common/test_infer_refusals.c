/* Calls that kernels could not take: what is said of each. */
#include <math.h>

#include "common/operations/operand_type.h"
#include "infer_fixture.h"
#include "tests/kit/test.h"

static void expect_refusal(struct fixture *f, const char *expected)
{
    EXPECT_INT(infer(f), HY_FAILED);
    EXPECT_CONTAINS(f->err.text, expected);
}

/* More than the 2^31 - 1 that kernels count to. */
#define MANY 0x80000000u

/* ---- Convolutions ---------------------------------------------------------------------------- */

/* Takes 9x7 pixels of 4 channels to 8, by 3x2, VALID. */
static void start_conv(struct fixture *f)
{
    start(f, HY_OP_CONV_2D);
    f32(f, (struct hy_shape){4, {1, 9, 7, 4}});
    f32(f, (struct hy_shape){4, {8, 3, 2, 4}});
    f32(f, (struct hy_shape){1, {8}});
    integer(f, 2);
    integer(f, 1), integer(f, 1);
    integer(f, 0);
    EXPECT_INT(infer(f), HY_OK);
}

TEST(infer_refusals, convolution_needs_channels)
{
    struct fixture f;

    start_conv(&f);
    f.values[0].shape.dims[3] = f.values[1].shape.dims[3] = 0;
    expect_refusal(&f, "input 0 has no channels");
    start_conv(&f);
    f.values[1].shape.dims[0] = 0;
    expect_refusal(&f, "filter has 0 output channels for 1 groups");
}

TEST(infer_refusals, convolution_counts_images_and_channels_in_31_bits)
{
    struct fixture f;

    start_conv(&f);
    f.values[0].shape.dims[0] = MANY;
    expect_refusal(&f, "2147483648 images of 4 channels are too many");
    start_conv(&f);
    f.values[0].shape.dims[3] = f.values[1].shape.dims[3] = MANY;
    expect_refusal(&f, "1 images of 2147483648 channels are too many");
}

TEST(infer_refusals, filter_has_a_scale_for_each_output_channel)
{
    struct fixture f;

    start_conv(&f);
    f.values[0].type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
    f.values[1].type = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
    f.values[2].type = ANEURALNETWORKS_TENSOR_INT32;
    f.values[2].scale = 0;
    f.values[1].channel_dim = 3;
    f.values[1].channel_count = 4;
    expect_refusal(&f, "the scales of the filter lie along dimension 3, needs 0");
    f.values[1].channel_dim = 0;
    expect_refusal(&f, "filter has 4 scales for 8 channels");
    f.values[1].channel_count = 8;
    EXPECT_INT(infer(&f), HY_OK);
}

TEST(infer_refusals, groups_divide_the_output_channels)
{
    struct fixture f;

    start(&f, HY_OP_GROUPED_CONV_2D);
    f32(&f, (struct hy_shape){4, {1, 9, 7, 4}});
    f32(&f, (struct hy_shape){4, {7, 3, 2, 2}});
    f32(&f, (struct hy_shape){1, {7}});
    integer(&f, 2);
    integer(&f, 1), integer(&f, 1);
    integer(&f, 2); /* groups */
    integer(&f, 0);
    boolean(&f, false);
    expect_refusal(&f, "filter has 7 output channels for 2 groups");
    f.values[1].shape.dims[0] = f.values[2].shape.dims[0] = 6;
    EXPECT_INT(infer(&f), HY_OK);
}

/* ---- TRANSPOSE_CONV_2D ----------------------------------------------------------------------- */

/* Takes 2x2 pixels of 4 channels to 8, by 3x3, to an output of `extents`. */
static void start_transposed(struct fixture *f, int32_t extents[4])
{
    start(f, HY_OP_TRANSPOSE_CONV_2D);
    f32(f, (struct hy_shape){4, {1, 2, 2, 4}});
    f32(f, (struct hy_shape){4, {8, 3, 3, 4}});
    f32(f, (struct hy_shape){1, {8}});
    tensor(f, ANEURALNETWORKS_TENSOR_INT32, (struct hy_shape){1, {4}});
    f->values[3].data = (void *)extents;
    integer(f, 1); /* SAME */
    integer(f, 2), integer(f, 2);
    integer(f, 0);
    boolean(f, false);
}

TEST(infer_refusals, transposed_convolution_is_asked_for_an_output)
{
    int32_t extents[] = {1, 4, 4, 8};
    struct fixture f;

    start_transposed(&f, extents);
    EXPECT_INT(infer(&f), HY_OK);
    extents[1] = 0;
    expect_refusal(&f, "the output shape is 0 by 4, needs 1 or more");
    extents[1] = 4;
    extents[2] = -4;
    expect_refusal(&f, "the output shape is 4 by -4, needs 1 or more");
}

TEST(infer_refusals, transposed_convolution_pads_in_two_ways)
{
    int32_t extents[] = {1, 4, 4, 8};
    struct fixture f;

    start_transposed(&f, extents);
    f.ints[4] = 3;
    expect_refusal(&f, "3 is not a padding scheme (1 or 2)");
    f.ints[4] = -1;
    expect_refusal(&f, "-1 is not a padding scheme (1 or 2)");
}

TEST(infer_refusals, transposed_convolution_goes_over_something)
{
    int32_t extents[] = {1, 4, 4, 8};
    struct fixture f;

    start_transposed(&f, extents);
    f.values[0].shape.dims[1] = 0;
    expect_refusal(&f, "a filter of 3 elements does not fit 0 elements");
    start_transposed(&f, extents);
    f.values[1].shape.dims[2] = 0;
    expect_refusal(&f, "a filter of 0 elements does not fit 2 elements");
    start_transposed(&f, extents);
    f.values[1].shape.dims[1] = MANY;
    expect_refusal(&f, "a filter of 2147483648 by 3 is too large");
    start_transposed(&f, extents);
    f.values[0].shape.dims[0] = MANY;
    expect_refusal(&f, "2147483648 images of 4 channels are too many");
}

/* ---- FULLY_CONNECTED ------------------------------------------------------------------------- */

TEST(infer_refusals, weights_are_neither_empty_nor_too_large)
{
    struct fixture f;

    start(&f, HY_OP_FULLY_CONNECTED);
    f32(&f, (struct hy_shape){2, {3, 4}});
    f32(&f, (struct hy_shape){2, {0, 4}});
    f32(&f, (struct hy_shape){1, {0}});
    integer(&f, 0);
    expect_refusal(&f, "weights of [0, 4] are empty");
    f.values[1].shape = (struct hy_shape){2, {5, 0}};
    expect_refusal(&f, "weights of [5, 0] are empty");
    f.values[1].shape = (struct hy_shape){2, {MANY, 4}};
    expect_refusal(&f, "weights of [2147483648, 4] are too large");
}

/* ---- RESIZE ---------------------------------------------------------------------------------- */

TEST(infer_refusals, images_are_resized_to_16_million_pixels_a_side_at_most)
{
    struct fixture f;

    start(&f, HY_OP_RESIZE_BILINEAR);
    f32(&f, (struct hy_shape){4, {1, 2, 2, 1}});
    integer(&f, 1 << 24), integer(&f, 1);
    EXPECT_INT(infer(&f), HY_OK);
    f.ints[1]++;
    expect_refusal(&f, "input 1 resizes to 16777217 pixels, at most 16777216");
    start(&f, HY_OP_RESIZE_NEAREST_NEIGHBOR);
    f32(&f, (struct hy_shape){4, {1, 2, 2, 1}});
    real(&f, 1), real(&f, 1e9f);
    expect_refusal(&f, "input 2 resizes 2 pixels by 1e+09");
}

/* ---- SOFTMAX --------------------------------------------------------------------------------- */

TEST(infer_refusals, softmax_has_a_finite_beta_above_zero)
{
    static const float wrong[] = {0, -1, INFINITY, NAN};
    struct fixture f;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        start(&f, HY_OP_SOFTMAX);
        f32(&f, (struct hy_shape){2, {4, 6}});
        real(&f, wrong[i]);
        expect_refusal(&f, "needs to be above 0, and finite");
    }
}

/* ---- Detection ------------------------------------------------------------------------------- */

TEST(infer_refusals, boxes_have_four_deltas_for_each_class)
{
    struct fixture f;

    start(&f, HY_OP_AXIS_ALIGNED_BBOX_TRANSFORM);
    f32(&f, (struct hy_shape){2, {5, 4}});
    f32(&f, (struct hy_shape){2, {5, 6}});
    tensor(&f, ANEURALNETWORKS_TENSOR_INT32, (struct hy_shape){1, {5}});
    f32(&f, (struct hy_shape){2, {1, 2}});
    expect_refusal(&f, "input 1 has 6 deltas per region, needs four per class");
    f.values[1].shape.dims[1] = 0;
    expect_refusal(&f, "input 1 has 0 deltas per region, needs four per class");
    f.values[1].shape.dims[1] = 8;
    EXPECT_INT(infer(&f), HY_OK);
}

static void start_box_limit(struct fixture *f, uint32_t regions, uint32_t classes)
{
    start(f, HY_OP_BOX_WITH_NMS_LIMIT);
    f->call.output_count = 4;
    f32(f, (struct hy_shape){2, {regions, classes}});
    f32(f, (struct hy_shape){2, {regions, 4 * classes}});
    tensor(f, ANEURALNETWORKS_TENSOR_INT32, (struct hy_shape){1, {regions}});
    real(f, 0);
    integer(f, -1); /* detections: no limit */
    integer(f, 0);
    real(f, .5f), real(f, 1), real(f, 0);
}

TEST(infer_refusals, box_limit_needs_a_class_beside_the_background)
{
    struct fixture f;

    start_box_limit(&f, 3, 1);
    expect_refusal(&f, "input 0 has 1 classes, needs 2 or more with the background");
    start_box_limit(&f, 3, 2);
    EXPECT_INT(infer(&f), HY_OK);
    f.ints[5] = 3;
    expect_refusal(&f, "input 5 is 3, not a kernel");
}

TEST(infer_refusals, boxes_left_by_a_limit_are_counted_in_32_bits)
{
    struct fixture f;

    start_box_limit(&f, 65536, 65537);
    expect_refusal(&f, "65536 regions of 65537 classes are too many");
    start_box_limit(&f, 65536, 65536);
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT_INT(f.out[0].dims[0], 65536 * 65535u);
    start_box_limit(&f, 65536, 65537);
    f.ints[4] = 100;
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT_INT(f.out[0].dims[0], 6553600);
}

static void start_proposals(struct fixture *f, uint32_t batch, uint32_t side, uint32_t anchors)
{
    start(f, HY_OP_GENERATE_PROPOSALS);
    f->call.output_count = 3;
    f32(f, (struct hy_shape){4, {batch, side, side, anchors}});
    f32(f, (struct hy_shape){4, {batch, side, side, 4 * anchors}});
    f32(f, (struct hy_shape){2, {anchors, 4}});
    f32(f, (struct hy_shape){2, {batch, 2}});
    real(f, 1), real(f, 1);
    integer(f, -1), integer(f, -1); /* before and after: no limit */
    real(f, .5f), real(f, 0);
    boolean(f, false);
}

TEST(infer_refusals, proposals_are_counted_in_32_bits)
{
    struct fixture f;

    start_proposals(&f, 2, 65536, 1);
    expect_refusal(&f, "2 images of 65536 by 65536 with 1 anchors are too many");
    start_proposals(&f, 2, 4000000000, 1000000000); /* nor is their product a number */
    expect_refusal(&f, "are too many");
    start_proposals(&f, 2, 65536, 1);
    f.ints[7] = 100;
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT_INT(f.out[0].dims[0], 200);
    start_proposals(&f, 2, 10, UINT32_MAX / 4 + 1);
    expect_refusal(&f, "input 0 has 1073741824 anchors, too many");
}

TEST(infer_refusals, cells_of_a_region_have_1024_sampling_points_an_axis_at_most)
{
    struct fixture f;

    start(&f, HY_OP_ROI_ALIGN);
    f32(&f, (struct hy_shape){4, {1, 4, 4, 1}});
    f32(&f, (struct hy_shape){2, {1, 4}});
    tensor(&f, ANEURALNETWORKS_TENSOR_INT32, (struct hy_shape){1, {1}});
    integer(&f, 2), integer(&f, 2);
    real(&f, 1), real(&f, 1);
    integer(&f, 1024), integer(&f, 0);
    boolean(&f, false);
    EXPECT_INT(infer(&f), HY_OK);
    f.ints[8] = 1025;
    expect_refusal(&f, "input 8 is 1025 sampling points, at most 1024");
}

/* Of 6 anchors and 3 classes. */
static void start_postprocessing(struct fixture *f)
{
    start(f, HY_OP_DETECTION_POSTPROCESSING);
    f->call.output_count = 4;
    f32(f, (struct hy_shape){3, {1, 6, 3}});
    f32(f, (struct hy_shape){3, {1, 6, 4}});
    f32(f, (struct hy_shape){2, {6, 4}});
    real(f, 10), real(f, 10), real(f, 5), real(f, 5);
    boolean(f, false); /* the fast way */
    integer(f, 2);     /* detections */
    integer(f, 1);     /* classes for each */
    integer(f, 1);     /* detections for each class, of the regular way */
    real(f, 0), real(f, .5f);
    boolean(f, false);
    EXPECT_INT(infer(f), HY_OK);
}

TEST(infer_refusals, postprocessing_takes_numbers_that_make_sense)
{
    struct fixture f;

    start_postprocessing(&f);
    f.values[1].shape.dims[2] = 3;
    expect_refusal(&f, "input 1 has shape [1, 6, 3], needs [1, 6, 4 or more]");
    start_postprocessing(&f);
    memcpy(&f.ints[5], &(float){0}, sizeof(float));
    expect_refusal(&f, "input 5 is 0, needs more than 0");
    start_postprocessing(&f);
    memcpy(&f.ints[12], &(float){-1}, sizeof(float));
    expect_refusal(&f, "input 12 is -1, needs 0 or more");
    start_postprocessing(&f);
    f.ints[8] = f.ints[9] = 65536;
    expect_refusal(&f, "65536 detections of 65536 classes are too many");
}

/* ---- org.halyard.operations ------------------------------------------------------------------ */

TEST(infer_refusals, whole_numbers_have_no_activation)
{
    static const int32_t whole[] = {ANEURALNETWORKS_TENSOR_INT32, HY_TENSOR_INT64};
    struct fixture f;

    for (int i = 0; i < 2; i++) {
        start(&f, HY_EXT_ADD);
        tensor(&f, whole[i], (struct hy_shape){5, {2, 1, 3, 1, 2}});
        tensor(&f, whole[i], (struct hy_shape){1, {2}});
        integer(&f, 0);
        EXPECT_INT(infer(&f), HY_OK);
        EXPECT_INT(f.out[0].rank, 5);
        f.ints[2] = 1;
        expect_refusal(&f, "activation 1 is not allowed with ");
    }
    f.values[0].type = f.values[1].type = ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
    EXPECT_INT(infer(&f), HY_OK);
}

TEST(infer_refusals, selections_broadcast_all_three_inputs)
{
    struct fixture f;

    start(&f, HY_EXT_SELECT);
    tensor(&f, ANEURALNETWORKS_TENSOR_BOOL8, (struct hy_shape){2, {4, 1}});
    f32(&f, (struct hy_shape){3, {2, 1, 5}});
    f32(&f, (struct hy_shape){1, {1}});
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT(f.out[0].rank == 3 && f.out[0].dims[0] == 2 && f.out[0].dims[1] == 4 &&
           f.out[0].dims[2] == 5);
    f.values[2].shape.dims[0] = 4;
    expect_refusal(&f, "inputs of shapes [4, 1], [2, 1, 5] and [4] do not broadcast");
    f.values[2].shape.dims[0] = 1;
    f.values[0].shape.dims[1] = 3;
    expect_refusal(&f, "inputs of shapes [4, 3], [2, 1, 5] and [1] do not broadcast");
}
