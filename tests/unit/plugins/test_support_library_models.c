/* Models on their way into a support library: what it is asked, and what it may answer. */
#include "common/clock.h"
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/support_library_fixture.h"

#include <android/NeuralNetworks.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define TENSOR(...) \
    &(const struct hy_builder_type) \
    { \
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, __VA_ARGS__ \
    }

/* ADD of an input and a constant, then RELU. */
static void two_operations(struct hy_builder *builder, const float *values, uint32_t count)
{
    hy_builder_init(builder);
    const uint32_t inputs[3] = {
        hy_builder_input(builder, TENSOR(.rank = 1, .dims = {count})),
        hy_builder_pool_constant(builder, TENSOR(.rank = 1, .dims = {count}), values,
                                 count * sizeof *values),
        hy_builder_int(builder, 0),
    };
    const uint32_t sum = hy_builder_temporary(builder, TENSOR(.rank = 1, .dims = {count}));
    const uint32_t output = hy_builder_output(builder, TENSOR(.rank = 1));
    hy_builder_operation(builder, ANEURALNETWORKS_ADD, 3, inputs, 1, &sum);
    hy_builder_operation(builder, ANEURALNETWORKS_RELU, 1, &sum, 1, &output);
}

static bool open_fixture(struct sl_fixture *fixture)
{
    return sl_fixture_init(fixture) && sl_fixture_open(fixture, "{}") && fixture->table;
}

static int32_t prepare_and_finish(struct sl_fixture *fixture, struct hy_builder *builder)
{
    fixture->fake->log[0] = '\0';
    int32_t status = sl_fixture_prepare_model(fixture, hy_builder_model(builder));
    hy_builder_finish(builder);
    return status;
}

TEST(support_library_models, are_built_call_by_call)
{
    static const float values[] = {1, 2};
    struct sl_fixture fixture;
    struct hy_builder builder;
    REQUIRE(open_fixture(&fixture));
    two_operations(&builder, values, 2);
    EXPECT_INT(prepare_and_finish(&fixture, &builder), HY_STATUS_OK);
    EXPECT_STR(fixture.fake->log, "Model_create\n"
                                  "Model_addOperand m1 type 3 [2] 0 0\n"
                                  "Model_addOperand m1 type 3 [2] 0 0\n"
                                  "Model_setOperandValue m1 1 value 8\n"
                                  "Model_addOperand m1 type 1 [] 0 0\n"
                                  "Model_setOperandValue m1 2 value 4\n"
                                  "Model_addOperand m1 type 3 [2] 0 0\n"
                                  "Model_addOperand m1 type 3 [0] 0 0\n"
                                  "Model_addOperation m1 0 in 0,1,2 out 3\n"
                                  "Model_addOperation m1 19 in 3 out 4\n"
                                  "Model_identifyInputsAndOutputs m1 in 0 out 4\n"
                                  "Model_finish m1\n"
                                  "Compilation_createForDevices m1 1 fake-npu\n"
                                  "Compilation_setPreference c1 2\n"
                                  "Compilation_setPriority c1 110\n"
                                  "Compilation_finish c1\n");
    sl_fixture_finish(&fixture);
}

TEST(support_library_models, large_constants_stay_where_they_are)
{
    enum { COUNT = 64 };
    float *values = calloc(COUNT, sizeof *values);
    struct sl_fixture fixture;
    struct hy_builder builder;
    REQUIRE(open_fixture(&fixture) && values);
    two_operations(&builder, values, COUNT);
    struct hy_pool pool = builder.pools[0];
    builder.pools[0].address = values;
    fixture.fake->faulty_call = "Model_addOperand"; /* the one after the constant */
    fixture.fake->good_calls = 2;
    fixture.fake->result = ANEURALNETWORKS_OP_FAILED;
    EXPECT_INT(sl_fixture_prepare_model(&fixture, hy_builder_model(&builder)),
               HY_STATUS_GENERAL_FAILURE);
    EXPECT(fixture.fake->value == values);
    builder.pools[0] = pool;
    hy_builder_finish(&builder);
    free(values);
    sl_fixture_finish(&fixture);
}

