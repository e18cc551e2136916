#include "common/inference/infer.h"

#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "tests/kit/test.h"

/* Parameters that movement operations must refuse, and the shapes at the edges of what they take.
 * Each case is one row: a shape, and the parameters that follow it. */

#define MOST 8

struct param {
    struct hy_shape shape; /* rank 0 is a scalar */
    int32_t values[8];
};

struct row {
    int32_t operation;
    struct hy_shape in;
    struct param params[6];
    uint32_t param_count;
    const char *refusal; /* NULL: taken */
    struct hy_shape out;
};

#define LIST(n, ...) \
    { \
        {1, {n}}, \
        { \
            __VA_ARGS__ \
        } \
    }
#define PAIRS(n, ...) \
    { \
        {2, {n, 2}}, \
        { \
            __VA_ARGS__ \
        } \
    }
#define SCALAR(n) \
    { \
        {0, {0}}, \
        { \
            n \
        } \
    }

static const struct row rows[] = {
    {HY_OP_TRANSPOSE, {2, {3, 4}}, {LIST(2, 1, 1)}, 1, "used twice", {0}},
    {HY_OP_TRANSPOSE, {2, {3, 4}}, {LIST(2, 0, -1)}, 1, "not below rank 2", {0}},
    {HY_OP_TRANSPOSE, {2, {3, 4}}, {LIST(3, 0, 1, 2)}, 1, "shape [3], needs [2]", {0}},
    {HY_OP_TRANSPOSE, {2, {0, 4}}, {LIST(2, 1, 0)}, 1, NULL, {2, {4, 0}}},
    {HY_OP_SLICE, {1, {5}}, {LIST(1, 2), LIST(1, 4)}, 2, "do not fit dimension 0", {0}},
    {HY_OP_SLICE, {1, {5}}, {LIST(1, INT32_MAX), LIST(1, -1)}, 2, "do not fit dimension 0", {0}},
    {HY_OP_SLICE, {1, {5}}, {LIST(1, -1), LIST(1, 1)}, 2, "do not fit dimension 0", {0}},
    {HY_OP_SLICE, {1, {5}}, {LIST(1, 5), LIST(1, 0)}, 2, NULL, {1, {0}}},
    {HY_OP_STRIDED_SLICE,
     {1, {5}},
     {LIST(1, 0), LIST(1, 5), LIST(1, 0), SCALAR(0), SCALAR(0), SCALAR(0)},
     6,
     "stride 0",
     {0}},
    {HY_OP_STRIDED_SLICE,
     {1, {5}},
     {LIST(1, 0), LIST(1, 2), LIST(1, 1), SCALAR(0), SCALAR(0), SCALAR(1)},
     6,
     "cannot be dropped",
     {0}},
    {HY_OP_STRIDED_SLICE,
     {1, {5}},
     {LIST(1, 4), LIST(1, INT32_MIN), LIST(1, INT32_MIN), SCALAR(0), SCALAR(0), SCALAR(0)},
     6,
     NULL,
     {1, {1}}},
    {HY_OP_STRIDED_SLICE,
     {1, {5}},
     {LIST(1, 3), LIST(1, 1), LIST(1, 1), SCALAR(0), SCALAR(0), SCALAR(0)},
     6,
     NULL,
     {1, {0}}},
    {HY_OP_STRIDED_SLICE,
     {1, {5}},
     {LIST(1, -1), LIST(1, 9), LIST(1, 7), SCALAR(0), SCALAR(0), SCALAR(1)},
     6,
     NULL,
     {1, {1}}},
    {HY_OP_REVERSE, {2, {3, 4}}, {LIST(1, -1)}, 1, "axis -1", {0}},
    {HY_OP_TILE, {2, {3, 4}}, {LIST(2, 1, -1)}, 1, "-1 times", {0}},
    {HY_OP_TILE, {2, {3, 40000}}, {LIST(2, 1, INT32_MAX)}, 1, "times", {0}},
    {HY_OP_PAD, {1, {3}}, {PAIRS(1, -1, 0)}, 1, "padding -1", {0}},
    {HY_OP_PAD, {1, {UINT32_MAX}}, {PAIRS(1, 0, 1)}, 1, "grows to 4294967296", {0}},
    {HY_OP_PAD, {1, {0}}, {PAIRS(1, 0, 1)}, 1, "is empty", {0}},
    {HY_OP_MIRROR_PAD, {1, {3}}, {PAIRS(1, 3, 0), SCALAR(0)}, 2, "at most 2", {0}},
    {HY_OP_MIRROR_PAD, {1, {3}}, {PAIRS(1, 3, 0), SCALAR(1)}, 2, NULL, {1, {6}}},
    {HY_OP_MIRROR_PAD, {1, {3}}, {PAIRS(1, 0, 0), SCALAR(2)}, 2, "mode 2", {0}},
    {HY_OP_CHANNEL_SHUFFLE, {1, {6}}, {SCALAR(4), SCALAR(0)}, 2, "4 groups", {0}},
    {HY_OP_CHANNEL_SHUFFLE, {1, {6}}, {SCALAR(0), SCALAR(0)}, 2, "needs 1 or more", {0}},
    {HY_OP_BATCH_TO_SPACE_ND, {4, {6, 1, 1, 1}}, {LIST(2, 2, 2)}, 1, "6 images", {0}},
    {HY_OP_BATCH_TO_SPACE_ND, {4, {4, 1, 1, 1}}, {LIST(2, 2, 0)}, 1, "block of 2 x 0", {0}},
    {HY_OP_SPACE_TO_BATCH_ND,
     {4, {1, 3, 4, 1}},
     {LIST(2, 2, 2), PAIRS(2, 0, 0, 0, 0)},
     2,
     "3 x 4 pixels",
     {0}},
    {HY_OP_SPACE_TO_BATCH_ND,
     {4, {1, 3, 4, 1}},
     {LIST(2, 2, 2), PAIRS(2, 0, 1, 0, -2)},
     2,
     "padding 0 and -2",
     {0}},
    {HY_OP_DEPTH_TO_SPACE, {4, {1, 1, 1, 6}}, {SCALAR(2)}, 1, "6 channels", {0}},
    {HY_OP_DEPTH_TO_SPACE, {4, {1, 1, 1, 6}}, {SCALAR(INT32_MAX)}, 1, "6 channels", {0}},
    {HY_OP_SPACE_TO_DEPTH, {4, {1, 4, 3, 1}}, {SCALAR(2)}, 1, "4 x 3 pixels", {0}},
    {HY_OP_EXPAND_DIMS, {2, {3, 4}}, {SCALAR(3)}, 1, "axis 3", {0}},
    {HY_OP_EXPAND_DIMS, {2, {3, 4}}, {SCALAR(-3)}, 1, NULL, {3, {1, 3, 4}}},
    {HY_OP_SQUEEZE, {3, {1, 4, 1}}, {LIST(2, 1, 0)}, 1, "extent 4", {0}},
    {HY_OP_SQUEEZE, {3, {1, 4, 1}}, {LIST(2, -1, 2)}, 1, NULL, {2, {1, 4}}},
    {HY_OP_SQUEEZE, {2, {1, 1}}, {LIST(2, 0, 1)}, 1, NULL, {1, {1}}},
    {HY_OP_SPLIT, {2, {3, 4}}, {SCALAR(1), SCALAR(3)}, 2, "splits in 3", {0}},
    {HY_OP_SPLIT, {2, {3, 4}}, {SCALAR(2), SCALAR(1)}, 2, "axis 2", {0}},
    {HY_OP_CONCATENATION, {2, {3, 4}}, {SCALAR(-1)}, 1, "is -1", {0}},
    {HY_OP_CONCATENATION, {2, {3, 4}}, {SCALAR(2)}, 1, "axis 2 is not below 2", {0}},
    {HY_OP_RESIZE_BILINEAR, {4, {1, 2, 2, 1}}, {SCALAR(0), SCALAR(2)}, 2, "input 1 is 0", {0}},
    {HY_OP_RESIZE_BILINEAR, {4, {0, 2, 2, 1}}, {SCALAR(3), SCALAR(2)}, 2, NULL, {4, {0, 2, 3, 1}}},
    {HY_OP_RESIZE_BILINEAR, {4, {1, 0, 2, 1}}, {SCALAR(3), SCALAR(2)}, 2, "0 x 2 pixels", {0}},
};

