/* Fixed-point arithmetic by operations on int32. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "libhalyard/lower/int32.h"
#include "libhalyard/lower/model.h"

enum { COUNT = 512 };

/* ---- What TensorFlow Lite computes ----------------------------------------------------------- */

static int32_t high_product(int64_t a, int64_t mantissa)
{
    const int64_t half = INT64_C(1) << 30;
    return (int32_t)((a * mantissa + half) >> 31); /* half up */
}

static int32_t shift_right(int32_t a, int bits)
{
    const int64_t half = bits > 0 ? INT64_C(1) << (bits - 1) : 0;
    return (int32_t)(a < 0 ? -((-(int64_t)a + half) >> bits) : (a + half) >> bits);
}

static int32_t scaled(int32_t a, double multiplier)
{
    int exponent;
    int64_t mantissa = llround(frexp(multiplier, &exponent) * 0x1p31);

    if (mantissa == INT64_C(1) << 31) {
        mantissa /= 2;
        exponent++;
    }
    if (exponent > 0)
        a *= (int32_t)1 << exponent;
    return shift_right(high_product(a, mantissa), exponent < 0 ? -exponent : 0);
}

/* ---- The same as an NNAPI model -------------------------------------------------------------- */

/* A model of one input and one output, both [1, COUNT]. */
struct model {
    struct hy_graph_node node;
    struct hy_lowering lowering;
    struct hy_error err;
    uint32_t input, output;
};

static void start(struct model *model)
{
    static const struct hy_graph graph;
    const uint32_t extents[2] = {1, COUNT};
    const struct hy_graph_tensor like = {.element = HY_ELEMENT_INT32};

    *model = (struct model){.node = {.title = "test"}};
    model->lowering =
        (struct hy_lowering){.graph = &graph, .node = &model->node, .err = &model->err};
    model->lowering.pushed_room = 8;
    model->lowering.pushed = calloc(8, sizeof *model->lowering.pushed);
    model->lowering.code = hy_lowered_model_create(&model->lowering.model, &model->err);
    model->input = hy_temporary_operand_of(&model->lowering, &like, 2, extents);
}

static void run(struct model *model, const int32_t *from, int32_t *to)
{
    ANeuralNetworksModel *handle = model->lowering.model->handle;
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksExecution *execution = NULL;

    EXPECT_INT(
        ANeuralNetworksModel_identifyInputsAndOutputs(handle, 1, &model->input, 1, &model->output),
        0);
    EXPECT_INT(ANeuralNetworksModel_finish(handle), 0);
    EXPECT_INT(ANeuralNetworksCompilation_create(handle, &compilation), 0);
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), 0);
    EXPECT_INT(ANeuralNetworksExecution_create(compilation, &execution), 0);
    ANeuralNetworksExecution_setInput(execution, 0, NULL, from, COUNT * sizeof *from);
    ANeuralNetworksExecution_setOutput(execution, 0, NULL, to, COUNT * sizeof *to);
    EXPECT_INT(ANeuralNetworksExecution_compute(execution), 0);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
}

static void finish(struct model *model)
{
    hy_lowered_model_destroy(model->lowering.model);
    hy_arena_finish(&model->lowering.scratch);
    free(model->lowering.pushed);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* Numbers of all sizes, of which the first are the ends of the range and those around zero. */
static void fill(struct hy_random *random, int bits, int32_t numbers[COUNT])
{
    static const int32_t ends[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX};
    const size_t end_count = bits == 32 ? sizeof ends / sizeof *ends : 0;

    for (size_t i = 0; i < COUNT; i++) {
        const int size = 1 + (int)(hy_random_next(random) % (unsigned)bits);
        const uint32_t word = (uint32_t)hy_random_next(random);
        numbers[i] = i < end_count ? ends[i] : (int32_t)word >> (32 - size);
    }
}

static void expect_scaled(double multiplier, struct hy_random *random)
{
    int32_t from[COUNT], to[COUNT];
    struct model model;
    int exponent;

    frexp(multiplier * (1 + 0x1p-30), &exponent);          /* its mantissa may be rounded up to 1 */
    fill(random, exponent > 0 ? 32 - exponent : 32, from); /* beyond is what wraps around */
    start(&model);
    const struct hy_int32 product =
        hy_int32_scale(&model.lowering, (struct hy_int32){model.input, {1, COUNT}}, multiplier);
    model.output = product.operand;
    EXPECT_INT(model.lowering.code, HY_OK);
    run(&model, from, to);
    for (size_t i = 0; i < COUNT; i++) {
        if (to[i] != scaled(from[i], multiplier)) {
            hy_test_fail(__FILE__, __LINE__, "%d * %.17g is %d, expected %d", from[i], multiplier,
                         to[i], scaled(from[i], multiplier));
            break;
        }
    }
    finish(&model);
}

TEST(int32, scaling_rounds_as_tensorflow_lite_does)
{
    struct hy_random random = {1};

    for (int exponent = -30; exponent < 8; exponent++) {
        for (int i = 0; i < 4; i++) {
            const double half_to_one = 0.5 + (double)(hy_random_next(&random) >> 12) * 0x1p-53;
            expect_scaled(ldexp(half_to_one, exponent), &random);
        }
        expect_scaled(ldexp(0.5, exponent), &random);
        expect_scaled(ldexp(1.0 - 0x1p-33, exponent), &random); /* a mantissa that rounds up */
    }
}

TEST(int32, multipliers_out_of_range_are_refused)
{
    static const double multipliers[] = {0.0, 0x1p-32, 0x1p31, INFINITY, NAN, -1.0};

    for (size_t i = 0; i < sizeof multipliers / sizeof *multipliers; i++) {
        struct model model;
        start(&model);
        hy_int32_scale(&model.lowering, (struct hy_int32){model.input, {1, COUNT}}, multipliers[i]);
        EXPECT_INT(model.lowering.code, HY_BAD_DATA);
        EXPECT_CONTAINS(model.err.text, "scales so far apart");
        finish(&model);
    }
}