/* The view goes away, but the library keeps the address of what it does not copy at once. */
TEST(support_library_models, large_copied_values_outlive_the_view)
{
    uint8_t values[160] = {7};
    struct sl_fixture fixture;
    struct hy_builder builder;
    REQUIRE(open_fixture(&fixture));
    hy_builder_init(&builder);
    const uint32_t inputs[3] = {
        hy_builder_input(&builder, TENSOR(.rank = 1, .dims = {40})),
        hy_builder_constant(&builder, TENSOR(.rank = 1, .dims = {40}), values, sizeof values),
        hy_builder_int(&builder, 0),
    };
    const uint32_t output = hy_builder_output(&builder, TENSOR(.rank = 1, .dims = {40}));
    hy_builder_operation(&builder, ANEURALNETWORKS_ADD, 3, inputs, 1, &output);
    builder.operands[2] = builder.operands[1]; /* so that the last value is the large one */
    EXPECT_INT(prepare_and_finish(&fixture, &builder), HY_STATUS_OK);
    EXPECT_INT(*(const uint8_t *)fixture.fake->value, 7);
    sl_fixture_finish(&fixture);
}

TEST(support_library_models, constants_behind_descriptors_become_memory_objects)
{
    static const uint32_t kinds[] = {HY_POOL_ASHMEM, HY_POOL_MMAP_FD, HY_POOL_HARDWARE_BUFFER_BLOB};
    static const float values[] = {1, 2};
    const int fd = memfd_create("constants", MFD_CLOEXEC);
    REQUIRE(fd >= 0 && ftruncate(fd, 8192) == 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct sl_fixture fixture;
        struct hy_builder builder;
        REQUIRE(open_fixture(&fixture));
        two_operations(&builder, values, 2);
        const struct hy_pool before = builder.pools[0];
        builder.pools[0] = (struct hy_pool){.kind = kinds[i],
                                            .protection = HY_PROTECT_READ,
                                            .fd = fd,
                                            .id = 5,
                                            .offset = 4096,
                                            .size = 4096};
        builder.operands[1].location.offset = 16;
        builder.operands[3] = builder.operands[1]; /* the same memory, once */
        fixture.fake->log[0] = '\0';
        EXPECT_INT(sl_fixture_prepare_model(&fixture, hy_builder_model(&builder)), HY_STATUS_OK);
        EXPECT_CONTAINS(fixture.fake->log, "Memory_createFromFd 4096 prot 1 at 4096\n"
                                           "Model_setOperandValueFromMemory m1 1 s1 16 8\n");
        EXPECT_CONTAINS(fixture.fake->log, "Model_setOperandValueFromMemory m1 3 s1 16 8\n");
        builder.pools[0] = before;
        hy_builder_finish(&builder);
        sl_fixture_finish(&fixture);
    }
    close(fd);
}

