/* Building a model: what operands, operations and lists of inputs and outputs are taken. */
#include "model_fixture.h"
#include "test.h"

#include <math.h>

/* ---- Operands ------------------------------------------------------------------------------- */

TEST(runtime_model, operand_of_an_unknown_type_is_refused_with_its_index)
{
    struct fixture f = fixture_create();
    REQUIRE(f.model != NULL);

    EXPECT_INT(floats(&f, 1), 0);
    EXPECT_INT(add(&f, (struct hy_operand_spec){.type = 16}), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "operand 1: type 16 does not exist");
    EXPECT_INT(add(&f, (struct hy_operand_spec){.type = -1}), HY_BAD_DATA);
    EXPECT_INT(add(&f, (struct hy_operand_spec){.type = 0x10000}), HY_BAD_DATA);
    EXPECT_INT(floats(&f, 1), 1);
    fixture_free(&f);
}

TEST(runtime_model, count_and_list_of_dimensions_must_agree)
{
    struct fixture f = fixture_create();
    const uint32_t dims[] = {2, 3};
    REQUIRE(f.model != NULL);

    EXPECT_INT(add(&f, (struct hy_operand_spec){ANEURALNETWORKS_TENSOR_FLOAT32, 2, NULL, 0, 0}),
               HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "dimensionCount is 2, but dimensions is NULL");
    EXPECT_INT(add(&f, (struct hy_operand_spec){ANEURALNETWORKS_TENSOR_FLOAT32, 0, dims, 0, 0}),
               HY_BAD_DATA);
    EXPECT_INT(add(&f, (struct hy_operand_spec){ANEURALNETWORKS_INT32, 2, dims, 0, 0}),
               HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "INT32 is a scalar, but has 2 dimensions");
    fixture_free(&f);
}

TEST(runtime_model, rank_above_the_limit_is_refused_and_named)
{
    struct fixture f = fixture_create();
    uint32_t dims[HY_MAX_RANK + 1];
    for (uint32_t i = 0; i <= HY_MAX_RANK; i++)
        dims[i] = 1;
    REQUIRE(f.model != NULL);

    EXPECT_INT(tensor(&f, ANEURALNETWORKS_TENSOR_FLOAT32, HY_MAX_RANK, dims, 0), 0);
    EXPECT_INT(tensor(&f, ANEURALNETWORKS_TENSOR_FLOAT32, HY_MAX_RANK + 1, dims, 0), UINT32_MAX);
    EXPECT_CONTAINS(f.err.text, "rank 17 is above the limit of 16");
    fixture_free(&f);
}

TEST(runtime_model, size_must_fit_in_32_bits_counting_known_dimensions)
{
    struct fixture f = fixture_create();
    const uint32_t fits[] = {0, 65536, 16383}, large[] = {65536, 0, 16384};
    const uint32_t wraps[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    REQUIRE(f.model != NULL);

    EXPECT_INT(tensor(&f, ANEURALNETWORKS_TENSOR_FLOAT32, 3, fits, 0), 0);
    EXPECT_INT(tensor(&f, ANEURALNETWORKS_TENSOR_FLOAT32, 3, large, 0), UINT32_MAX);
    EXPECT_CONTAINS(f.err.text, "dimension 2 of 16384");
    EXPECT_INT(tensor(&f, ANEURALNETWORKS_TENSOR_FLOAT32, 4, wraps, 0), UINT32_MAX);
    EXPECT_INT(tensor(&f, ANEURALNETWORKS_TENSOR_BOOL8, 1, wraps, 0), 1);
    fixture_free(&f);
}

TEST(runtime_model, scale_and_zero_point_follow_the_type)
{
    static const struct {
        int32_t type;
        float scale;
        int32_t zero_point;
        enum hy_code code;
    } cases[] = {
        {ANEURALNETWORKS_TENSOR_FLOAT32, 1, 0, HY_BAD_DATA},
        {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 1, HY_BAD_DATA},
        {ANEURALNETWORKS_TENSOR_FLOAT32, NAN, 0, HY_BAD_DATA},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0.5f, 255, HY_OK},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0.5f, 256, HY_BAD_DATA},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0, 0, HY_BAD_DATA},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, -1, 0, HY_BAD_DATA},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, NAN, 0, HY_BAD_DATA},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, INFINITY, 0, HY_BAD_DATA},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, 1, -128, HY_OK},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, 1, 128, HY_BAD_DATA},
        {ANEURALNETWORKS_TENSOR_QUANT16_SYMM, 1, 1, HY_BAD_DATA},
        {ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 1, 0, HY_BAD_DATA},
        {ANEURALNETWORKS_TENSOR_INT32, -1, 7, HY_OK}, /* only finish looks */
    };
    struct fixture f = fixture_create();
    const uint32_t dim = 2;
    REQUIRE(f.model != NULL);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hy_operand_spec spec = {cases[i].type, 1, &dim, cases[i].scale, cases[i].zero_point};
        enum hy_code code = add(&f, spec);
        if (code != cases[i].code)
            hy_test_fail(__FILE__, __LINE__, "case %zu gives %s", i, hy_code_name(code));
    }
    fixture_free(&f);
}

