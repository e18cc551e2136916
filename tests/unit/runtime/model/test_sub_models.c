/* Models that refer to other models: what may refer to what, and the view that comes of it. */
#include "common/operations/control_flow.h"
#include "runtime/plan/support/open_loops.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/model_fixture.h"

static enum hy_code refer(struct fixture *f, uint32_t operand, const struct fixture *to)
{
    return hy_app_model_set_value_from_model(f->model, operand, to->model, &f->err);
}

/* A MODEL operand that refers to `to`. */
static uint32_t reference(struct fixture *f, const struct fixture *to)
{
    uint32_t operand = scalar(f, ANEURALNETWORKS_MODEL);
    return refer(f, operand, to) == HY_OK ? operand : UINT32_MAX;
}

static uint32_t truth(struct fixture *f)
{
    return tensor(f, ANEURALNETWORKS_TENSOR_BOOL8, 1, (const uint32_t[]){1}, 0);
}

/* y = RELU(x) of `count` floats, finished. */
static struct fixture body_of(uint32_t count)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, count), y = floats(&f, count);
    if (relu(&f, x, y) != HY_OK || identify(&f, x, y) != HY_OK || finish(&f) != HY_OK)
        fixture_free(&f);
    return f;
}

/* y = IF(condition, x) over two models, not yet finished. */
static enum hy_code add_if(struct fixture *f, uint32_t count, const struct fixture *then_model,
                           const struct fixture *else_model)
{
    uint32_t inputs[] = {truth(f), reference(f, then_model), reference(f, else_model),
                         floats(f, count)};
    uint32_t y = floats(f, count);
    enum hy_code code = op(f, ANEURALNETWORKS_IF, 4, inputs, y);
    if (code == HY_OK)
        code = hy_app_model_identify(f->model, 2, (const uint32_t[]){inputs[0], inputs[3]}, 1, &y,
                                     &f->err);
    return code;
}

/* y = IF(true, x), finished: a body that has bodies. */
static struct fixture nested_body(uint32_t count, const struct fixture *inner)
{
    struct fixture f = fixture_create();
    uint32_t inputs[] = {truth(&f), reference(&f, inner), reference(&f, inner), floats(&f, count)};
    uint32_t y = floats(&f, count);
    const uint8_t yes = 1;
    if (set(&f, inputs[0], &yes, 1) != HY_OK || op(&f, ANEURALNETWORKS_IF, 4, inputs, y) != HY_OK ||
        identify(&f, inputs[3], y) != HY_OK || finish(&f) != HY_OK)
        fixture_free(&f);
    return f;
}

TEST(sub_models, are_kept_while_they_are_referred_to)
{
    struct fixture f = fixture_create(), body = body_of(4), other = body_of(4);

    REQUIRE(add_if(&f, 4, &other, &body) == HY_OK);
    EXPECT_INT(refer(&f, 1, &body), HY_OK); /* takes the place of the other */
    fixture_free(&body);
    fixture_free(&other);
    REQUIRE(finish(&f) == HY_OK);
    const struct hy_model *view = hy_app_model_view(f.model);
    EXPECT_INT(view->referenced_count, 1);
    EXPECT_INT(view->referenced[0]->operations[0].type, ANEURALNETWORKS_RELU);
    fixture_free(&f);
}

TEST(sub_models, view_has_each_model_once)
{
    struct fixture inner = body_of(4), outer = nested_body(4, &inner), f = fixture_create();

    REQUIRE(outer.model && add_if(&f, 4, &outer, &inner) == HY_OK);
    REQUIRE(hy_app_model_relax(f.model, true, NULL) == HY_OK && finish(&f) == HY_OK);
    const struct hy_model *view = hy_app_model_view(f.model);
    REQUIRE(view->referenced_count == 2);
    const struct hy_operand *operands = view->main->operands;
    EXPECT_INT(operands[1].lifetime, HY_LIFETIME_SUBGRAPH);
    EXPECT_INT(operands[1].location.offset, 1); /* what a model refers to comes before it */
    EXPECT_INT(operands[2].location.offset, 0);
    EXPECT_INT(view->referenced[1]->operations[0].type, ANEURALNETWORKS_IF);
    EXPECT_INT(view->referenced[1]->operands[1].location.offset, 0);
    EXPECT_INT(view->relaxed_float, 1);
    EXPECT_INT(view->feature_level, 4);
    fixture_free(&f);
    fixture_free(&outer);
    fixture_free(&inner);
}

