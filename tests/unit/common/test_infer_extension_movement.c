#include "infer_fixture.h"

#include <math.h>

#include "common/operations/operand_type.h"
#include "tests/kit/test.h"

/* Shapes and refusals of the movement operations of org.halyard.operations. */

#define FLOATS ANEURALNETWORKS_TENSOR_FLOAT32

/* An input of integers whose values are known. */
static void list(struct fixture *f, int32_t *values, struct hy_shape shape)
{
    tensor(f, ANEURALNETWORKS_TENSOR_INT32, shape);
    f->values[f->call.input_count - 1].data = values;
}

static void expect_refusal(struct fixture *f, const char *text)
{
    EXPECT_INT(infer(f), HY_FAILED);
    EXPECT_CONTAINS(f->err.text, text);
}

static void expect_shape(struct fixture *f, const char *text)
{
    char shape[HY_SHAPE_TEXT_SIZE];

    EXPECT_INT(infer(f), HY_OK);
    EXPECT_STR(hy_shape_text(&f->out[0], shape), text);
}

TEST(infer_extension_movement, lists_of_int64_beyond_32_bits_count_as_the_nearest)
{
    int64_t begin[] = {1, INT64_MIN}, end[] = {INT64_MAX, 2}, stride[] = {1, 1};
    int64_t *lists[] = {begin, end, stride};
    struct fixture f;

    start(&f, HY_EXT_STRIDED_SLICE);
    f32(&f, (struct hy_shape){2, {5, 4}});
    for (int i = 0; i < 3; i++) {
        tensor(&f, HY_TENSOR_INT64, (struct hy_shape){1, {2}});
        f.values[1 + i].data = lists[i];
    }
    for (int i = 0; i < 5; i++)
        integer(&f, 0);
    boolean(&f, false);
    expect_shape(&f, "[4, 2]");
}

TEST(infer_extension_movement, tensors_may_be_empty_and_have_16_dimensions)
{
    int32_t extents[] = {3, 0, 2}, axes[16];
    struct fixture f;

    start(&f, HY_EXT_RESHAPE);
    f32(&f, (struct hy_shape){2, {0, 7}});
    list(&f, extents, (struct hy_shape){1, {3}});
    expect_shape(&f, "[3, 0, 2]");

    start(&f, HY_EXT_TRANSPOSE);
    f32(&f, (struct hy_shape){16, {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 3}});
    list(&f, axes, (struct hy_shape){1, {16}});
    for (int i = 0; i < 16; i++)
        axes[i] = i - 1;
    expect_shape(&f, "[3, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1]");
}

TEST(infer_extension_movement, reshape_of_nothing_leaves_no_extent_open)
{
    int32_t extents[] = {0, -1};
    struct fixture f;

    start(&f, HY_EXT_RESHAPE);
    f32(&f, (struct hy_shape){2, {0, 7}});
    list(&f, extents, (struct hy_shape){1, {2}});
    expect_refusal(&f, "0 elements do not fill a shape of [0, 1]");
}

TEST(infer_extension_movement, sizes_of_a_split_fill_the_axis)
{
    int32_t sizes[] = {2, 4};
    struct fixture f;

    start(&f, HY_EXT_SPLIT);
    f32(&f, (struct hy_shape){1, {6}});
    integer(&f, 0);
    list(&f, sizes, (struct hy_shape){1, {2}});
    f.call.output_count = 2;
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT_INT(f.out[1].dims[0], 4);
    sizes[0] = -1;
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT_INT(f.out[0].dims[0], 2);
    sizes[0] = 1;
    expect_refusal(&f, "the sizes sum up to 5, extent 6 along axis 0");
    sizes[0] = -2;
    expect_refusal(&f, "part 0 has size -2 of 6");
}