TEST(runtime_model, channel_scales_are_checked_against_operand_and_dimension)
{
    struct fixture f = fixture_create();
    const uint32_t dims[] = {3, 2};
    const float scales[] = {1, 2, 3}, bad[] = {1, 0, NAN};
    REQUIRE(f.model != NULL);
    floats(&f, 3);
    uint32_t filter = tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 2, dims, 0);

#define SET(operand, dim, count, list) \
    hy_app_model_set_channel_quant(f.model, operand, dim, count, list, &f.err)
    EXPECT_INT(SET(filter, 0, 3, scales), HY_OK);
    EXPECT_INT(SET(filter, 1, 2, scales), HY_OK);
    EXPECT_INT(SET(9, 0, 3, scales), HY_BAD_DATA);
    EXPECT_INT(SET(0, 0, 3, scales), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "operand 0: TENSOR_FLOAT32 has no scales per channel");
    EXPECT_INT(SET(filter, 2, 3, scales), HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "channelDim 2 is not below the rank 2");
    EXPECT_INT(SET(filter, 0, 2, scales), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "operand 1: 2 scales for dimension 0 of 3");
    EXPECT_INT(SET(filter, 0, 3, bad), HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "scale 1 is 0");
    EXPECT_INT(SET(filter, 0, 3, NULL), HY_BAD_DATA);
    EXPECT_INT(SET(filter, 0, 0, scales), HY_BAD_DATA);
    EXPECT_INT(SET(filter, 0, 0, NULL), HY_BAD_DATA);
#undef SET
    fixture_free(&f);
}

/* ---- Operations ----------------------------------------------------------------------------- */

TEST(runtime_model, operation_that_does_not_exist_is_refused)
{
    struct fixture f = fixture_create();
    REQUIRE(f.model != NULL);
    uint32_t a = floats(&f, 1), b = floats(&f, 1);

    EXPECT_INT(op(&f, 106, 1, &a, b), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "operation 106 does not exist");
    EXPECT_INT(op(&f, -1, 1, &a, b), HY_BAD_DATA);
    EXPECT_INT(op(&f, 10000, 1, &a, b), HY_BAD_DATA);
    EXPECT_INT(op(&f, 0x10001, 1, &a, b), HY_BAD_DATA);
    fixture_free(&f);
}

TEST(runtime_model, operation_with_a_wrong_index_or_type_is_refused_at_once)
{
    struct fixture f = fixture_create();
    REQUIRE(f.model != NULL);
    uint32_t a = floats(&f, 1), b = floats(&f, 1), number = scalar(&f, ANEURALNETWORKS_INT32);

    EXPECT_INT(relu(&f, a, 3), HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "output 0 is operand 3, but there are 3 operands");
    EXPECT_INT(relu(&f, UINT32_MAX, b), HY_BAD_DATA);
    EXPECT_INT(relu(&f, number, b), HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "operand 2");
    EXPECT_INT(op(&f, ANEURALNETWORKS_ADD, 2, (const uint32_t[]){a, b}, a), HY_BAD_DATA);
    EXPECT_INT(op(&f, ANEURALNETWORKS_RELU, 0, &a, b), HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "0 inputs and 1 outputs");
    EXPECT_INT(relu(&f, a, b), HY_OK);
    fixture_free(&f);
}

/* ---- Inputs and outputs --------------------------------------------------------------------- */

