/* Operations whose scales are not those that they demand: no device is asked about them. */
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

/* y = LOGISTIC(x), of bytes whose scale no result of LOGISTIC has. Open. */
static enum hy_code add_wrong_scale(struct fixture *f, uint32_t *x, uint32_t *y)
{
    const uint32_t extent = EXTENT;

    *x = tensor(f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, .5f);
    *y = tensor(f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, .5f);
    return op(f, ANEURALNETWORKS_LOGISTIC, 1, x, *y);
}

/* RELU and LOGISTIC side by side. */
static struct hy_app_model *pair_model(void)
{
    struct fixture f = fixture_create();
    uint32_t inputs[2], outputs[2];

    inputs[0] = floats(&f, EXTENT);
    outputs[0] = floats(&f, EXTENT);
    const bool ok = relu(&f, inputs[0], outputs[0]) == HY_OK &&
                    add_wrong_scale(&f, &inputs[1], &outputs[1]) == HY_OK &&
                    hy_app_model_identify(f.model, 2, inputs, 2, outputs, &f.err) == HY_OK &&
                    finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

TEST(wrong_scales, driver_is_asked_about_the_rest_alone)
{
    struct fake_device npu, cpu;
    struct hy_error err = {0};
    struct hy_app_model *model = pair_model();

    REQUIRE(model);
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, 1, FAKE_ALL);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    EXPECT(compile(model, (struct fake_device *[]){&npu, &cpu}, 2, false, &err) == NULL);
    EXPECT_INT(err.code, HY_BAD_DATA);
    EXPECT_STR(err.text, "operation 1: LOGISTIC: output 0 (operand 3) has scale 0.5 and zero point "
                         "0, needs 0.00390625 and 0");
    EXPECT_INT(npu.last_asked_count, 1);
    EXPECT_INT(cpu.last_asked_count, 1);
    EXPECT_INT(npu.prepare_count + cpu.prepare_count, 0);
}

/* y = IF(condition, body, body, x). */
static struct hy_app_model *branching_model(struct hy_app_model *body)
{
    const uint32_t one = 1, extent = EXTENT;
    struct fixture f = fixture_create();
    uint32_t condition = tensor(&f, ANEURALNETWORKS_TENSOR_BOOL8, 1, &one, 0);
    uint32_t then = scalar(&f, ANEURALNETWORKS_MODEL), other = scalar(&f, ANEURALNETWORKS_MODEL);
    uint32_t x = tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, .5f);
    uint32_t y = tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, .5f);
    const uint32_t inputs[] = {condition, x}, branch[] = {condition, then, other, x};
    const bool ok = hy_app_model_set_value_from_model(f.model, then, body, NULL) == HY_OK &&
                    hy_app_model_set_value_from_model(f.model, other, body, NULL) == HY_OK &&
                    op(&f, ANEURALNETWORKS_IF, 4, branch, y) == HY_OK &&
                    hy_app_model_identify(f.model, 2, inputs, 1, &y, NULL) == HY_OK &&
                    finish(&f) == HY_OK;

    if (!ok)
        fixture_free(&f);
    return f.model;
}

TEST(wrong_scales, driver_is_not_asked_about_control_flow_with_one_in_a_body)
{
    struct fake_device npu, cpu;
    struct hy_error err = {0};
    struct fixture body = fixture_create();
    uint32_t x, y;

    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, 1, FAKE_ALL);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    REQUIRE(add_wrong_scale(&body, &x, &y) == HY_OK);
    REQUIRE(identify(&body, x, y) == HY_OK && finish(&body) == HY_OK);
    struct hy_app_model *model = branching_model(body.model);
    REQUIRE(model);
    EXPECT(compile(model, (struct fake_device *[]){&npu, &cpu}, 2, false, &err) == NULL);
    EXPECT_INT(err.code, HY_BAD_DATA);
    EXPECT_STR(err.text, "operation 0: IF: body 0, operation 0: LOGISTIC: output 0 (operand 1) has "
                         "scale 0.5 and zero point 0, needs 0.00390625 and 0");
    EXPECT_INT(npu.last_asked_count + cpu.last_asked_count, 0);
    fixture_free(&body);
}

/* Two MULs side by side; the output of the second is finer than the product of its inputs. */
static struct hy_app_model *products_model(void)
{
    struct fixture f = fixture_create();
    const uint32_t extent = EXTENT;
    const uint32_t none = constant(&f, ANEURALNETWORKS_FUSED_NONE);
    const uint32_t x = tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, .5f);
    const uint32_t outputs[] = {tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, .5f),
                                tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, .1f)};
    const uint32_t inputs[] = {x, x, none};
    bool ok = true;

    for (uint32_t i = 0; i < 2; i++)
        ok = ok && op(&f, ANEURALNETWORKS_MUL, 3, inputs, outputs[i]) == HY_OK;
    ok = ok && hy_app_model_identify(f.model, 1, &x, 2, outputs, &f.err) == HY_OK &&
         finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

static uint32_t asked_of_products(uint32_t abi)
{
    struct fake_device npu, cpu;
    struct hy_error err = {0};
    struct hy_app_model *model = products_model();

    if (!model)
        return UINT32_MAX;
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, 1, FAKE_ALL);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    npu.device.abi = abi;
    struct hy_compilation *compilation =
        compile(model, (struct fake_device *[]){&npu, &cpu}, 2, false, &err);
    EXPECT(compilation != NULL);
    hy_compilation_release(compilation);
    EXPECT_INT(cpu.last_asked_count, 2);
    return npu.last_asked_count;
}

TEST(wrong_scales, drivers_of_abi_1_0_are_not_asked_about_finer_products)
{
    EXPECT_INT(asked_of_products(HY_ABI(1, 0)), 1);
    EXPECT_INT(asked_of_products(HY_ABI(1, 1)), 2);
}
