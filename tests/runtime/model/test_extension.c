/* Extensions: names and prefixes, operand types that devices bring along, and operations that only
 * they can run. The table is the process's, so each test has names of its own. */
#include "runtime/compile/compile.h"
#include "runtime/drivers/device_list.h"
#include "runtime/extension/extension.h"
#include "runtime/extension/type_facts.h"
#include "runtime/handle/handle.h"
#include "test.h"
#include "tests/runtime/kit/plan_fixture.h"

#include <pthread.h>
#include <stdlib.h>

#define NO_ERROR ANEURALNETWORKS_NO_ERROR
#define BAD_DATA ANEURALNETWORKS_BAD_DATA

enum { PAIR = 1, KEY = 2, DOUBLE_IT = 3 }; /* codes within the extensions of these tests */

/* Operand types: a tensor of 8-byte elements, a scalar of 6 bytes. */
static const struct hy_extension_operand_type pair_and_key[] = {
    {.code = KEY, .is_tensor = 0, .byte_size = 6},
    {.code = PAIR, .is_tensor = 1, .byte_size = 8},
};

static int32_t code_of(const char *name, uint16_t code)
{
    uint32_t prefix;
    return hy_extension_prefix(name, &prefix, NULL) == HY_OK ? (int32_t)(prefix << 16 | code) : -1;
}

/* A device that offers one extension; `extension` must outlive it. */
static void offer(struct fake_device *fake, struct hy_extension *extension, const char *name)
{
    *extension =
        (struct hy_extension){.name = name, .operand_types = pair_and_key, .operand_type_count = 2};
    fake->device.info.extensions = extension;
    fake->device.info.extension_count = 1;
    fake->extension_operation = code_of(name, DOUBLE_IT);
    EXPECT_INT(hy_extensions_learn(&fake->device.info, NULL), HY_OK);
}

static void init(struct fake_device *fake, uint32_t operations)
{
    fake_device_init(fake, "acme-npu", HALYARD_DEVICE_IN_PROCESS, 1, operations);
}

/* ---- Names and prefixes ---------------------------------------------------------------------- */

TEST(runtime_extension, name_keeps_the_prefix_it_got_first)
{
    uint32_t first = 0, second = 0, again = 0;

    EXPECT_INT(hy_extension_prefix("com.acme.first", &first, NULL), HY_OK);
    EXPECT_INT(hy_extension_prefix("com.acme.a_second", &second, NULL), HY_OK);
    EXPECT_INT(hy_extension_prefix("com.acme.first", &again, NULL), HY_OK);
    EXPECT(first > 0 && first <= HY_EXTENSION_PREFIX_LAST);
    EXPECT(first != second);
    EXPECT_INT(again, first);
    EXPECT_STR(hy_extension_name(first), "com.acme.first");
    EXPECT_STR(hy_extension_name(second), "com.acme.a_second");
}

TEST(runtime_extension, own_extension_has_the_last_prefix)
{
    uint32_t prefix = 0;

    EXPECT_INT(hy_extension_prefix("org.halyard.operations", &prefix, NULL), HY_OK);
    EXPECT_INT(prefix, HY_EXTENSION_PREFIX_LAST);
    EXPECT_STR(hy_extension_name(HY_EXTENSION_PREFIX_LAST), "org.halyard.operations");
}

TEST(runtime_extension, prefix_that_was_never_given_has_no_name)
{
    EXPECT(hy_extension_name(0) == NULL);
    EXPECT(hy_extension_name(32000) == NULL);
    EXPECT(hy_extension_name(HY_EXTENSION_PREFIX_LAST + 1) == NULL);
    EXPECT(hy_extension_name(UINT32_MAX) == NULL);
}

static void *ask_for_names(void *argument)
{
    uint32_t *prefixes = argument;
    char name[32];

    for (uint32_t i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "com.acme.thread%u", i);
        if (hy_extension_prefix(name, &prefixes[i], NULL) != HY_OK)
            prefixes[i] = 0;
    }
    return NULL;
}

TEST(runtime_extension, threads_that_ask_at_once_get_the_same_prefixes)
{
    static uint32_t prefixes[4][100];
    pthread_t threads[4];

    for (uint32_t i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, ask_for_names, prefixes[i]) == 0);
    for (uint32_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t i = 1; i < 4; i++)
        EXPECT(memcmp(prefixes[0], prefixes[i], sizeof prefixes[0]) == 0);
    EXPECT(prefixes[0][0] != 0);
}

/* ---- What devices say ------------------------------------------------------------------------ */

