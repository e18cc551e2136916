/* Shapes of operations of org.halyard.operations, and what is said of calls that have none. */
#include "common/operations/operand_type.h"
#include "infer_fixture.h"
#include "tests/kit/test.h"

static void expect_refusal(struct fixture *f, const char *expected)
{
    EXPECT_INT(infer(f), HY_FAILED);
    EXPECT_CONTAINS(f->err.text, expected);
}

/* A vector of int32 with these values. */
static void list(struct fixture *f, uint32_t count, const int32_t *values)
{
    static int32_t storage[8][4];
    const uint32_t at = f->call.input_count;

    tensor(f, ANEURALNETWORKS_TENSOR_INT32, (struct hy_shape){1, {count}});
    memcpy(storage[at], values, count * sizeof *values);
    f->values[at].data = storage[at];
}

TEST(infer_extension, windows_have_as_many_places_as_fit)
{
    struct fixture f;

    start(&f, HY_EXT_REDUCE_WINDOW);
    f32(&f, (struct hy_shape){2, {9, 4}});
    f32(&f, (struct hy_shape){1, {1}});
    list(&f, 2, (const int32_t[]){3, 5});
    list(&f, 2, (const int32_t[]){2, 1});
    list(&f, 2, (const int32_t[]){2, 1});
    integer(&f, 0);
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT_INT(f.out[0].dims[0], 3);
    EXPECT_INT(f.out[0].dims[1], 0); /* the window is larger */
}

TEST(infer_extension, windows_of_nothing_and_unknown_functions_are_refused)
{
    struct fixture f;

    start(&f, HY_EXT_REDUCE_WINDOW);
    f32(&f, (struct hy_shape){1, {9}});
    f32(&f, (struct hy_shape){1, {1}});
    list(&f, 1, (const int32_t[]){3});
    list(&f, 1, (const int32_t[]){0});
    list(&f, 1, (const int32_t[]){1});
    integer(&f, 4);
    expect_refusal(&f, "element 0 of input 3 is 0, must be 1 at least");
    *(int32_t *)f.values[3].data = 1;
    expect_refusal(&f, "input 5 is 4, not a reduction for this type");
}

TEST(infer_extension, segments_take_the_place_of_numbered_dimensions)
{
    struct fixture f;

    start(&f, HY_EXT_UNSORTED_SEGMENT_MAX);
    f32(&f, (struct hy_shape){3, {2, 3, 4}});
    tensor(&f, ANEURALNETWORKS_TENSOR_INT32, (struct hy_shape){2, {2, 3}});
    integer(&f, 7);
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT_INT(f.out[0].rank, 2);
    EXPECT_INT(f.out[0].dims[0], 7);
    EXPECT_INT(f.out[0].dims[1], 4);
    f.values[1].shape.dims[1] = 4;
    expect_refusal(&f, "input 1 has shape [2, 4], needs [2, 3]");
}

TEST(infer_extension, indices_fit_the_type_of_the_output)
{
    struct fixture f;

    start(&f, HY_EXT_TOP_K);
    f32(&f, (struct hy_shape){1, {40000}});
    integer(&f, 2);
    boolean(&f, false);
    f.call.output_count = 2;
    EXPECT_INT(infer(&f), HY_OK);
    f.values[4].type = HY_TENSOR_INT16;
    expect_refusal(&f, "indices of 40000 elements do not fit int16");
}

TEST(infer_extension, reductions_take_sixteen_dimensions)
{
    struct hy_shape shape = {.rank = 16};
    struct fixture f;

    for (uint32_t i = 0; i < 16; i++)
        shape.dims[i] = i % 2 + 1;
    start(&f, HY_EXT_REDUCE_SUM);
    f32(&f, shape);
    list(&f, 2, (const int32_t[]){1, -1});
    boolean(&f, false);
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT_INT(f.out[0].rank, 14);
    f.call.operation = HY_OP_REDUCE_SUM;
    expect_refusal(&f, "input 0 has rank 16, needs 1 to 4");
}

TEST(infer_extension, random_numbers_have_a_shape_and_two_seeds)
{
    struct fixture f;

    start(&f, HY_EXT_RANDOM_NORMAL);
    list(&f, 2, (const int32_t[]){3, 0});
    list(&f, 2, (const int32_t[]){1, 2});
    expect_refusal(&f, "extent 1 of input 0 is 0, needs 1 or more");
    *((int32_t *)f.values[0].data + 1) = 5;
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT_INT(f.out[0].dims[1], 5);
    f.values[1].shape.dims[0] = 3;
    expect_refusal(&f, "input 1 has 3 seeds, needs 2");
}

TEST(infer_extension, suppression_has_no_sigma_below_zero)
{
    struct fixture f;

    start(&f, HY_EXT_SOFT_NON_MAX_SUPPRESSION);
    f32(&f, (struct hy_shape){2, {6, 4}});
    f32(&f, (struct hy_shape){1, {6}});
    integer(&f, 9);
    real(&f, 0.5f);
    real(&f, 0.0f);
    real(&f, -1.0f);
    f.call.output_count = 3;
    expect_refusal(&f, "input 5 is -1, must not be below 0");
    f.call.input_count--;
    real(&f, 0.5f);
    EXPECT_INT(infer(&f), HY_OK);
    EXPECT_INT(f.out[1].dims[0], 9);
    EXPECT_INT(f.out[2].dims[0], 1);
}
