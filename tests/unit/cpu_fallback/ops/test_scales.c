/* Scales that both devices take for the same, as the API does, and scales that are not. */
#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"

#define S8 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED

enum { DEVICES = 2, COUNT = 4 };

/* An operation on four bytes whose output is to have the scale of its input, or a certain one. */
struct row {
    int32_t operation;
    int32_t zero_point; /* of the output */
    float scale;        /* of the output; 0: that of the input */
    int8_t want[COUNT];
    uint32_t want_count;
};

static const int8_t bytes[COUNT] = {-8, 12, -8, 12};

static const struct row rows[] = {
    {HY_OP_RESHAPE, 5, 0, {-8, 12, -8, 12}, COUNT},
    {HY_OP_MAX_POOL_2D, 5, 0, {12}, 1},
    {HY_OP_AVERAGE_POOL_2D, 5, 0, {2}, 1},
    {HY_OP_MEAN, 5, 0, {2}, 1},
    {HY_OP_REDUCE_MAX, 5, 0, {12}, 1},
    {HY_OP_TOPK_V2, 5, 0, {12, 12}, 2},
    {HY_OP_SOFTMAX, -128, 1.0f / 256, {-128, 0, -128, 0}, COUNT},
    {HY_OP_L2_NORMALIZATION, 0, 1.0f / 128, {-80, 43, -80, 43}, COUNT},
};

static void add_arguments(struct hy_op_case *test, int32_t operation)
{
    const uint32_t one = 1, four = 4, two = 2;

    switch (operation) {
    case HY_OP_RESHAPE:
        hy_op_case_ints(test, 1, &four, (const int32_t[]){1, 1, 2, 2}, true);
        break;
    case HY_OP_MAX_POOL_2D:
    case HY_OP_AVERAGE_POOL_2D:
        hy_op_case_int(test, ANEURALNETWORKS_PADDING_VALID);
        for (int i = 0; i < 2; i++)
            hy_op_case_int(test, 1);
        hy_op_case_int(test, COUNT);
        hy_op_case_int(test, 1);
        hy_op_case_int(test, ANEURALNETWORKS_FUSED_NONE);
        break;
    case HY_OP_MEAN:
        hy_op_case_ints(test, 1, &two, (const int32_t[]){1, 2}, true);
        hy_op_case_int(test, 1);
        break;
    case HY_OP_REDUCE_MAX:
        hy_op_case_ints(test, 1, &one, (const int32_t[]){2}, true);
        hy_op_case_bool(test, true);
        break;
    case HY_OP_TOPK_V2:
        hy_op_case_int(test, 2);
        break;
    case HY_OP_SOFTMAX:
        hy_op_case_float(test, 1);
        hy_op_case_int(test, 2);
        break;
    default: /* L2_NORMALIZATION */
        hy_op_case_int(test, 2);
        break;
    }
}

/* Its status; `out` gets the bytes. */
static int32_t run(const struct row *row, uint32_t device, float factor, int8_t out[COUNT],
                   char message[512])
{
    const bool is_line = row->operation == HY_OP_TOPK_V2;
    const struct hy_builder_type in =
        hy_op_case_type(S8, is_line ? 1 : 4,
                        is_line ? (const uint32_t[]){COUNT} : (const uint32_t[]){1, 1, COUNT, 1});
    struct hy_builder_type type = in;
    int32_t indices[COUNT];
    struct hy_op_case test;

    type.scale = factor * (row->scale > 0 ? row->scale : in.scale);
    type.zero_point = row->zero_point;
    hy_op_case_init(&test, row->operation);
    hy_op_case_tensor(&test, &in, bytes, false);
    add_arguments(&test, row->operation);
    hy_op_case_output(&test, &type, out, COUNT);
    if (is_line) {
        const struct hy_builder_type index =
            hy_op_case_type(ANEURALNETWORKS_TENSOR_INT32, 1, (const uint32_t[]){COUNT});
        hy_op_case_output(&test, &index, indices, sizeof indices);
    }
    const int32_t status = hy_op_case_run(&test, device);
    memcpy(message, test.message, sizeof test.message);
    hy_op_case_finish(&test);
    return status;
}

TEST(scales, that_differ_by_less_than_a_thousandth_are_the_same)
{
    static const float factors[] = {1, 1.0009f, 0.9991f};
    char message[512];

    for (uint32_t device = 0; device < DEVICES; device++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
                int8_t out[COUNT] = {0};
                EXPECT_INT(run(&rows[i], device, factors[f], out, message), HY_STATUS_OK);
                if (*message || memcmp(out, rows[i].want, rows[i].want_count) != 0)
                    hy_test_fail(__FILE__, __LINE__, "%s, scale times %g: %d %d %d %d \"%s\"",
                                 hy_operation_name(rows[i].operation), (double)factors[f], out[0],
                                 out[1], out[2], out[3], message);
            }
}

TEST(scales, that_differ_by_more_are_refused)
{
    char message[512];
    int8_t out[COUNT];

    for (uint32_t device = 0; device < DEVICES; device++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            EXPECT(run(&rows[i], device, 1.002f, out, message) != HY_STATUS_OK);
            EXPECT_CONTAINS(message, "has scale");
        }
}

/* Its multiples are zeros, as all arithmetic counts it as one. */
TEST(scales, may_be_subnormal)
{
    for (uint32_t device = 0; device < DEVICES; device++) {
        const uint32_t extent = COUNT;
        struct hy_builder_type in = hy_op_case_type(S8, 1, &extent);
        const struct hy_builder_type type =
            hy_op_case_type(ANEURALNETWORKS_TENSOR_FLOAT32, 1, &extent);
        float out[COUNT] = {1, 1, 1, 1};
        struct hy_op_case test;
        in.scale = 1e-40f;
        hy_op_case_init(&test, HY_OP_DEQUANTIZE);
        hy_op_case_tensor(&test, &in, bytes, false);
        hy_op_case_output(&test, &type, out, sizeof out);
        EXPECT_INT(hy_op_case_run(&test, device), HY_STATUS_OK);
        EXPECT_STR(test.message, "");
        for (int i = 0; i < COUNT; i++)
            EXPECT(out[i] == 0);
        hy_op_case_finish(&test);
    }
}