TEST(runtime_extension, operand_types_are_those_that_a_device_describes)
{
    struct fake_device fake;
    struct hy_extension extension;
    struct hy_type_facts facts;

    init(&fake, 0);
    EXPECT(!hy_type_facts_find(code_of("com.acme.types", PAIR), &facts));
    offer(&fake, &extension, "com.acme.types");
    REQUIRE(hy_type_facts_find(code_of("com.acme.types", PAIR), &facts));
    EXPECT(!facts.is_scalar);
    EXPECT_INT(facts.element_bytes, 8);
    EXPECT_INT(facts.feature_level, 3);
    REQUIRE(hy_type_facts_find(code_of("com.acme.types", KEY), &facts));
    EXPECT(facts.is_scalar);
    EXPECT_INT(facts.element_bytes, 6);
    EXPECT(!hy_type_facts_find(code_of("com.acme.types", 7), &facts));
    EXPECT(!hy_type_facts_find(INT32_MIN, &facts));
    EXPECT(!hy_type_facts_find(-1, &facts));
}

TEST(runtime_extension, devices_that_agree_share_an_extension)
{
    const struct hy_extension_operand_type other_order[] = {pair_and_key[1], pair_and_key[0]};
    struct fake_device one, other;
    struct hy_extension first, second;

    init(&one, 0);
    init(&other, 0);
    offer(&one, &first, "com.acme.shared");
    offer(&other, &second, "com.acme.shared");
    second.operand_types = other_order;
    EXPECT_INT(hy_extensions_learn(&other.device.info, NULL), HY_OK);
    EXPECT(hy_extension_is_offered(hy_extension_prefix_of(code_of("com.acme.shared", 0)),
                                   &one.device.info));
}

TEST(runtime_extension, devices_that_contradict_each_other_disable_it)
{
    struct hy_extension_operand_type larger[] = {pair_and_key[0], pair_and_key[1]};
    struct fake_device one, other;
    struct hy_extension first, second;
    struct hy_type_facts facts;
    const int32_t type = code_of("com.acme.contested", PAIR);

    init(&one, 0);
    init(&other, 0);
    offer(&one, &first, "com.acme.contested");
    EXPECT(hy_type_facts_find(type, &facts));
    second = (struct hy_extension){
        .name = "com.acme.contested", .operand_types = larger, .operand_type_count = 2};
    larger[1].byte_size = 16;
    other.device.info.extensions = &second;
    other.device.info.extension_count = 1;
    EXPECT_INT(hy_extensions_learn(&other.device.info, NULL), HY_OK);
    EXPECT(!hy_type_facts_find(type, &facts));
    EXPECT(!hy_extension_is_offered(hy_extension_prefix_of(type), &one.device.info));
    EXPECT_INT(hy_extensions_learn(&one.device.info, NULL), HY_OK); /* once and for all */
    EXPECT(!hy_type_facts_find(type, &facts));
}

TEST(runtime_extension, malformed_name_of_a_device_is_not_listed)
{
    static const char *const names[] = {"nodots",     "Com.acme.x", "com.acme x",
                                        "com.acme-x", "",           NULL};
    struct fake_device fake;
    struct hy_extension extension = {.operand_types = pair_and_key, .operand_type_count = 2};
    struct hy_type_facts facts;

    init(&fake, 0);
    fake.device.info.extensions = &extension;
    fake.device.info.extension_count = 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        extension.name = names[i];
        EXPECT_INT(hy_extensions_learn(&fake.device.info, NULL), HY_OK);
        if (names[i])
            EXPECT(!hy_type_facts_find(code_of(names[i], PAIR), &facts));
    }
}

/* ---- Models ---------------------------------------------------------------------------------- */

TEST(runtime_extension, data_of_an_operand_is_copied_into_the_view)
{
    struct fake_device fake;
    struct hy_extension extension;
    struct fixture f = fixture_create();
    char text[] = "abc";

    init(&fake, 0);
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

/* y = DOUBLE_IT(RELU(x)), the second of the extension. */
static struct hy_app_model *double_model(const char *name)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), y = floats(&f, EXTENT);
    bool ok = relu(&f, x, a) == HY_OK && op(&f, code_of(name, DOUBLE_IT), 1, &a, y) == HY_OK &&
              identify(&f, x, y) == HY_OK && finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

TEST(runtime_extension, view_names_the_extensions_and_needs_level_3)
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