/* y = (x + small) + large: a constant of each kind, told apart by `value`. */
static struct fixture body_with_constants(float value, float *large)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, 40), small = floats(&f, 1), sum = floats(&f, 40);
    uint32_t more = floats(&f, 40), y = floats(&f, 40), none = constant(&f, 0);
    large[0] = -value;
    if (set(&f, small, &value, sizeof value) != HY_OK ||
        set(&f, more, large, 40 * sizeof *large) != HY_OK ||
        add_op(&f, x, small, none, sum) != HY_OK || add_op(&f, sum, more, none, y) != HY_OK ||
        identify(&f, x, y) != HY_OK || finish(&f) != HY_OK)
        fixture_free(&f);
    return f;
}

static float small_value(const struct hy_model *view, uint32_t body)
{
    float value;
    memcpy(&value, view->values + view->referenced[body]->operands[1].location.offset,
           sizeof value);
    return value;
}

static float large_value(const struct hy_model *view, uint32_t body)
{
    const struct hy_operand *operand = &view->referenced[body]->operands[3];
    return *(const float *)view->pools[operand->location.pool].address;
}

TEST(sub_models, constants_of_all_models_are_found_in_one_view)
{
    float large[2][40] = {0}, main_large[40] = {9};
    struct fixture f = fixture_create();
    struct fixture bodies[] = {body_with_constants(5, large[0]), body_with_constants(6, large[1])};

    REQUIRE(bodies[0].model && bodies[1].model);
    REQUIRE(add_if(&f, 40, &bodies[0], &bodies[1]) == HY_OK);
    REQUIRE(set(&f, floats(&f, 40), main_large, sizeof main_large) == HY_OK);
    (void)constant(&f, 77);
    REQUIRE(finish(&f) == HY_OK);

    const struct hy_model *view = hy_app_model_view(f.model);
    EXPECT_INT(view->pool_count, 3);
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT(small_value(view, i) == (float)(5 + i));
        EXPECT(large_value(view, i) == -(float)(5 + i));
        fixture_free(&bodies[i]);
    }
    EXPECT(*(const float *)view->pools[view->main->operands[5].location.pool].address == 9);
    EXPECT_INT(view->values[view->main->operands[6].location.offset], 77);
    fixture_free(&f);
}

TEST(sub_models, nesting_has_a_limit)
{
    struct fixture body = body_of(4);

    for (uint32_t depth = 1; depth <= HY_CONTROL_FLOW_DEPTH; depth++) {
        struct fixture outer = nested_body(4, &body);
        REQUIRE(outer.model);
        fixture_free(&body);
        body = outer;
    }
    EXPECT_INT(hy_app_model_view(body.model)->referenced_count, HY_CONTROL_FLOW_DEPTH);
    struct fixture f = fixture_create();
    EXPECT_INT(refer(&f, scalar(&f, ANEURALNETWORKS_MODEL), &body), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "operand 0: the model nests models to a depth of 17, the limit is 16");
    fixture_free(&f);
    fixture_free(&body);
}

static bool has_open_loop(const struct fixture *inner)
{
    struct fixture outer = nested_body(4, inner), f = fixture_create();
    struct hy_arena arena = {0};
    const bool *open = NULL;
    bool found = false;

    if (outer.model && add_if(&f, 4, &outer, &outer) == HY_OK && finish(&f) == HY_OK &&
        hy_plan_find_open_loops(hy_app_model_view(f.model), &arena, &open, NULL) == HY_OK)
        found = open && open[0];
    hy_arena_finish(&arena);
    fixture_free(&f);
    fixture_free(&outer);
    return found;
}

TEST(sub_models, unknown_sizes_are_found_in_bodies_of_bodies)
{
    struct fixture closed = body_of(4), open = body_of(0);

    EXPECT(!has_open_loop(&closed));
    EXPECT(has_open_loop(&open));
    fixture_free(&closed);
    fixture_free(&open);
}
