/* Closing a model: the order of its operations, and the view that results. What must hold of it is
 * in tests/scenarios/contract/test_contract_model.c. */
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/model_fixture.h"

#include <stdlib.h>

/* ---- Order ---------------------------------------------------------------------------------- */

/* The operations of the finished model, in the numbers of the app. */
static void expect_order(struct fixture *f, uint32_t count, const uint32_t *expected)
{
    if (finish(f) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "%s", f->err.text);
        return;
    }
    const uint32_t *order = hy_app_model_operation_order(f->model);
    EXPECT_INT(hy_app_model_view(f->model)->main->operation_count, count);
    for (uint32_t i = 0; i < count; i++)
        EXPECT_INT(order[i], expected[i]);
}

TEST(runtime_model_finish, operations_are_sorted_and_know_their_number)
{
    struct fixture f = fixture_create();
    REQUIRE(f.model != NULL);
    uint32_t a = floats(&f, 1), b = floats(&f, 1), c = floats(&f, 1), d = floats(&f, 1);
    EXPECT_INT(relu(&f, c, d), HY_OK);
    EXPECT_INT(op(&f, ANEURALNETWORKS_TANH, 1, &b, c), HY_OK);
    EXPECT_INT(op(&f, ANEURALNETWORKS_LOGISTIC, 1, &a, b), HY_OK);
    EXPECT_INT(identify(&f, a, d), HY_OK);

    expect_order(&f, 3, (const uint32_t[]){2, 1, 0});
    const struct hy_operation *operations = hy_app_model_view(f.model)->main->operations;
    EXPECT_INT(operations[0].type, ANEURALNETWORKS_LOGISTIC);
    EXPECT_INT(operations[2].type, ANEURALNETWORKS_RELU);
    EXPECT_INT(operations[2].inputs[0], c);
    fixture_free(&f);
}

TEST(runtime_model_finish, legal_order_is_kept)
{
    struct fixture f = fixture_create();
    REQUIRE(f.model != NULL);
    uint32_t in = floats(&f, 1), none = constant(&f, 0), left = floats(&f, 1);
    uint32_t right = floats(&f, 1), further = floats(&f, 1), out = floats(&f, 1);
    EXPECT_INT(relu(&f, in, left), HY_OK);
    EXPECT_INT(relu(&f, in, right), HY_OK);
    EXPECT_INT(relu(&f, left, further), HY_OK);
    EXPECT_INT(add_op(&f, right, further, none, out), HY_OK);
    EXPECT_INT(identify(&f, in, out), HY_OK);
    expect_order(&f, 4, (const uint32_t[]){0, 1, 2, 3});
    fixture_free(&f);
}

TEST(runtime_model_finish, twenty_thousand_operations_in_reverse_are_sorted)
{
    enum { COUNT = 20000 };
    struct fixture f = fixture_create();
    REQUIRE(f.model != NULL);

    for (uint32_t i = 0; i <= COUNT; i++)
        REQUIRE(floats(&f, 1) == i);
    for (uint32_t i = COUNT; i-- > 0;)
        REQUIRE(relu(&f, i, i + 1) == HY_OK);
    EXPECT_INT(identify(&f, 0, COUNT), HY_OK);
    REQUIRE(finish(&f) == HY_OK);

    const struct hy_subgraph *main = hy_app_model_view(f.model)->main;
    uint32_t misplaced = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        misplaced += main->operations[i].inputs[0] != i;
    EXPECT_INT(misplaced, 0);
    fixture_free(&f);
}

/* ---- The view ------------------------------------------------------------------------------- */