TEST(runtime_extension, model_runs_on_the_device_that_offers_it)
{
    struct fake_device fake;
    struct hy_extension extension;
    struct hy_error err;
    const float in[EXTENT] = {-1, 2, 3.5f, 0};
    float out[EXTENT] = {0};

    init(&fake, FAKE_ALL);
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

TEST(runtime_extension, other_devices_are_asked_about_the_rest_and_share_the_work)
{
    struct fake_device npu, cpu;
    struct hy_extension extension;
    struct hy_error err;
    const float in[EXTENT] = {-1, 2, 3.5f, 0};
    float out[EXTENT] = {0};

    init(&npu, 0);
    offer(&npu, &extension, "com.acme.split");
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    struct hy_compilation *compilation = compile(
        double_model("com.acme.split"), (struct fake_device *[]){&npu, &cpu}, 2, false, &err);
    REQUIRE(compilation != NULL);
    EXPECT_INT(npu.last_asked_count, 2);
    EXPECT_INT(cpu.last_asked_count, 1);
    EXPECT_INT(compilation->plan->step_count, 2);
    EXPECT_STR(hy_support_matrix_refusal(&compilation->plan->matrix, 1, 1),
               "extension operation com.acme.split#3");

    struct hy_execution *execution = execution_of(compilation, in, (float *[]){out});
    REQUIRE(execution != NULL);
    EXPECT_INT(compute(execution, &err), HY_OK);
    EXPECT(out[1] == 4 && out[2] == 7);
    EXPECT_INT(cpu.runs, 1);
    EXPECT_INT(npu.runs, 1);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(runtime_extension, operations_around_that_of_the_extension_stay_in_order)
{
    struct fake_device npu, cpu;
    struct hy_extension extension;
    struct hy_error err;
    const float in[EXTENT] = {-1, 2, 3.75f, 0};
    float out[EXTENT] = {0};
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), b = floats(&f, EXTENT);
    uint32_t y = floats(&f, EXTENT);

    init(&npu, 0);
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

TEST(runtime_extension, cpu_supports_what_is_not_of_the_extension)
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

TEST(runtime_extension, bodies_go_to_devices_that_know_their_extensions)
{
    struct fake_device cpu;
    struct hy_error err;
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
    EXPECT_CONTAINS(err.text, "extension operation com.nobody.body#0");
    EXPECT_INT(cpu.last_asked_count, 1); /* the RELU */
    fixture_free(&body);
}

TEST(runtime_extension, bodies_without_extensions_go_to_any_device)
{
    struct fake_device cpu;
    struct hy_error err;
    struct fixture body = fixture_relu();

    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    REQUIRE(finish(&body) == HY_OK);
    struct hy_app_model *model = branching_model(body.model, code_of("com.nobody.beside", 2));
    REQUIRE(model);
    EXPECT(compile(model, (struct fake_device *[]){&cpu}, 1, false, &err) == NULL);
    EXPECT_INT(cpu.last_asked_count, 1); /* the IF */
    EXPECT_CONTAINS(err.text, "no device supports it");
    fixture_free(&body);
}

TEST(runtime_extension, model_that_no_device_can_run_fails_in_words)
{
    struct fake_device cpu;
    struct hy_error err;

    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    EXPECT(compile(double_model("com.nobody.has"), (struct fake_device *[]){&cpu}, 1, false,
                   &err) == NULL);
    EXPECT_INT(err.code, HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "halyard-cpu: extension operation com.nobody.has#3");
}

TEST(runtime_extension, failed_run_has_no_cpu_to_go_to)
{
    struct fake_device npu, cpu;
    struct hy_extension extension;
    struct hy_error err;
    const float in[EXTENT] = {1};
    float out[EXTENT] = {0};

    init(&npu, FAKE_ALL);
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

TEST(runtime_extension, argument_has_the_bytes_that_the_device_says)
{
    struct fake_device fake;
    struct hy_extension extension;
    struct hy_execution *execution = NULL;
    struct hy_error err;
    uint8_t bytes[24] = {0};

    init(&fake, 0);
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

TEST(runtime_extension, attributes_of_a_compilation_reach_prepare)
{
    struct fake_device fake;
    struct hy_extension extension;
    uint8_t data = 42;

    init(&fake, FAKE_ALL);
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

/* ---- The end of all prefixes ----------------------------------------------------------------- */

/* The last one: afterwards there are no prefixes left in this process. */
TEST(runtime_extension, prefixes_run_out_with_bad_data)
{
    ANeuralNetworksModel *model = hy_model_handle(chain_model());
    enum hy_code code = HY_OK;
    uint32_t prefix = 0;
    char name[32];
    int32_t type;
    REQUIRE(model != NULL);

    for (uint32_t i = 0; code == HY_OK && i <= HY_EXTENSION_PREFIX_LAST; i++) {
        snprintf(name, sizeof name, "com.acme.many%u", i);
        code = hy_extension_prefix(name, &prefix, NULL);
    }
    EXPECT_INT(code, HY_BAD_DATA);
    EXPECT_INT(prefix, HY_EXTENSION_PREFIX_LAST - 1);
    EXPECT_INT(hy_extension_prefix("org.halyard.operations", &prefix, NULL), HY_OK);
    EXPECT_INT(ANeuralNetworksModel_getExtensionOperandType(model, "com.acme.late", 0, &type),
               BAD_DATA);
    EXPECT_INT(ANeuralNetworksModel_getExtensionOperandType(model, "com.acme.many0", 0, &type),
               NO_ERROR);
    ANeuralNetworksModel_free(model);
}
