/* Which device runs IF and WHILE, and what the steps of a split model know of bodies. */
#include "runtime/compile/compile.h"
#include "runtime/handle/handle.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

static struct fake_device npu;

/* The CPU backend as the app finds it. */
static struct hy_runtime_device *cpu_device(void)
{
    uint32_t count = 0;
    ANeuralNetworksDevice *device = NULL;
    const char *name = "";

    EXPECT_INT(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
    for (uint32_t i = 0; i < count && strcmp(name, "halyard-cpu") != 0; i++) {
        EXPECT_INT(ANeuralNetworks_getDevice(i, &device), ANEURALNETWORKS_NO_ERROR);
        EXPECT_INT(ANeuralNetworksDevice_getName(device, &name), ANEURALNETWORKS_NO_ERROR);
    }
    return hy_device_of(device);
}

/* y = RELU(x) of `count` floats, finished. */
static struct hy_app_model *body_of(uint32_t count)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, count), y = floats(&f, count);
    if (relu(&f, x, y) != HY_OK || identify(&f, x, y) != HY_OK || finish(&f) != HY_OK)
        fixture_free(&f);
    return f.model;
}

/* y = IF (true) RELU(RELU(x)): RELU 0, IF 1. `inner` is the extent that the bodies know. */
static struct hy_app_model *model_of(uint32_t inner)
{
    const uint32_t one = 1;
    const uint8_t yes = 1;
    struct fixture f = fixture_create();
    struct hy_app_model *body = body_of(inner);
    uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), y = floats(&f, EXTENT);
    uint32_t inputs[] = {tensor(&f, ANEURALNETWORKS_TENSOR_BOOL8, 1, &one, 0),
                         scalar(&f, ANEURALNETWORKS_MODEL), scalar(&f, ANEURALNETWORKS_MODEL), a};
    bool ok = body && set(&f, inputs[0], &yes, 1) == HY_OK;
    for (uint32_t i = 1; i < 3; i++)
        ok = ok && hy_app_model_set_value_from_model(f.model, inputs[i], body, &f.err) == HY_OK;
    ok = ok && relu(&f, x, a) == HY_OK && op(&f, ANEURALNETWORKS_IF, 4, inputs, y) == HY_OK &&
         identify(&f, x, y) == HY_OK && finish(&f) == HY_OK;
    hy_app_model_release(body);
    if (!ok)
        fixture_free(&f);
    return f.model;
}

static struct hy_compilation *compile_for_both(struct hy_app_model *model)
{
    const struct hy_runtime_device *devices[] = {&npu.device, cpu_device()};
    struct hy_compilation *compilation = NULL;
    struct hy_error err = {0};

    EXPECT_INT(hy_compilation_create(model, devices, 2, true, &compilation, &err), HY_OK);
    EXPECT_INT(hy_compilation_finish(compilation, &err), HY_OK);
    EXPECT_STR(err.text, "");
    hy_app_model_release(model);
    return compilation;
}

static const char *device_of(const struct hy_compilation *compilation, uint32_t operation)
{
    const struct hy_plan *plan = compilation->plan;
    return plan->steps[plan->step_of[operation]].device->info.name;
}

TEST(control_flow_plan, step_has_the_bodies_that_it_runs)
{
    const float in[EXTENT] = {-1, 2, -3, 4};
    float out[EXTENT] = {0}, *outputs[] = {out};

    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_RELU);
    struct hy_compilation *compilation = compile_for_both(model_of(EXTENT));
    EXPECT_INT(compilation->plan->step_count, 2);
    EXPECT_STR(device_of(compilation, 0), "acme-npu");
    EXPECT_STR(device_of(compilation, 1), "halyard-cpu");
    EXPECT_INT(compilation->plan->steps[1].model->referenced_count, 1);
    struct hy_execution *execution = execution_of(compilation, in, outputs);
    REQUIRE(execution);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT(out[0] == 0 && out[1] == 2 && out[2] == 0 && out[3] == 4);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

static int32_t claim_all(void *device, const struct hy_model *model, uint8_t *supported,
                         const struct hy_refusals *refusals)
{
    (void)device;
    (void)refusals;
    memset(supported, 1, model->main->operation_count);
    return HY_STATUS_OK;
}

/* A driver that takes everything, bodies and all. */
static void init_claimer(struct hy_device *table)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .1f, FAKE_ALL);
    *table = *npu.device.table;
    table->supported_operations = claim_all;
    npu.device.table = table;
}

TEST(control_flow_plan, driver_may_take_a_whole_loop)
{
    struct hy_device table;

    init_claimer(&table);
    struct hy_compilation *compilation = compile_for_both(model_of(EXTENT));
    EXPECT_INT(compilation->plan->step_count, 1);
    EXPECT_STR(device_of(compilation, 1), "acme-npu");
    hy_compilation_release(compilation);
}

TEST(control_flow_plan, unknown_sizes_in_bodies_are_for_the_cpu)
{
    struct hy_device table;

    init_claimer(&table);
    struct hy_compilation *compilation = compile_for_both(model_of(0));
    EXPECT_STR(device_of(compilation, 0), "acme-npu");
    EXPECT_STR(device_of(compilation, 1), "halyard-cpu");
    EXPECT_STR(hy_support_matrix_refusal(&compilation->plan->support_matrix, 0, 1),
               "control flow over tensors of unknown size runs on the CPU");
    hy_compilation_release(compilation);
}
