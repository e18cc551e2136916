/* What steps share besides boundary tensors: constants, inputs and outputs of the model. */
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};
static const float input[EXTENT] = {-2.5f, .25f, 1.5f, 7};

static void init_fakes(uint32_t npu_operations)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, npu_operations);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
}

static float relu_of(uint32_t i)
{
    return input[i] > 0 ? input[i] : 0;
}

/* Runs the model twice in one reusable execution, and once in another that is laid over it. */
static bool run(struct hy_compilation *compilation, float *const *outputs)
{
    struct hy_execution *execution = execution_of(compilation, input, outputs);
    bool ok = execution != NULL;

    if (execution)
        execution->reusable = true;
    for (uint32_t i = 0; i < 2; i++)
        ok = ok && compute(execution, NULL) == HY_OK;
    hy_execution_release(execution);
    execution = execution_of(compilation, input, outputs);
    ok = ok && execution && compute(execution, NULL) == HY_OK;
    hy_execution_release(execution);
    return ok;
}

/* y = FLOOR(RELU(x) * k) + k: k is read in two steps on two devices. */
static struct hy_app_model *shared_constant_model(const float *values, size_t count)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), b = floats(&f, EXTENT);
    uint32_t c = floats(&f, EXTENT), y = floats(&f, EXTENT);
    uint32_t k = floats(&f, (uint32_t)count), none = constant(&f, 0);
    bool ok = set(&f, k, values, count * sizeof *values) == HY_OK && relu(&f, x, a) == HY_OK &&
              op(&f, ANEURALNETWORKS_MUL, 3, (const uint32_t[]){a, k, none}, b) == HY_OK &&
              op(&f, ANEURALNETWORKS_FLOOR, 1, &b, c) == HY_OK &&
              add_op(&f, c, k, none, y) == HY_OK && identify(&f, x, y) == HY_OK &&
              finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

TEST(split_plans, steps_on_two_devices_read_one_constant)
{
    static const float three[EXTENT] = {3, 3, 3, 3};
    float output[EXTENT] = {0};

    init_fakes(FAKE_MUL);
    struct hy_compilation *compilation =
        compile(shared_constant_model(three, EXTENT), both, 2, false, NULL);
    REQUIRE(compilation && compilation->plan->step_count == 3);
    EXPECT_INT(npu.last_input_count, 1); /* the constant is none */
    EXPECT(run(compilation, (float *[]){output}));
    for (uint32_t i = 0; i < EXTENT; i++)
        EXPECT(output[i] == (float)(long)(relu_of(i) * 3) + 3);
    hy_compilation_release(compilation);
}

/* y = FLOOR(RELU(x)) + x */
static struct hy_app_model *shared_input_model(void)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), b = floats(&f, EXTENT);
    uint32_t y = floats(&f, EXTENT), none = constant(&f, 0);
    bool ok = relu(&f, x, a) == HY_OK && op(&f, ANEURALNETWORKS_FLOOR, 1, &a, b) == HY_OK &&
              add_op(&f, b, x, none, y) == HY_OK && identify(&f, x, y) == HY_OK &&
              finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

TEST(split_plans, a_later_step_reads_an_input_of_the_model)
{
    float output[EXTENT] = {0};

    init_fakes(FAKE_FLOOR);
    struct hy_compilation *compilation = compile(shared_input_model(), both, 2, false, NULL);
    REQUIRE(compilation && compilation->plan->step_count == 3);
    EXPECT_INT(compilation->plan->tensor_count, 2);
    EXPECT(run(compilation, (float *[]){output}));
    for (uint32_t i = 0; i < EXTENT; i++)
        EXPECT(output[i] == (float)(long)relu_of(i) + input[i]);
    hy_compilation_release(compilation);
}

/* y0 = RELU(x), y1 = FLOOR(y0), y2 = y1 + y0: outputs of the first two steps are read again, one of
 * them twice. */
static struct hy_app_model *read_again_model(void)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), y0 = floats(&f, EXTENT), y1 = floats(&f, EXTENT);
    uint32_t y2 = floats(&f, EXTENT), none = constant(&f, 0);
    const uint32_t outputs[] = {y2, y1, y0};
    bool ok = relu(&f, x, y0) == HY_OK && op(&f, ANEURALNETWORKS_FLOOR, 1, &y0, y1) == HY_OK &&
              add_op(&f, y1, y0, none, y2) == HY_OK &&
              hy_app_model_identify(f.model, 1, &x, 3, outputs, &f.err) == HY_OK &&
              finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

TEST(split_plans, outputs_are_read_where_the_app_wants_them)
{
    float output[3][EXTENT] = {{0}};

    init_fakes(FAKE_FLOOR);
    struct hy_compilation *compilation = compile(read_again_model(), both, 2, false, NULL);
    REQUIRE(compilation && compilation->plan->step_count == 3);
    EXPECT(run(compilation, (float *[]){output[0], output[1], output[2]}));
    for (uint32_t i = 0; i < EXTENT; i++) {
        EXPECT(output[2][i] == relu_of(i));
        EXPECT(output[1][i] == (float)(long)relu_of(i));
        EXPECT(output[0][i] == relu_of(i) + (float)(long)relu_of(i));
    }
    hy_compilation_release(compilation);
}

/* Every choice of outputs that are left out, one after the other in what the compilation keeps. */
TEST(split_plans, any_output_may_be_left_out)
{
    init_fakes(FAKE_FLOOR);
    struct hy_compilation *compilation = compile(read_again_model(), both, 2, false, NULL);
    REQUIRE(compilation != NULL);
    for (uint32_t wanted = 0; wanted < 8; wanted++) {
        float output[3][EXTENT] = {{0}};
        struct hy_execution *execution = NULL;
        const struct hy_argument_source in = {.buffer = (void *)(uintptr_t)input,
                                              .length = sizeof input};
        REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);
        EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &in, NULL), HY_OK);
        for (uint32_t i = 0; i < 3; i++) {
            const struct hy_argument_source out = {.buffer = wanted & 1u << i ? output[i] : NULL,
                                                   .length =
                                                       wanted & 1u << i ? sizeof output[i] : 0};
            EXPECT_INT(hy_execution_set(execution, true, i, NULL, &out, NULL), HY_OK);
        }
        EXPECT_INT(compute(execution, NULL), HY_OK);
        for (uint32_t i = 0; i < 3; i++)
            EXPECT(output[i][3] == (wanted & 1u << i ? (i == 0 ? 14.f : 7.f) : 0.f));
        hy_execution_release(execution);
    }
    hy_compilation_release(compilation);
}
