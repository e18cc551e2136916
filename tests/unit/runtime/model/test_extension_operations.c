/* Operations of extensions: models that have them, and the devices that run them. Each test has an
 * extension of its own. */
#include "runtime/compile/compile.h"
#include "runtime/drivers/device_list.h"
#include "runtime/handle/handle.h"
#include "runtime/plan/cost/record.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/extension_fixture.h"

#define NO_ERROR ANEURALNETWORKS_NO_ERROR

/* ---- Models ---------------------------------------------------------------------------------- */

TEST(extension_operations, data_of_an_operand_is_copied_into_the_view)
{
    struct fake_device fake;
    struct hy_extension extension;
    struct fixture f = fixture_create();
    char text[] = "abc";

    init_npu(&fake, 0);
    offer(&fake, &extension, "com.acme.data");
    uint32_t x = floats(&f, 4), key = scalar(&f, code_of("com.acme.data", KEY)), y = floats(&f, 4);
    EXPECT_INT(hy_app_model_set_extension_data(f.model, key, text, 3, &f.err), HY_OK);
    EXPECT_INT(hy_app_model_set_extension_data(f.model, key, NULL, 0, &f.err), HY_OK);
    EXPECT_INT(hy_app_model_set_extension_data(f.model, key, text, 2, &f.err), HY_OK);
    text[0] = 'z';

    EXPECT_INT(set(&f, key, "secret", 6), HY_OK);
    EXPECT_INT(op(&f, code_of("com.acme.data", DOUBLE_IT), 2, (const uint32_t[]){x, key}, y),
               HY_OK);
    EXPECT_INT(identify(&f, x, y), HY_OK);
    REQUIRE(finish(&f) == HY_OK);
    const struct hy_operand *operand = &hy_app_model_view(f.model)->main->operands[key];
    EXPECT_INT(operand->extension_length, 2);
    EXPECT(memcmp(operand->extension_data, "ab", 2) == 0);
    fixture_free(&f);
}

TEST(extension_operations, view_names_the_extensions_and_needs_level_3)
{
    struct hy_app_model *model = double_model("com.acme.view");
    REQUIRE(model != NULL);

    const struct hy_model *view = hy_app_model_view(model);
    EXPECT_INT(view->feature_level, 3);
    REQUIRE(view->extension_count == 1);
    EXPECT_STR(view->extensions[0].name, "com.acme.view");
    EXPECT_INT(view->extensions[0].prefix, hy_extension_prefix_of(code_of("com.acme.view", 0)));
    hy_app_model_release(model);
}

/* ---- Compiling and running ------------------------------------------------------------------- */