TEST(runtime_model, operand_cannot_be_listed_twice_or_with_a_value)
{
    struct fixture f = fixture_create();
    REQUIRE(f.model != NULL);
    uint32_t a = floats(&f, 1), b = floats(&f, 1), number = constant(&f, 1);

    EXPECT_INT(identify(&f, a, a), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "output 0 is operand 0, which is listed as an input before");
    EXPECT_INT(hy_app_model_identify(f.model, 2, (const uint32_t[]){a, a}, 1, &b, &f.err),
               HY_BAD_DATA);
    EXPECT_STR(f.err.text, "input 1 is operand 0, which is listed as an input before");
    EXPECT_INT(identify(&f, number, b), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "input 0 is operand 2, which has a value");
    EXPECT_INT(identify(&f, a, 7), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "output 0: operand 7 does not exist, the model has 3");
    EXPECT_INT(hy_app_model_identify(f.model, 0, &a, 1, &b, &f.err), HY_BAD_DATA);

    /* None of these left a mark. */
    EXPECT_INT(identify(&f, a, b), HY_OK);
    fixture_free(&f);
}

TEST(runtime_model, second_identification_is_refused_and_the_first_stays)
{
    struct fixture f = fixture_create();
    REQUIRE(f.model != NULL);
    uint32_t a = floats(&f, 1), b = floats(&f, 1), c = floats(&f, 1);

    EXPECT_INT(relu(&f, a, b), HY_OK);
    EXPECT_INT(relu(&f, b, c), HY_OK);
    EXPECT_INT(identify(&f, a, c), HY_OK);
    EXPECT_INT(identify(&f, b, c), HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "1 inputs and 1 outputs already");
    EXPECT_INT(identify(&f, a, c), HY_BAD_DATA);
    REQUIRE(finish(&f) == HY_OK);
    EXPECT_INT(hy_app_model_view(f.model)->main->inputs[0], a);
    fixture_free(&f);
}

/* ---- States --------------------------------------------------------------------------------- */

static void expect_closed(struct fixture *f)
{
    const float value = 1;
    const uint32_t one = 1;
    struct hy_memory *memory = shared_memory(16);

    /* The arguments are wrong, too: the state is looked at first. */
    EXPECT_INT(add(f, (struct hy_operand_spec){.type = 99}), HY_BAD_STATE);
    EXPECT_INT(set(f, 99, &value, sizeof value), HY_BAD_STATE);
    EXPECT_INT(set_memory(f, 99, memory, 0, 0), HY_BAD_STATE);
    EXPECT_INT(hy_app_model_set_channel_quant(f->model, 99, 0, 1, &value, &f->err), HY_BAD_STATE);
    EXPECT_INT(op(f, 999, 1, &one, 1), HY_BAD_STATE);
    EXPECT_INT(identify(f, 99, 99), HY_BAD_STATE);
    EXPECT_INT(hy_app_model_relax(f->model, true, &f->err), HY_BAD_STATE);
    EXPECT_INT(finish(f), HY_BAD_STATE);
    hy_memory_release(memory);
}

TEST(runtime_model, finished_model_cannot_be_changed)
{
    struct fixture f = fixture_relu();
    REQUIRE(f.model != NULL);

    EXPECT_INT(hy_app_model_state(f.model), HY_MODEL_BUILDING);
    EXPECT_INT(finish(&f), HY_OK);
    EXPECT_INT(hy_app_model_state(f.model), HY_MODEL_FINISHED);
    expect_closed(&f);
    EXPECT_CONTAINS(f.err.text, "finished already");
    fixture_free(&f);
}

TEST(runtime_model, invalid_model_cannot_be_repaired)
{
    struct fixture f = fixture_create();
    REQUIRE(f.model != NULL);

    EXPECT_INT(finish(&f), HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "no operands");
    EXPECT_INT(hy_app_model_state(f.model), HY_MODEL_INVALID);
    expect_closed(&f);
    EXPECT_CONTAINS(f.err.text, "invalid");
    fixture_free(&f);
}

TEST(runtime_model, failed_setter_leaves_the_model_open)
{
    struct fixture f = fixture_relu();
    REQUIRE(f.model != NULL);

    EXPECT_INT(set(&f, 9, NULL, 0), HY_BAD_DATA);
    EXPECT_INT(relu(&f, 9, 9), HY_BAD_DATA);
    EXPECT_INT(finish(&f), HY_OK);
    fixture_free(&f);
}