TEST(runtime_model_finish, view_has_operands_at_the_indices_of_the_app)
{
    const uint32_t dims[] = {2, 3};
    struct fixture f = fixture_create();
    REQUIRE(f.model != NULL);
    uint32_t in = tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, dims, 0.25f);
    uint32_t out = tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, dims, 0.25f);
    EXPECT_INT(relu(&f, in, out), HY_OK);
    EXPECT_INT(identify(&f, in, out), HY_OK);
    EXPECT_INT(hy_app_model_relax(f.model, true, &f.err), HY_OK);
    REQUIRE(finish(&f) == HY_OK);

    const struct hy_model *view = hy_app_model_view(f.model);
    EXPECT_INT(view->struct_size, sizeof *view);
    EXPECT_INT(view->relaxed_float, 1);
    EXPECT_INT(view->feature_level, 1);
    EXPECT_INT(view->referenced_count, 0);
    const struct hy_subgraph *main = view->main;
    EXPECT_INT(main->struct_size, sizeof *main);
    EXPECT_INT(main->operand_count, 2);
    EXPECT_INT(main->inputs[0], in);
    EXPECT_INT(main->outputs[0], out);
    EXPECT_INT(main->operands[in].lifetime, HY_LIFETIME_INPUT);
    EXPECT_INT(main->operands[out].lifetime, HY_LIFETIME_OUTPUT);
    EXPECT_INT(main->operands[in].rank, 2);
    EXPECT_INT(main->operands[in].dims[1], 3);
    EXPECT(main->operands[in].scale == 0.25f);
    fixture_free(&f);
}

TEST(runtime_model_finish, feature_level_is_the_highest_that_any_part_needs)
{
    struct fixture f = fixture_relu();
    REQUIRE(f.model != NULL);
    uint32_t number = scalar(&f, ANEURALNETWORKS_FLOAT16);
    EXPECT_INT(set(&f, number, &(uint16_t){0}, 2), HY_OK);
    REQUIRE(finish(&f) == HY_OK);
    EXPECT_INT(hy_app_model_view(f.model)->feature_level, 3);
    fixture_free(&f);

    f = fixture_create();
    REQUIRE(f.model != NULL);
    uint32_t in = tensor(&f, ANEURALNETWORKS_TENSOR_FLOAT32, 0, NULL, 0), out = floats(&f, 1);
    EXPECT_INT(relu(&f, in, out), HY_OK);
    EXPECT_INT(identify(&f, in, out), HY_OK);
    REQUIRE(finish(&f) == HY_OK);
    EXPECT_INT(hy_app_model_view(f.model)->feature_level, 3);
    fixture_free(&f);

    f = fixture_create();
    REQUIRE(f.model != NULL);
    in = floats(&f, 1), out = floats(&f, 1);
    EXPECT_INT(op(&f, ANEURALNETWORKS_HARD_SWISH, 1, &in, out), HY_OK);
    EXPECT_INT(identify(&f, in, out), HY_OK);
    REQUIRE(finish(&f) == HY_OK);
    EXPECT_INT(hy_app_model_view(f.model)->feature_level, 4);
    fixture_free(&f);
}

/* out = TRANSPOSE(in, order), identified, where nothing is known of `order`. */
static struct fixture fixture_transpose(uint32_t *ret_order)
{
    struct fixture f = fixture_create();
    const uint32_t in = tensor(&f, ANEURALNETWORKS_TENSOR_FLOAT32, 2, (uint32_t[]){2, 3}, 0);
    const uint32_t order = tensor(&f, ANEURALNETWORKS_TENSOR_INT32, 0, NULL, 0);
    const uint32_t out = tensor(&f, ANEURALNETWORKS_TENSOR_FLOAT32, 2, (uint32_t[]){3, 2}, 0);

    EXPECT_INT(op(&f, ANEURALNETWORKS_TRANSPOSE, 2, (uint32_t[]){in, order}, out), HY_OK);
    EXPECT_INT(identify(&f, in, out), HY_OK);
    *ret_order = order;
    return f;
}

TEST(runtime_model_finish, feature_level_is_that_of_the_values_that_were_set_last)
{
    uint32_t order;
    struct fixture f = fixture_transpose(&order);

    EXPECT_INT(set(&f, order, NULL, 0), HY_OK);
    REQUIRE(finish(&f) == HY_OK);
    EXPECT_INT(hy_app_model_view(f.model)->feature_level, 2); /* 3 with an unknown rank */
    fixture_free(&f);
}