TEST(extension_operations, model_runs_on_the_device_that_offers_it)
{
    struct fake_device fake;
    struct hy_extension extension;
    struct hy_error err = {0};
    const float in[EXTENT] = {-1, 2, 3.5f, 0};
    float out[EXTENT] = {0};

    init_npu(&fake, FAKE_ALL);
    offer(&fake, &extension, "com.acme.whole");
    struct hy_compilation *compilation =
        compile(double_model("com.acme.whole"), (struct fake_device *[]){&fake}, 1, true, &err);
    REQUIRE(compilation != NULL);
    struct hy_execution *execution = execution_of(compilation, in, (float *[]){out});
    REQUIRE(execution != NULL);
    EXPECT_INT(compute(execution, &err), HY_OK);
    EXPECT(out[0] == 0 && out[1] == 4 && out[2] == 7 && out[3] == 0);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(extension_operations, other_devices_are_asked_about_the_rest_and_share_the_work)
{
    struct fake_device npu, cpu;
    struct hy_extension extension;
    struct hy_error err = {0};
    const float in[EXTENT] = {-1, 2, 3.5f, 0};
    float out[EXTENT] = {0};

    init_npu(&npu, 0);
    offer(&npu, &extension, "com.acme.split");
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    struct hy_compilation *compilation = compile(
        double_model("com.acme.split"), (struct fake_device *[]){&npu, &cpu}, 2, false, &err);
    REQUIRE(compilation != NULL);
    EXPECT_INT(npu.last_asked_count, 2);
    EXPECT_INT(cpu.last_asked_count, 1);
    EXPECT_INT(compilation->plan->step_count, 2);
    EXPECT_STR(hy_support_matrix_refusal(&compilation->plan->support_matrix, 1, 1),
               "the device does not know com.acme.split#3");

    struct hy_execution *execution = execution_of(compilation, in, (float *[]){out});
    REQUIRE(execution != NULL);
    EXPECT_INT(compute(execution, &err), HY_OK);
    EXPECT(out[1] == 4 && out[2] == 7);
    EXPECT_INT(cpu.runs, 1);
    EXPECT_INT(npu.runs, 1);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(extension_operations, measured_time_predicts_the_next_plan)
{
    struct fake_device npu, cpu;
    struct hy_extension extension;
    struct hy_error err = {0};
    struct hy_profile profile = {0};
    struct fake_device *const devices[] = {&npu, &cpu};

    init_npu(&npu, 0);
    offer(&npu, &extension, "com.acme.measured");
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    struct hy_compilation *compilation =
        compile(double_model("com.acme.measured"), devices, 2, false, &err);
    REQUIRE(compilation != NULL);
    EXPECT_INT(hy_plan_record(compilation->plan, 1, 7000, &profile, &err), HY_OK);
    hy_compilation_release(compilation);

    npu.device.profile = &profile;
    compilation = compile(double_model("com.acme.measured"), devices, 2, false, &err);
    REQUIRE(compilation != NULL);
    EXPECT(hy_support_matrix_cost(&compilation->plan->support_matrix, 0, 1) == 7000);
    hy_compilation_release(compilation);
    hy_profile_finish(&profile);
}

TEST(extension_operations, operations_around_that_of_the_extension_stay_in_order)
{
    struct fake_device npu, cpu;
    struct hy_extension extension;
    struct hy_error err = {0};
    const float in[EXTENT] = {-1, 2, 3.75f, 0};
    float out[EXTENT] = {0};
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), b = floats(&f, EXTENT);
    uint32_t y = floats(&f, EXTENT);

    init_npu(&npu, 0);
    offer(&npu, &extension, "com.acme.middle");
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    REQUIRE(op(&f, ANEURALNETWORKS_FLOOR, 1, &b, y) == HY_OK); /* not in the order of the run */
    REQUIRE(op(&f, npu.extension_operation, 1, &a, b) == HY_OK);
    REQUIRE(relu(&f, x, a) == HY_OK && identify(&f, x, y) == HY_OK && finish(&f) == HY_OK);
    struct hy_compilation *compilation =
        compile(f.model, (struct fake_device *[]){&npu, &cpu}, 2, false, &err);
    REQUIRE(compilation != NULL);
    EXPECT_INT(cpu.last_asked_count, 2);
    EXPECT_INT(compilation->plan->step_count, 3);
    struct hy_execution *execution = execution_of(compilation, in, (float *[]){out});
    REQUIRE(execution != NULL);
    EXPECT_INT(compute(execution, &err), HY_OK);
    EXPECT(out[0] == 0 && out[1] == 4 && out[2] == 7);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

/* y = THIRD(SECOND(x)); the operand between them is of the type. */
static struct hy_app_model *pair_model(int32_t second, int32_t third, int32_t type)
{
    struct fixture f = fixture_create();
    const uint32_t extent = EXTENT;
    uint32_t x = floats(&f, EXTENT), a = tensor(&f, type, 1, &extent, 0), y = floats(&f, EXTENT);

    if (op(&f, second, 1, &x, a) != HY_OK || op(&f, third, 1, &a, y) != HY_OK ||
        identify(&f, x, y) != HY_OK || finish(&f) != HY_OK)
        fixture_free(&f);
    return f.model;
}

TEST(extension_operations, each_device_gets_the_operations_that_it_supports)
{
    const char *name = "com.acme.parts";
    const int32_t second = code_of(name, 2), third = code_of(name, 3);
    struct fake_device one, other;
    struct hy_extension first_part, second_part;
    struct hy_error err = {0};
    const float in[EXTENT] = {-1, 2, 3.5f, 0};
    float out[EXTENT] = {0};

    init_npu(&one, 0);
    init_npu(&other, 0);
    offer_one(&one, &first_part, name, pair_and_key, 2);
    offer_one(&other, &second_part, name, pair_and_key, 3);
    one.reason = "not wired";
    struct hy_compilation *compilation =
        compile(pair_model(second, third, ANEURALNETWORKS_TENSOR_FLOAT32),
                (struct fake_device *[]){&one, &other}, 2, false, &err);
    REQUIRE(compilation != NULL);
    EXPECT_INT(one.last_asked_count, 2);
    EXPECT_INT(other.last_asked_count, 2);
    EXPECT_INT(compilation->plan->step_count, 2);
    EXPECT_STR(hy_support_matrix_refusal(&compilation->plan->support_matrix, 0, 1), "not wired");
    struct hy_execution *execution = execution_of(compilation, in, (float *[]){out});
    REQUIRE(execution != NULL);
    EXPECT_INT(compute(execution, &err), HY_OK);
    EXPECT(out[0] == -4 && out[1] == 8 && out[2] == 14);
    EXPECT_INT(one.runs, 1);
    EXPECT_INT(other.runs, 1);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(extension_operations, device_is_asked_about_operand_types_that_it_lists)
{
    const char *name = "com.acme.listed";
    struct fake_device with_pairs, with_keys;
    struct hy_extension pairs, keys;
    struct hy_error err = {0};

    init_npu(&with_pairs, 0);
    init_npu(&with_keys, 0);
    offer_one(&with_pairs, &pairs, name, &pair_and_key[1], DOUBLE_IT);
    offer_one(&with_keys, &keys, name, &pair_and_key[0], DOUBLE_IT);
    struct hy_app_model *model =
        pair_model(code_of(name, DOUBLE_IT), code_of(name, DOUBLE_IT), code_of(name, PAIR));
    REQUIRE(model);
    struct hy_compilation *compilation =
        compile(model, (struct fake_device *[]){&with_keys, &with_pairs}, 2, false, &err);
    REQUIRE(compilation != NULL);
    EXPECT_INT(with_keys.last_asked_count, 0);
    EXPECT_INT(with_pairs.last_asked_count, 2);
    EXPECT_STR(hy_support_matrix_refusal(&compilation->plan->support_matrix, 0, 0),
               "the device does not know com.acme.listed#1");
    hy_compilation_release(compilation);
}

TEST(extension_operations, cpu_supports_what_is_not_of_the_extension)
{
    const ANeuralNetworksDevice *cpu = hy_device_handle(hy_devices()->cpu);
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), y = floats(&f, EXTENT);
    bool supported[2] = {true, false};
    REQUIRE(op(&f, code_of("com.nobody.beside", 1), 1, &a, y) == HY_OK);
    REQUIRE(add_op(&f, x, x, constant(&f, 0), a) == HY_OK);
    REQUIRE(identify(&f, x, y) == HY_OK && finish(&f) == HY_OK);

    EXPECT_INT(ANeuralNetworksModel_getSupportedOperationsForDevices(hy_model_handle(f.model), &cpu,
                                                                     1, supported),
               NO_ERROR);
    EXPECT(!supported[0]);
    EXPECT(supported[1]);
    fixture_free(&f);
}

/* y = operation(IF(condition, body, body, x)); the body is finished. */
static struct hy_app_model *branching_model(struct hy_app_model *body, int32_t operation)
{
    const uint32_t one = 1;
    struct fixture f = fixture_create();
    uint32_t condition = tensor(&f, ANEURALNETWORKS_TENSOR_BOOL8, 1, &one, 0);
    uint32_t then = scalar(&f, ANEURALNETWORKS_MODEL), other = scalar(&f, ANEURALNETWORKS_MODEL);
    uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), y = floats(&f, EXTENT);
    const uint32_t inputs[] = {condition, x}, branch[] = {condition, then, other, x};
    const bool ok =
        hy_app_model_set_value_from_model(f.model, then, body, NULL) == HY_OK &&
        hy_app_model_set_value_from_model(f.model, other, body, NULL) == HY_OK &&
        op(&f, ANEURALNETWORKS_IF, 4, branch, a) == HY_OK && op(&f, operation, 1, &a, y) == HY_OK &&
        hy_app_model_identify(f.model, 2, inputs, 1, &y, NULL) == HY_OK && finish(&f) == HY_OK;

    if (!ok)
        fixture_free(&f);
    return f.model;
}

TEST(extension_operations, bodies_go_to_devices_that_know_their_extensions)
{
    struct fake_device cpu;
    struct hy_error err = {0};
    struct fixture body = fixture_create();
    uint32_t x = floats(&body, EXTENT), y = floats(&body, EXTENT);

    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    REQUIRE(op(&body, code_of("com.nobody.body", 0), 1, &x, y) == HY_OK);
    REQUIRE(identify(&body, x, y) == HY_OK && finish(&body) == HY_OK);
    struct hy_app_model *model = branching_model(body.model, ANEURALNETWORKS_RELU);
    REQUIRE(model);
    EXPECT_INT(hy_app_model_view(model)->feature_level, 4);
    EXPECT(compile(model, (struct fake_device *[]){&cpu}, 1, false, &err) == NULL);
    EXPECT_INT(err.code, HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "operation 0 IF");
    EXPECT_CONTAINS(err.text, "the device does not know com.nobody.body#0");
    EXPECT_INT(cpu.last_asked_count, 1); /* the RELU */
    fixture_free(&body);
}

TEST(extension_operations, bodies_without_extensions_go_to_any_device)
{
    struct fake_device cpu;
    struct hy_error err = {0};
    struct fixture body = fixture_relu();

    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    REQUIRE(finish(&body) == HY_OK);
    struct hy_app_model *model = branching_model(body.model, code_of("com.nobody.beside", 2));
    REQUIRE(model);
    EXPECT(compile(model, (struct fake_device *[]){&cpu}, 1, false, &err) == NULL);
    EXPECT_INT(cpu.last_asked_count, 1); /* the IF */
    EXPECT_CONTAINS(err.text, "no device supports the operation");
    fixture_free(&body);
}

TEST(extension_operations, model_that_no_device_can_run_fails_in_words)
{
    struct fake_device cpu;
    struct hy_error err = {0};

    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    EXPECT(compile(double_model("com.nobody.has"), (struct fake_device *[]){&cpu}, 1, false,
                   &err) == NULL);
    EXPECT_INT(err.code, HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "halyard-cpu: the device does not know com.nobody.has#3");
}

TEST(extension_operations, failed_run_has_no_cpu_to_go_to)
{
    struct fake_device npu, cpu;
    struct hy_extension extension;
    struct hy_error err = {0};
    const float in[EXTENT] = {1};
    float out[EXTENT] = {0};

    init_npu(&npu, FAKE_ALL);
    offer(&npu, &extension, "com.acme.failing");
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 2, FAKE_ALL);
    struct hy_compilation *compilation = compile(
        double_model("com.acme.failing"), (struct fake_device *[]){&npu, &cpu}, 2, false, &err);
    REQUIRE(compilation != NULL);
    EXPECT_INT(compilation->plan->step_count, 1);
    npu.execute_status = HY_STATUS_DEVICE_UNAVAILABLE;
    struct hy_execution *execution = execution_of(compilation, in, (float *[]){out});
    REQUIRE(execution != NULL);
    EXPECT_INT(compute(execution, &err), HY_UNAVAILABLE);
    EXPECT_INT(cpu.runs, 0);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(extension_operations, argument_has_the_bytes_that_the_device_says)
{
    struct fake_device fake;
    struct hy_extension extension;
    struct hy_execution *execution = NULL;
    struct hy_error err = {0};
    uint8_t bytes[24] = {0};

    init_npu(&fake, 0);
    offer(&fake, &extension, "com.acme.arguments");
    struct fixture f = fixture_create();
    const uint32_t extent = 3;
    uint32_t x = tensor(&f, code_of("com.acme.arguments", PAIR), 1, &extent, 0);
    uint32_t y = scalar(&f, code_of("com.acme.arguments", KEY));
    REQUIRE(op(&f, code_of("com.acme.arguments", DOUBLE_IT), 1, &x, y) == HY_OK);
    REQUIRE(identify(&f, x, y) == HY_OK && finish(&f) == HY_OK);
    struct hy_compilation *compilation =
        compile(f.model, (struct fake_device *[]){&fake}, 1, true, &err);
    REQUIRE(compilation != NULL);
    REQUIRE(hy_execution_create(compilation, &execution, &err) == HY_OK);

    struct hy_argument_source source = {.buffer = bytes, .length = 12};
    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &source, &err), HY_BAD_DATA);
    source.length = 24;
    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &source, &err), HY_OK);
    EXPECT_INT(hy_execution_set(execution, true, 0, NULL, &source, &err), HY_BAD_DATA);
    source.length = 6;
    EXPECT_INT(hy_execution_set(execution, true, 0, NULL, &source, &err), HY_OK);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static int attribute(struct hy_compilation *compilation, const char *name, uint16_t code,
                     const void *data, size_t length)
{
    return ANeuralNetworksCompilation_addExtensionAttribute(hy_compilation_handle(compilation),
                                                            name, code, data, length);
}

TEST(extension_operations, attributes_of_a_compilation_reach_prepare)
{
    struct fake_device fake;
    struct hy_extension extension;
    uint8_t data = 42;

    init_npu(&fake, FAKE_ALL);
    offer(&fake, &extension, "com.acme.hints");
    struct hy_compilation *compilation =
        compile_start(chain_model(), (struct fake_device *[]){&fake}, 1, true);
    REQUIRE(compilation != NULL);
    EXPECT_INT(attribute(compilation, "com.acme.hints", 1, NULL, 0), NO_ERROR);
    EXPECT_INT(attribute(compilation, "com.acme.hints", 2, &data, 1), NO_ERROR);
    EXPECT_INT(attribute(compilation, "com.acme.others", 2, &data, 1), NO_ERROR);
    data = 0;
    EXPECT_INT(hy_compilation_finish(compilation, NULL), HY_OK);
    EXPECT_INT(fake.last_hint_count, 3);
    EXPECT_INT(fake.last_hint_token, code_of("com.acme.others", 2));
    EXPECT_INT(fake.last_hint_byte, 42);
    EXPECT_INT(fake.last_prefix_count, 2);
    hy_compilation_release(compilation);
}