static void check_row(const struct row *row, size_t number)
{
    struct hy_value values[MOST] = {
        {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .known = true, .shape = row->in}};
    uint32_t indices[MOST] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct hy_call call = {
        .operation = row->operation,
        .input_count = 1 + row->param_count,
        .output_count = 1,
        .inputs = indices,
        .outputs = &indices[1 + row->param_count],
        .values = values,
    };
    struct hy_error err = {0};
    struct hy_shape out;

    for (uint32_t i = 0; i < row->param_count; i++)
        values[1 + i] = (struct hy_value){
            .type =
                row->params[i].shape.rank ? ANEURALNETWORKS_TENSOR_INT32 : ANEURALNETWORKS_INT32,
            .known = true,
            .shape = row->params[i].shape,
            .data = (void *)row->params[i].values,
        };
    enum hy_code code = hy_infer_shapes(&call, &out, &err);
    if (row->refusal && (code != HY_FAILED || !strstr(err.text, row->refusal)))
        hy_test_fail(__FILE__, __LINE__, "row %zu, %s: code %d, \"%s\", expected \"%s\"", number,
                     hy_operation_name(row->operation), code, err.text, row->refusal);
    else if (!row->refusal && (code != HY_OK || !hy_shape_equal(&out, &row->out)))
        hy_test_fail(__FILE__, __LINE__, "row %zu, %s: code %d, \"%s\", or another shape", number,
                     hy_operation_name(row->operation), code, err.text);
    else
        hy_test_pass(__FILE__, __LINE__);
}

TEST(infer_movement, takes_what_fits_and_names_what_does_not)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i], i);
}

TEST(infer_movement, only_the_last_input_of_concatenation_is_a_parameter)
{
    EXPECT(hy_infer_needs_value(HY_OP_CONCATENATION, 3, 4));
    EXPECT(!hy_infer_needs_value(HY_OP_CONCATENATION, 2, 4));
    EXPECT(!hy_infer_needs_value(HY_OP_CONCATENATION, 90, 200));
    EXPECT(hy_infer_needs_value(HY_OP_CONCATENATION, 199, 200));
}