TEST(runtime_model_finish, operation_is_checked_again_after_an_operand_of_it_has_changed)
{
    uint32_t order;
    struct fixture f = fixture_transpose(&order);

    EXPECT_INT(set(&f, 0, NULL, 0), HY_OK); /* an input that no TRANSPOSE may leave out */
    EXPECT_INT(finish(&f), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "operation 0: TRANSPOSE: input 0 (operand 0) must not be omitted");
    fixture_free(&f);
}

TEST(runtime_model_finish, scales_per_channel_that_were_set_last_have_the_dimension_of_the_filter)
{
    const int32_t types[] = {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                             ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL,
                             ANEURALNETWORKS_TENSOR_INT32};
    const uint32_t shapes[3][4] = {{1, 2, 2, 1}, {1, 1, 1, 1}, {1}};
    const float scale = 0.5f;
    struct fixture f = fixture_create();
    uint32_t inputs[7];

    for (uint32_t i = 0; i < 3; i++)
        inputs[i] = tensor(&f, types[i], i < 2 ? 4 : 1, shapes[i], i == 0 ? scale : 0);
    for (uint32_t i = 3; i < 7; i++)
        inputs[i] = constant(&f, i < 6);
    const uint32_t out = tensor(&f, types[0], 4, shapes[0], scale);
    EXPECT_INT(op(&f, ANEURALNETWORKS_CONV_2D, 7, inputs, out), HY_OK);
    EXPECT_INT(hy_app_model_identify(f.model, 3, inputs, 1, &out, &f.err), HY_OK);
    EXPECT_INT(hy_app_model_set_channel_quant(f.model, inputs[1], 3, 1, &scale, &f.err), HY_OK);
    EXPECT_INT(finish(&f), HY_BAD_DATA);
    EXPECT_STR(f.err.text,
               "operation 0: CONV_2D: input 1 (operand 1) has scales along dimension 3, needs 0");
    fixture_free(&f);
}

TEST(runtime_model_finish, retained_model_outlives_the_first_release)
{
    struct fixture f = fixture_relu();
    REQUIRE(f.model != NULL);
    REQUIRE(finish(&f) == HY_OK);

    EXPECT(hy_app_model_retain(f.model) == f.model);
    hy_app_model_release(f.model);
    EXPECT_INT(hy_app_model_view(f.model)->main->operation_count, 1);
    fixture_free(&f);
    hy_app_model_release(NULL);
}

/* ---- Shapes that the app leaves open --------------------------------------------------------- */

/* x -> RELU -> a -> FLOOR -> y with these extents declared, 0 for open. */
static struct fixture finish_chain(uint32_t middle, uint32_t out, uint32_t *a, uint32_t *y)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, 4);
    *a = floats(&f, middle);
    *y = floats(&f, out);
    EXPECT_INT(relu(&f, x, *a), HY_OK);
    EXPECT_INT(op(&f, ANEURALNETWORKS_FLOOR, 1, a, *y), HY_OK);
    EXPECT_INT(identify(&f, x, *y), HY_OK);
    EXPECT_INT(finish(&f), HY_OK);
    return f;
}

TEST(runtime_model_finish, open_shapes_of_temporaries_are_inferred)
{
    uint32_t a, y;
    struct fixture f = finish_chain(0, 4, &a, &y);
    const struct hy_operand *operands = hy_app_model_view(f.model)->main->operands;
    EXPECT_INT(operands[a].rank, 1);
    EXPECT_INT(operands[a].dims[0], 4);
    fixture_free(&f);
}

TEST(runtime_model_finish, open_shapes_of_outputs_stay_as_the_app_declared_them)
{
    uint32_t a, y;
    struct fixture f = finish_chain(0, 0, &a, &y);
    const struct hy_operand *operands = hy_app_model_view(f.model)->main->operands;
    EXPECT_INT(operands[a].dims[0], 4);
    EXPECT_INT(operands[y].dims[0], 0);
    fixture_free(&f);
}