TEST(support_library_models, subgraphs_are_built_before_what_refers_to_them)
{
    struct sl_fixture fixture;
    struct hy_builder body, branch;
    REQUIRE(open_fixture(&fixture));
    sl_fixture_relu(&body);
    hy_builder_init(&branch);
    const uint32_t inputs[4] = {
        hy_builder_input(&branch,
                         &(const struct hy_builder_type){.type = 9, .rank = 1, .dims = {1}}),
        hy_builder_no_value(&branch, &(const struct hy_builder_type){.type = 15}),
        hy_builder_no_value(&branch, &(const struct hy_builder_type){.type = 15}),
        hy_builder_input(&branch, TENSOR(.rank = 2, .dims = {1, 4})),
    };
    const uint32_t output = hy_builder_output(&branch, TENSOR(.rank = 2, .dims = {1, 4}));
    hy_builder_operation(&branch, ANEURALNETWORKS_IF, 4, inputs, 1, &output);
    branch.operands[1].lifetime = branch.operands[2].lifetime = HY_LIFETIME_SUBGRAPH;
    struct hy_model model = *hy_builder_model(&branch);
    const struct hy_subgraph *const referenced[] = {hy_builder_model(&body)->main};
    model.referenced = referenced;
    model.referenced_count = 1;
    model.relaxed_float = 1;

    fixture.fake->log[0] = '\0';
    EXPECT_INT(sl_fixture_prepare_model(&fixture, &model), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log, "Model_finish m1\nModel_create\n");
    EXPECT_CONTAINS(fixture.fake->log, "Model_setOperandValueFromModel m2 1 m1\n");
    EXPECT_CONTAINS(fixture.fake->log, "Model_setOperandValueFromModel m2 2 m1\n");
    EXPECT_CONTAINS(fixture.fake->log, "Model_relaxComputationFloat32toFloat16 m2 1\n"
                                       "Model_finish m2\n");
    EXPECT(!strstr(fixture.fake->log, "Float16 m1"));

    /* A subgraph that refers to itself. */
    body.operands[0].lifetime = HY_LIFETIME_SUBGRAPH;
    void *first = fixture.prepared;
    EXPECT_INT(sl_fixture_prepare_model(&fixture, &model), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(fixture.message, "subgraphs nest deeper than 16 levels");
    branch.operands[2].location.offset = 1;
    body.operands[0].lifetime = HY_LIFETIME_INPUT;
    EXPECT_INT(sl_fixture_prepare_model(&fixture, &model), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(fixture.message, "subgraph 1 does not exist, there are 1");
    EXPECT(fixture.prepared == first);
    hy_builder_finish(&body);
    hy_builder_finish(&branch);
    sl_fixture_finish(&fixture);
}

TEST(support_library_models, operands_keep_their_extras)
{
    static const float scales[] = {.5f, .25f};
    static const uint8_t data[] = {42, 43};
    const struct hy_extension_prefix extensions[] = {{.name = "com.acme.fft", .prefix = 3}};
    struct sl_fixture fixture;
    struct hy_builder builder;
    REQUIRE(open_fixture(&fixture));
    hy_builder_init(&builder);
    const uint32_t input = hy_builder_input(
        &builder,
        &(const struct hy_builder_type){
            .type = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, .rank = 2, .dims = {2, 3}});
    hy_builder_channel_scales(&builder, input, 0, 2, scales);
    const uint32_t output = hy_builder_output(
        &builder, &(const struct hy_builder_type){.type = 3 << 16 | 9, .rank = 1, .dims = {6}});
    builder.operands[output].extension_data = data;
    builder.operands[output].extension_length = sizeof data;
    const uint32_t quantised = hy_builder_output(
        &builder, &(const struct hy_builder_type){
                      .type = 5, .scale = .5f, .zero_point = 128, .rank = 1, .dims = {6}});
    const uint32_t outputs[] = {output, quantised};
    hy_builder_operation(&builder, 3 << 16 | 4, 1, &input, 2, outputs);
    struct hy_model model = *hy_builder_model(&builder);
    model.extensions = extensions;
    model.extension_count = 1;

    fixture.fake->log[0] = '\0';
    EXPECT_INT(sl_fixture_prepare_model(&fixture, &model), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log,
                    "Model_setOperandSymmPerChannelQuantParams m1 0 dim 0 scales "
                    "2: 0.5 ...\n"
                    "Model_getExtensionOperandType m1 com.acme.fft 9\n"
                    "Model_addOperand m1 type 5046281 [6] 0 0\n"
                    "Model_setOperandExtensionData m1 1 2: 42 ...\n"
                    "Model_addOperand m1 type 5 [6] 0.5 128\n"
                    "Model_getExtensionOperationType m1 com.acme.fft 4\n"
                    "Model_addOperation m1 5046276 in 0 out 1,2\n");
    model.extension_count = 0;
    void *first = fixture.prepared;
    EXPECT_INT(sl_fixture_prepare_model(&fixture, &model), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(fixture.message, "operand 1: no extension has the prefix 3 of type 196617");
    EXPECT(fixture.prepared == first);
    hy_builder_finish(&builder);
    sl_fixture_finish(&fixture);
}

TEST(support_library_models, wrong_views_are_refused_and_leave_nothing)
{
    static const float values[] = {1, 2};
    struct sl_fixture fixture;
    struct hy_builder builder;
    REQUIRE(open_fixture(&fixture));
    two_operations(&builder, values, 2);
    struct hy_operand *constant = &builder.operands[1], *copied = &builder.operands[2];
    const struct hy_operand constant_before = *constant, copied_before = *copied;
    const struct hy_pool pool_before = builder.pools[0];

#define REFUSED(change, status, reason) \
    do { \
        struct hy_model model = *hy_builder_model(&builder); \
        change; \
        EXPECT_INT(sl_fixture_prepare_model(&fixture, &model), status); \
        EXPECT_CONTAINS(fixture.message, reason); \
        *constant = constant_before; \
        *copied = copied_before; \
        builder.pools[0] = pool_before; \
        EXPECT_INT(fixture.fake->live, 0); \
    } while (0)

    REFUSED(model.struct_size = 8, HY_STATUS_INVALID_ARGUMENT, "struct_size of the model is 8");
    REFUSED(constant->location.pool = 1, HY_STATUS_INVALID_ARGUMENT,
            "operand 1: the value lies in pool 1, there are 1");
    REFUSED(constant->location.offset = 1, HY_STATUS_INVALID_ARGUMENT,
            "operand 1: the value lies outside pool 0");
    REFUSED(constant->location.length = UINT64_MAX, HY_STATUS_INVALID_ARGUMENT, "outside pool 0");
    REFUSED(copied->location.offset = UINT64_MAX, HY_STATUS_INVALID_ARGUMENT,
            "operand 2: the value lies outside the values of the model");
    REFUSED(constant->lifetime = 7, HY_STATUS_INVALID_ARGUMENT, "operand 1: the lifetime is 7");
    REFUSED(constant->dims = NULL, HY_STATUS_INVALID_ARGUMENT, "operand 1: the rank is 1, but");
    REFUSED(builder.pools[0].kind = HY_POOL_HARDWARE_BUFFER, HY_STATUS_GENERAL_FAILURE,
            "operand 1: the value lies in memory of kind 5, which is not supported");
    REFUSED(fixture.prepare_options.struct_size = 8, HY_STATUS_INVALID_ARGUMENT,
            "struct_size of the options is 8");
    fixture.prepare_options.struct_size = sizeof fixture.prepare_options;
    REFUSED(fixture.prepare_options.priority = 3, HY_STATUS_INVALID_ARGUMENT, "priority 3");
#undef REFUSED
    hy_builder_finish(&builder);
    sl_fixture_finish(&fixture);
}

TEST(support_library_models, without_inputs_or_outputs_cannot_be_said)
{
    struct sl_fixture fixture;
    struct hy_builder builder;
    REQUIRE(open_fixture(&fixture));
    sl_fixture_relu(&builder);
    struct hy_model model = *hy_builder_model(&builder);
    struct hy_subgraph main = *model.main;
    main.input_count = 0;
    model.main = &main;
    EXPECT_INT(sl_fixture_prepare_model(&fixture, &model), HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(fixture.message, "0 inputs and 1 outputs, a support library needs one of each");
    hy_builder_finish(&builder);
    sl_fixture_finish(&fixture);
}

/* ---- Preparing ------------------------------------------------------------------------------- */

TEST(support_library_models, deadline_becomes_the_time_that_is_left)
{
    struct sl_fixture fixture;
    struct hy_builder builder;
    REQUIRE(open_fixture(&fixture));
    sl_fixture_relu(&builder);
    fixture.prepare_options.deadline = hy_clock_boot() + 60 * INT64_C(1000000000);
    fixture.prepare_options.preference = HY_PREFER_LOW_POWER;
    fixture.prepare_options.priority = HY_PRIORITY_LOW;
    EXPECT_INT(prepare_and_finish(&fixture, &builder), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log, "Compilation_setPreference c1 0\n"
                                       "Compilation_setPriority c1 90\n"
                                       "Compilation_setTimeout c1\n"
                                       "Compilation_finish c1\n");
    EXPECT(fixture.fake->timeout > UINT64_C(50000000000) &&
           fixture.fake->timeout <= UINT64_C(60000000000));

    void *first = fixture.prepared;
    sl_fixture_relu(&builder);
    fixture.prepare_options.deadline = 1;
    EXPECT_INT(prepare_and_finish(&fixture, &builder), HY_STATUS_MISSED_DEADLINE_PERSISTENT);
    EXPECT_CONTAINS(fixture.message, "the deadline has passed already");
    EXPECT(!strstr(fixture.fake->log, "Compilation_finish"));
    fixture.prepared = first;
    sl_fixture_finish(&fixture);
}

TEST(support_library_models, hints_go_by_name_from_level_8_on)
{
    static const uint8_t data[] = {9, 8, 7};
    const struct hy_hint hints[] = {{.token = 3 << 16 | 5, .length = 3, .data = data},
                                    {.token = 4 << 16 | 5, .length = 3, .data = data}};
    const struct hy_extension_prefix extensions[] = {{.name = "com.acme.fft", .prefix = 3}};
    for (int level = 5; level <= 8; level += 3) {
        struct sl_fixture fixture;
        struct hy_builder builder;
        REQUIRE(sl_fixture_init(&fixture));
        fixture.fake->level = level == 5 ? ANEURALNETWORKS_FEATURE_LEVEL_5 : 0;
        REQUIRE(sl_fixture_open(&fixture, "{}") && fixture.table);
        sl_fixture_relu(&builder);
        fixture.prepare_options.hints = hints;
        fixture.prepare_options.hint_count = 2;
        fixture.prepare_options.extensions = extensions;
        fixture.prepare_options.extension_count = 1;
        fixture.fake->faulty_call = "Compilation_addExtensionAttribute"; /* is ignored */
        fixture.fake->result = ANEURALNETWORKS_BAD_DATA;
        EXPECT_INT(prepare_and_finish(&fixture, &builder), HY_STATUS_OK);
        static const char call[] = "Compilation_addExtensionAttribute c1 com.acme.fft 5 3: 9\n";
        const char *found = strstr(fixture.fake->log, "addExtensionAttribute");
        EXPECT(level == 8 ? found && strstr(fixture.fake->log, call) &&
                                !strstr(found + 1, "addExtensionAttribute")
                          : !found);
        sl_fixture_finish(&fixture);
    }
}

TEST(support_library_models, cache_files_are_handed_on_when_they_are_the_ones_announced)
{
    static const int32_t model_files[] = {10, 11}, data_files[] = {12, 13};
    static const uint8_t token[HY_TOKEN_SIZE] = {99};
    static const struct {
        uint32_t models, data;
        bool with_token, is_offered;
    } cases[] = {
        {2, 1, true, true}, {2, 1, false, false}, {0, 0, true, false}, {2, 2, true, false}};
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    fixture.fake->faulty_call = "Compilation_setCachingFromFds"; /* never fails a prepare */
    fixture.fake->result = ANEURALNETWORKS_BAD_DATA;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_builder builder;
        sl_fixture_relu(&builder);
        fixture.prepare_options.model_cache = model_files;
        fixture.prepare_options.data_cache = data_files;
        fixture.prepare_options.model_cache_count = cases[i].models;
        fixture.prepare_options.data_cache_count = cases[i].data;
        fixture.prepare_options.token = cases[i].with_token ? token : NULL;
        EXPECT_INT(prepare_and_finish(&fixture, &builder), HY_STATUS_OK);
        EXPECT(!strstr(fixture.fake->log, "setCachingFromFds") == !cases[i].is_offered);
        EXPECT(!cases[i].is_offered ||
               strstr(fixture.fake->log, " 2: 10 ... 1: 12 ... token 99\n"));
        fixture.table->prepared_destroy(fixture.prepared);
        fixture.prepared = NULL;
    }
    sl_fixture_finish(&fixture);
}

TEST(support_library_models, every_failing_call_fails_prepare_and_leaves_nothing)
{
    static const char *const calls[] = {
        "Model_create",
        "Model_addOperand",
        "Model_setOperandValue",
        "Model_addOperation",
        "Model_identifyInputsAndOutputs",
        "Model_finish",
        "Compilation_createForDevices",
        "Compilation_setPreference",
        "Compilation_setPriority",
        "Compilation_finish",
    };
    static const float values[] = {1, 2};
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    fixture.fake->result = ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct hy_builder builder;
        char expected[128];
        two_operations(&builder, values, 2);
        fixture.fake->faulty_call = calls[i];
        EXPECT_INT(prepare_and_finish(&fixture, &builder), HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
        snprintf(expected, sizeof expected, "%s returned RESOURCE_EXHAUSTED_TRANSIENT (12)",
                 calls[i]);
        EXPECT_CONTAINS(fixture.message, expected);
        EXPECT(!fixture.prepared);
        EXPECT_INT(fixture.fake->live, 0);
    }
    sl_fixture_finish(&fixture);
}

TEST(support_library_models, success_that_makes_nothing_is_a_failure)
{
    static const char *const calls[] = {"Model_create", "Compilation_createForDevices"};
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    fixture.fake->makes_nothing = true;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct hy_builder builder;
        sl_fixture_relu(&builder);
        fixture.fake->faulty_call = calls[i];
        EXPECT_INT(prepare_and_finish(&fixture, &builder), HY_STATUS_GENERAL_FAILURE);
        EXPECT_CONTAINS(fixture.message, "returned NO_ERROR without an object");
        EXPECT_INT(fixture.fake->live, 0);
    }
    sl_fixture_finish(&fixture);
}

TEST(support_library_models, result_codes_become_statuses)
{
    static const struct {
        int result;
        int32_t status;
    } cases[] = {
        {ANEURALNETWORKS_OUT_OF_MEMORY, HY_STATUS_GENERAL_FAILURE},
        {ANEURALNETWORKS_INCOMPLETE, HY_STATUS_GENERAL_FAILURE},
        {ANEURALNETWORKS_UNEXPECTED_NULL, HY_STATUS_INVALID_ARGUMENT},
        {ANEURALNETWORKS_BAD_DATA, HY_STATUS_INVALID_ARGUMENT},
        {ANEURALNETWORKS_OP_FAILED, HY_STATUS_GENERAL_FAILURE},
        {ANEURALNETWORKS_BAD_STATE, HY_STATUS_GENERAL_FAILURE},
        {ANEURALNETWORKS_UNMAPPABLE, HY_STATUS_GENERAL_FAILURE},
        {ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE, HY_STATUS_GENERAL_FAILURE}, /* of prepare */
        {ANEURALNETWORKS_UNAVAILABLE_DEVICE, HY_STATUS_DEVICE_UNAVAILABLE},
        {ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT, HY_STATUS_MISSED_DEADLINE_TRANSIENT},
        {ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT, HY_STATUS_MISSED_DEADLINE_PERSISTENT},
        {ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT, HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT},
        {ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT, HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT},
        {ANEURALNETWORKS_DEAD_OBJECT, HY_STATUS_DEAD_OBJECT},
        {-1, HY_STATUS_GENERAL_FAILURE},
        {15, HY_STATUS_GENERAL_FAILURE},
    };
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    fixture.fake->faulty_call = "Compilation_finish";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_builder builder;
        sl_fixture_relu(&builder);
        fixture.fake->result = cases[i].result;
        EXPECT_INT(prepare_and_finish(&fixture, &builder), cases[i].status);
    }
    sl_fixture_finish(&fixture);
}

/* ---- Supported operations -------------------------------------------------------------------- */

struct refusals {
    uint32_t count;
    uint32_t operation; /* the latest */
    char reason[512];
};

static void record_refusal(void *context, uint32_t operation, const char *reason)
{
    struct refusals *refusals = context;
    refusals->count++;
    refusals->operation = operation;
    snprintf(refusals->reason, sizeof refusals->reason, "%s", reason);
}

static int32_t ask(struct sl_fixture *fixture, uint8_t *supported, struct refusals *refusals)
{
    static const float values[] = {1, 2};
    const struct hy_refusals sink = {
        .struct_size = sizeof sink, .context = refusals, .refuse = record_refusal};
    struct hy_builder builder;

    memset(refusals, 0, sizeof *refusals);
    memset(supported, 7, 2);
    two_operations(&builder, values, 2);
    int32_t status = fixture->table->supported_operations(
        fixture->device, hy_builder_model(&builder), supported, &sink);
    hy_builder_finish(&builder);
    EXPECT_INT(fixture->fake->live, 0);
    return status;
}

TEST(support_library_models, library_says_what_it_supports)
{
    struct sl_fixture fixture;
    struct refusals refusals;
    uint8_t supported[2];
    REQUIRE(open_fixture(&fixture));
    fixture.fake->supported[1] = 1;
    EXPECT_INT(ask(&fixture, supported, &refusals), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log,
                    "Model_getSupportedOperationsForDevices m1 1 fake-npu\nModel_free m1\n");
    EXPECT_INT(supported[0], 1);
    EXPECT_INT(supported[1], 0);
    EXPECT_INT(refusals.count, 1);
    EXPECT_INT(refusals.operation, 1);
    EXPECT_STR(refusals.reason, "the support library does not support the operation");
    sl_fixture_finish(&fixture);
}

TEST(support_library_models, model_that_the_library_does_not_take_is_not_supported)
{
    static const struct {
        const char *call, *reason;
        uint8_t flag;
    } cases[] = {
        {"Model_addOperation", "operation 0: Model_addOperation returned BAD_DATA (4)", 0},
        {"Model_finish", "Model_finish returned BAD_DATA (4)", 0},
        {"Model_getSupportedOperationsForDevices",
         "Model_getSupportedOperationsForDevices returned BAD_DATA (4)", 0},
        {NULL, "Model_getSupportedOperationsForDevices returned 200 for operation 1", 200},
    };
    struct sl_fixture fixture;
    struct refusals refusals;
    uint8_t supported[2];
    REQUIRE(open_fixture(&fixture));
    fixture.fake->result = ANEURALNETWORKS_BAD_DATA;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture.fake->faulty_call = cases[i].call;
        fixture.fake->supported[1] = cases[i].flag;
        EXPECT_INT(ask(&fixture, supported, &refusals), HY_STATUS_OK);
        EXPECT_INT(supported[0] + supported[1], 0);
        EXPECT_INT(refusals.count, 2);
        EXPECT_CONTAINS(refusals.reason, cases[i].reason);
    }
    sl_fixture_finish(&fixture);
}

TEST(support_library_models, device_that_is_away_is_an_error)
{
    struct sl_fixture fixture;
    struct refusals refusals;
    uint8_t supported[2];
    REQUIRE(open_fixture(&fixture));
    fixture.fake->faulty_call = "Model_getSupportedOperationsForDevices";
    fixture.fake->result = ANEURALNETWORKS_UNAVAILABLE_DEVICE;
    EXPECT_INT(ask(&fixture, supported, &refusals), HY_STATUS_DEVICE_UNAVAILABLE);
    EXPECT_INT(supported[0], 7);
    fixture.fake->result = ANEURALNETWORKS_DEAD_OBJECT;
    EXPECT_INT(ask(&fixture, supported, &refusals), HY_STATUS_DEAD_OBJECT);
    sl_fixture_finish(&fixture);
}