TEST(infer_extension_movement, entries_of_a_strided_slice_fit_the_tensor)
{
    int32_t zeros[HY_MAX_RANK] = {0}, ends[] = {1, 9, 1}, strides[] = {1, 1, 1};
    struct fixture f;

    start(&f, HY_EXT_STRIDED_SLICE);
    f32(&f, (struct hy_shape){2, {5, 4}});
    list(&f, zeros, (struct hy_shape){1, {2}});
    list(&f, ends, (struct hy_shape){1, {2}});
    list(&f, strides, (struct hy_shape){1, {2}});
    for (int i = 0; i < 5; i++)
        integer(&f, 0);
    boolean(&f, false);
    expect_shape(&f, "[1, 4]");
    zeros[1] = -5;
    f.ints[6] = 2; /* the second entry is one element */
    expect_refusal(&f, "element -5 of dimension 1 does not exist, the dimension has 4");
    for (int i = 1; i < 4; i++)
        f.values[i].shape.dims[0] = 3;
    expect_refusal(&f, "3 entries do not fit a tensor of rank 2");
}

TEST(infer_extension_movement, batches_of_a_gather_go_together)
{
    struct fixture f;

    start(&f, HY_EXT_GATHER);
    f32(&f, (struct hy_shape){3, {2, 3, 4}});
    integer(&f, 1);
    tensor(&f, HY_TENSOR_INT64, (struct hy_shape){2, {2, 5}});
    integer(&f, 1);
    expect_shape(&f, "[2, 5, 4]");
    f.values[2].shape.dims[0] = 3;
    expect_refusal(&f, "batch dimension 0 has extents 2 and 3");
    f.ints[3] = 2;
    expect_refusal(&f, "2 batch dimensions, axis 1 and indices of rank 2 do not go together");
}

TEST(infer_extension_movement, vectors_of_indices_name_dimensions_of_the_tensor)
{
    int32_t extents[] = {4, 3};
    struct fixture f;

    start(&f, HY_EXT_GATHER_ND);
    f32(&f, (struct hy_shape){2, {4, 3}});
    tensor(&f, ANEURALNETWORKS_TENSOR_INT32, (struct hy_shape){2, {7, 3}});
    integer(&f, 0);
    expect_refusal(&f, "vectors have 3 indices, the tensor has 2 dimensions");

    start(&f, HY_EXT_SCATTER_ND);
    tensor(&f, ANEURALNETWORKS_TENSOR_INT32, (struct hy_shape){2, {7, 1}});
    f32(&f, (struct hy_shape){2, {7, 3}});
    list(&f, extents, (struct hy_shape){1, {2}});
    expect_shape(&f, "[4, 3]");
    f.values[1].shape.dims[1] = 2;
    expect_refusal(&f, "input 1 has shape [7, 2], needs [7, 3]");

    start(&f, HY_EXT_SPARSE_TO_DENSE);
    tensor(&f, ANEURALNETWORKS_TENSOR_INT32, (struct hy_shape){1, {7}});
    list(&f, extents, (struct hy_shape){1, {2}});
    f32(&f, (struct hy_shape){1, {7}});
    f32(&f, (struct hy_shape){1, {1}});
    expect_refusal(&f, "vectors have 1 indices, the tensor has 2 dimensions");
}

TEST(infer_extension_movement, update_lies_within_the_tensor)
{
    struct fixture f;

    start(&f, HY_EXT_DYNAMIC_UPDATE_SLICE);
    f32(&f, (struct hy_shape){2, {4, 3}});
    f32(&f, (struct hy_shape){2, {4, 4}});
    tensor(&f, ANEURALNETWORKS_TENSOR_INT32, (struct hy_shape){1, {2}});
    expect_refusal(&f, "dimension 1 has extent 3, in the update 4");
}

static void start_range(struct fixture *f, int32_t type, void *values, size_t size)
{
    start(f, HY_EXT_RANGE);
    for (size_t i = 0; i < 3; i++) {
        tensor(f, type, (struct hy_shape){1, {1}});
        f->values[i].data = (char *)values + i * size;
    }
}

TEST(infer_extension_movement, range_counts_in_the_arithmetic_of_its_type)
{
    float reals[] = {0, 0.3f, 0.1f};
    int64_t wide[] = {INT64_MIN, INT64_MAX, INT64_MAX};
    struct fixture f;

    start_range(&f, FLOATS, reals, sizeof *reals);
    expect_shape(&f, "[3]"); /* 0.3f / 0.1f is 3 in float32, and above it in float64 */
    reals[2] = -1;
    expect_shape(&f, "[0]");
    reals[2] = 0;
    expect_refusal(&f, "steps from start to limit");
    reals[2] = NAN;
    expect_refusal(&f, "steps from start to limit");

    start_range(&f, HY_TENSOR_INT64, wide, sizeof *wide);
    expect_shape(&f, "[3]");
    wide[2] = 1;
    expect_refusal(&f, "18446744073709551615 numbers are too many");
    wide[2] = 0;
    expect_refusal(&f, "the step is 0");
    wide[2] = INT64_MIN;
    expect_shape(&f, "[0]");
}

TEST(infer_extension_movement, blocks_of_any_rank_divide_what_they_cut)
{
    int32_t sizes[] = {2, 3}, edges[] = {0, 1, 0, 0};
    struct fixture f;

    start(&f, HY_EXT_SPACE_TO_BATCH_ND);
    f32(&f, (struct hy_shape){4, {1, 3, 3, 2}});
    list(&f, sizes, (struct hy_shape){1, {2}});
    list(&f, edges, (struct hy_shape){2, {2, 2}});
    expect_shape(&f, "[6, 2, 1, 2]");
    edges[1] = 0;
    expect_refusal(&f, "3 elements of dimension 1 are not a multiple of the block of 2");
    sizes[0] = 0;
    expect_refusal(&f, "dimension 1 has blocks of 0");
    sizes[0] = 2;
    f.values[0].shape = (struct hy_shape){2, {1, 3}};
    expect_refusal(&f, "blocks have 2 dimensions, too many for a tensor of rank 2");

    start(&f, HY_EXT_BATCH_TO_SPACE_ND);
    f32(&f, (struct hy_shape){4, {6, 1, 1, 2}});
    list(&f, sizes, (struct hy_shape){1, {2}});
    list(&f, edges, (struct hy_shape){2, {2, 2}});
    expect_shape(&f, "[1, 2, 3, 2]");
    edges[2] = 4;
    expect_refusal(&f, "dimension 2 grows to 3 elements, crops of 4 do not fit");
    f.values[0].shape.dims[0] = 5;
    expect_refusal(&f, "the batch of 5 is not a multiple of the block of 6");
}

TEST(infer_extension_movement, sequences_have_a_length_each)
{
    struct fixture f;

    start(&f, HY_EXT_REVERSE_SEQUENCE);
    f32(&f, (struct hy_shape){2, {4, 3}});
    tensor(&f, ANEURALNETWORKS_TENSOR_INT32, (struct hy_shape){1, {4}});
    integer(&f, -1), integer(&f, 0);
    expect_shape(&f, "[4, 3]");
    f.ints[3] = 1;
    expect_refusal(&f, "dimension 1 is given both as time and as batch");
    f.ints[2] = 0;
    expect_refusal(&f, "input 1 has shape [4], needs [3]");
}

TEST(infer_extension_movement, dilation_that_is_too_large_is_refused)
{
    int32_t steps[] = {2};
    struct fixture f;

    start(&f, HY_EXT_DILATE);
    f32(&f, (struct hy_shape){1, {UINT32_MAX}});
    list(&f, steps, (struct hy_shape){1, {1}});
    f32(&f, (struct hy_shape){1, {1}});
    expect_refusal(&f, "extent 4294967295 of dimension 0 grows to 8589934589");
    steps[0] = 0;
    expect_refusal(&f, "dimension 0 has step 0, needs 1 or more");
}
