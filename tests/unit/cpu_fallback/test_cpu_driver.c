#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/* The driver's table: facts, refusals, requests that are wrong, deadlines, times. */

enum { FAST, REFERENCE };

/* output = input + input, float32 of `rank` extents. */
static void build_double(struct hy_builder *builder, uint32_t rank, uint32_t a, uint32_t b)
{
    const struct hy_builder_type type = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, rank, {a, b}};

    hy_builder_init(builder);
    uint32_t in = hy_builder_input(builder, &type);
    uint32_t inputs[] = {in, in, hy_builder_int(builder, 0)};
    uint32_t out = hy_builder_output(builder, &type);
    hy_builder_operation(builder, HY_OP_ADD, 3, inputs, 1, &out);
}

/* A fast device with the model above prepared. */
static void open_double(struct hy_runner *runner, uint32_t rank, uint32_t a, uint32_t b)
{
    struct hy_builder builder;

    build_double(&builder, rank, a, b);
    EXPECT_INT(hy_runner_open(runner, hy_cpu_driver(), FAST), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(runner, hy_builder_model(&builder)), HY_STATUS_OK);
    hy_builder_finish(&builder);
}

TEST(cpu_driver, describes_its_two_devices)
{
    const char *names[] = {"halyard-cpu", "nnapi-reference"};

    for (uint32_t i = 0; i < 2; i++) {
        struct hy_runner runner;
        struct hy_device_info info = {.struct_size = sizeof info};
        struct hy_capabilities capabilities = {.struct_size = sizeof capabilities};
        REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), i) == HY_STATUS_OK);
        EXPECT_INT(runner.driver->device_count(runner.instance), 2);
        EXPECT_INT(runner.table->describe(runner.device, &info), HY_STATUS_OK);
        EXPECT_STR(info.name, names[i]);
        EXPECT_INT(info.type, HY_DEVICE_CPU);
        EXPECT_INT(info.feature_level, 8);
        EXPECT(info.version[0] != '\0');
        EXPECT_INT(runner.table->capabilities(runner.device, &capabilities), HY_STATUS_OK);
        EXPECT((capabilities.operands[0].performance.exec_time > 1) == (i == REFERENCE));
        for (uint32_t k = 1; k < capabilities.operand_count; k++)
            EXPECT(capabilities.operands[k].type > capabilities.operands[k - 1].type);
        hy_runner_close(&runner);
    }
}

TEST(cpu_driver, refuses_a_host_of_another_version)
{
    struct hy_host host = *hy_test_host();
    char text[128] = "";
    struct hy_message message = {text, sizeof text};
    void *instance;

    host.abi = HY_ABI(0, 99);
    EXPECT_INT(hy_cpu_driver()->create(&host, "{}", &message, &instance),
               HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(text, "ABI");
}

struct refusals {
    uint32_t count;
    char last[256];
};

static void note_refusal(void *context, uint32_t operation, const char *reason)
{
    struct refusals *refusals = context;

    (void)operation;
    refusals->count++;
    snprintf(refusals->last, sizeof refusals->last, "%s", reason);
}

/* Asks about a model of one operation; the reason goes to `refusals`. */
static uint8_t ask(struct hy_builder *builder, struct refusals *refusals)
{
    const struct hy_refusals sink = {
        .struct_size = sizeof sink, .context = refusals, .refuse = note_refusal};
    struct hy_runner runner;
    uint8_t supported = 2;

    *refusals = (struct refusals){0};
    EXPECT_INT(hy_runner_open(&runner, hy_cpu_driver(), FAST), HY_STATUS_OK);
    EXPECT_INT(runner.table->supported_operations(runner.device, hy_builder_model(builder),
                                                  &supported, &sink),
               HY_STATUS_OK);
    hy_runner_close(&runner);
    hy_builder_finish(builder);
    return supported;
}

TEST(cpu_driver, says_what_it_supports_and_why_not)
{
    const struct hy_builder_type type = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {2, 3}};
    struct hy_builder builder;
    struct refusals refusals;

    build_double(&builder, 2, 2, 3);
    EXPECT_INT(ask(&builder, &refusals), 1);
    EXPECT_INT(refusals.count, 0);

    hy_builder_init(&builder); /* an operation of an extension */
    uint32_t in = hy_builder_input(&builder, &type), out = hy_builder_output(&builder, &type);
    hy_builder_operation(&builder, 0x10001, 1, &in, 1, &out);
    EXPECT_INT(ask(&builder, &refusals), 0);
    EXPECT_CONTAINS(refusals.last, "no kernel");

    build_double(&builder, 2, 2, 3); /* operands that ADD does not take */
    builder.operands[builder.outputs[0]].type = ANEURALNETWORKS_TENSOR_INT32;
    EXPECT_INT(ask(&builder, &refusals), 0);
    EXPECT_CONTAINS(refusals.last, "TENSOR_INT32");

    build_double(&builder, 2, 2, 3); /* a shape that ADD does not give */
    const uint32_t wrong[] = {2, 4};
    builder.operands[builder.outputs[0]].dims = wrong;
    EXPECT_INT(ask(&builder, &refusals), 0);
    EXPECT_CONTAINS(refusals.last, "operation 0 ADD: output 0");
}

TEST(cpu_driver, what_is_refused_does_not_prepare_and_says_why)
{
    struct hy_builder builder;
    struct hy_runner runner;
    const uint32_t wrong[] = {2, 4};

    build_double(&builder, 2, 2, 3);
    builder.operands[builder.outputs[0]].dims = wrong;
    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), FAST) == HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(runner.message, "declared as [2, 4], but has shape [2, 3]");
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}

TEST(cpu_driver, model_in_which_its_prefix_is_another_extension_is_refused)
{
    const struct hy_extension_prefix extension = {"com.acme.late", HY_OPERATIONS_PREFIX, 0};
    struct hy_builder builder;
    struct hy_runner runner;

    build_double(&builder, 2, 2, 3);
    struct hy_model model = *hy_builder_model(&builder);
    model.extensions = &extension;
    model.extension_count = 1;
    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), FAST) == HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, &model), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(runner.message, "extension com.acme.late has the prefix 32767 of "
                                    "org.halyard.operations");
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}

TEST(cpu_driver, network_gives_the_same_on_both_devices)
{
    float in[2 * HY_SAMPLE_PIXELS], out[2][2 * HY_SAMPLE_CLASSES] = {{0}};

    hy_sample_numbers(1, 2 * HY_SAMPLE_PIXELS, in);
    for (uint32_t i = 0; i < 2; i++) {
        struct hy_builder builder;
        struct hy_runner runner;
        hy_builder_init(&builder);
        hy_sample_network(&builder, 2);
        REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), i) == HY_STATUS_OK);
        EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_OK);
        hy_runner_input(&runner, in, sizeof in, 0, NULL);
        hy_runner_output(&runner, out[i], sizeof out[i], 0, NULL);
        EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
        EXPECT_STR(runner.message, "");
        hy_runner_close(&runner);
        hy_builder_finish(&builder);
    }
    float sum = 0;
    for (uint32_t i = 0; i < 2 * HY_SAMPLE_CLASSES; i++) {
        float difference = out[0][i] - out[1][i];
        EXPECT(difference < 1e-5f && difference > -1e-5f);
        sum += out[0][i];
    }
    EXPECT(sum > 1.9999f && sum < 2.0001f);
}

TEST(cpu_driver, too_small_an_output_tells_its_true_shape)
{
    float in[6] = {1, 2, 3, 4, 5, 6}, out[6] = {0};
    const uint32_t dims[] = {2, 3}, open[] = {0, 0};
    struct hy_runner runner;

    for (uint32_t known = 0; known < 2; known++) {
        open_double(&runner, 2, known ? 2 : 0, known ? 3 : 0);
        hy_runner_input(&runner, in, sizeof in, 2, dims);
        hy_runner_output(&runner, out, sizeof in - 4, 2, open);
        EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OUTPUT_INSUFFICIENT_SIZE);
        EXPECT_INT(runner.shapes[0].sufficient, 0);
        EXPECT_INT(runner.shapes[0].rank, 2);
        EXPECT_INT(runner.shapes[0].dims[0], 2);
        EXPECT_INT(runner.shapes[0].dims[1], 3);
        EXPECT(out[0] == 0);

        hy_runner_clear(&runner);
        hy_runner_input(&runner, in, sizeof in, 2, dims);
        hy_runner_output(&runner, out, sizeof out, 2, open);
        EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
        EXPECT_INT(runner.shapes[0].sufficient, 1);
        EXPECT(out[5] == 12);
        memset(out, 0, sizeof out);
        hy_runner_close(&runner);
    }
}

TEST(cpu_driver, memory_between_two_elements_will_do)
{
    const float in[6] = {1, 2, 3, 4, 5, 6};
    uint8_t in_bytes[sizeof in + 1], out_bytes[sizeof in + 1];
    struct hy_runner runner;
    float last;

    memcpy(in_bytes + 1, in, sizeof in);
    open_double(&runner, 2, 2, 3);
    hy_runner_input(&runner, in_bytes + 1, sizeof in, 0, NULL);
    hy_runner_output(&runner, out_bytes + 1, sizeof in, 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    memcpy(&last, out_bytes + 1 + 5 * sizeof last, sizeof last);
    EXPECT(last == 12);
    hy_runner_close(&runner);
}

/* One way to spoil a good request, and what the message must contain. */
struct corruption_case {
    const char *expected;
    int32_t status;
    void (*corrupt)(struct hy_runner *runner);
};

static void set_rank(struct hy_runner *runner)
{
    static const uint32_t dims[] = {6};

    runner->arguments[0].rank = 1;
    runner->arguments[0].dims = dims;
}

static void set_huge_rank(struct hy_runner *runner)
{
    set_rank(runner);
    runner->arguments[0].rank = 4000000000u;
}

static void set_extent(struct hy_runner *runner)
{
    static const uint32_t dims[] = {2, 4};

    runner->arguments[0].rank = 2;
    runner->arguments[0].dims = dims;
}

static void set_count(struct hy_runner *runner)
{
    runner->input_count = 2;
}

static void set_length(struct hy_runner *runner)
{
    runner->arguments[0].location.length = 20;
}

static void set_pool(struct hy_runner *runner)
{
    runner->arguments[0].location.pool = 999;
}

static void set_offset(struct hy_runner *runner)
{
    runner->arguments[0].location.offset = UINT64_MAX - 4;
}

static void set_padding(struct hy_runner *runner)
{
    runner->arguments[0].location.padding = 64;
}

static void set_protection(struct hy_runner *runner)
{
    runner->pools[HY_RUNNER_ARGUMENTS].protection = HY_PROTECT_READ;
}

static void set_buffer(struct hy_runner *runner)
{
    runner->pools[0].kind = HY_POOL_BUFFER;
}

static void set_image(struct hy_runner *runner)
{
    runner->pools[0].kind = HY_POOL_HARDWARE_BUFFER;
}

static void set_no_value(struct hy_runner *runner)
{
    runner->arguments[0].flags = HY_ARGUMENT_NO_VALUE;
}

static void set_flags(struct hy_runner *runner)
{
    runner->arguments[0].flags = 128;
}

TEST(cpu_driver, wrong_requests_are_refused_with_the_numbers)
{
    const struct corruption_case corruption_cases[] = {
        {"input 0: the shape is [6], the model says [2, 3]", HY_STATUS_INVALID_ARGUMENT, set_rank},
        {"input 0: rank 4000000000", HY_STATUS_INVALID_ARGUMENT, set_huge_rank},
        {"input 0: the shape is [2, 4]", HY_STATUS_INVALID_ARGUMENT, set_extent},
        {"", HY_STATUS_INVALID_ARGUMENT, set_count},
        {"input 0: 20 bytes are too few for shape [2, 3]", HY_STATUS_INVALID_ARGUMENT, set_length},
        {"input 0: pool 999 does not exist, there are 128", HY_STATUS_INVALID_ARGUMENT, set_pool},
        {"input 0: offset 18446744073709551611", HY_STATUS_INVALID_ARGUMENT, set_offset},
        {"do not fit pool 0 of 24 bytes", HY_STATUS_INVALID_ARGUMENT, set_padding},
        {"pool 64 may be mapped for 1", HY_STATUS_INVALID_ARGUMENT, set_protection},
        {"does not exist on the device", HY_STATUS_INVALID_ARGUMENT, set_buffer},
        {"an image", HY_STATUS_GENERAL_FAILURE, set_image},
        {"operation 0 ADD: input 0 is left out", HY_STATUS_GENERAL_FAILURE, set_no_value},
        {"unknown flags 0x80", HY_STATUS_INVALID_ARGUMENT, set_flags},
    };
    float in[6] = {0}, out[6] = {0};
    struct hy_runner runner;

    open_double(&runner, 2, 2, 3);
    for (size_t i = 0; i < sizeof corruption_cases / sizeof *corruption_cases; i++) {
        hy_runner_clear(&runner);
        hy_runner_input(&runner, in, sizeof in, 0, NULL);
        hy_runner_output(&runner, out, sizeof out, 0, NULL);
        EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
        corruption_cases[i].corrupt(&runner);
        EXPECT_INT(hy_runner_execute(&runner), corruption_cases[i].status);
        EXPECT_CONTAINS(runner.message, corruption_cases[i].expected);
    }
    hy_runner_close(&runner);
}

static uint32_t mapped_to_be_written; /* HY_PROTECT_* of the calls that ask for writing */

static int32_t map_and_note(void *context, const struct hy_pool *pool, uint32_t protection,
                            void **address)
{
    if (protection & HY_PROTECT_WRITE)
        mapped_to_be_written |= protection;
    return hy_test_host()->map(context, pool, protection, address);
}

/* first = input + input, second = first + first. */
static void build_chain(struct hy_builder *builder)
{
    const struct hy_builder_type type = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {3}};

    hy_builder_init(builder);
    const uint32_t in = hy_builder_input(builder, &type), none = hy_builder_int(builder, 0);
    const uint32_t first = hy_builder_output(builder, &type);
    const uint32_t second = hy_builder_output(builder, &type);
    const uint32_t add[] = {in, in, none}, again[] = {first, first, none};
    hy_builder_operation(builder, HY_OP_ADD, 3, add, 1, &first);
    hy_builder_operation(builder, HY_OP_ADD, 3, again, 1, &second);
}

static void expect_chain(uint32_t device, uint32_t protection)
{
    static const float in[] = {1, 2, 3};
    float outputs[2][3] = {{0}};
    struct hy_host host = *hy_test_host();
    struct hy_builder builder;
    struct hy_runner runner;
    void *reusable = NULL;

    host.map = map_and_note;
    mapped_to_be_written = 0;
    build_chain(&builder);
    REQUIRE(hy_runner_open_on(&runner, &host, hy_cpu_driver(), device) == HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_OK);
    hy_runner_input(&runner, in, sizeof in, 0, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        hy_runner_output(&runner, outputs[i], sizeof outputs[i], 0, NULL);
        runner.pools[HY_RUNNER_ARGUMENTS + i].protection = protection;
    }
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    EXPECT(outputs[0][2] == 6 && outputs[1][2] == 12);
    memset(outputs, 0, sizeof outputs);
    REQUIRE(hy_runner_reuse(&runner, &reusable) == HY_STATUS_OK);
    EXPECT_INT(hy_runner_execute_reused(&runner, reusable), HY_STATUS_OK);
    EXPECT(outputs[0][2] == 6 && outputs[1][2] == 12);
    EXPECT_INT(mapped_to_be_written, protection);
    runner.table->reusable_destroy(reusable);
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}

TEST(cpu_driver, outputs_are_mapped_for_reading_where_their_pools_allow_it)
{
    for (uint32_t device = FAST; device <= REFERENCE; device++) {
        expect_chain(device, HY_PROTECT_WRITE);
        expect_chain(device, HY_PROTECT_READ | HY_PROTECT_WRITE);
    }
}

TEST(cpu_driver, incomplete_input_shape_is_refused)
{
    float in[6] = {0}, out[6] = {0};
    struct hy_runner runner;

    open_double(&runner, 2, 0, 3);
    hy_runner_input(&runner, in, sizeof in, 0, NULL);
    hy_runner_output(&runner, out, sizeof out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(runner.message, "input 0: shape [0, 3] is not complete");
    hy_runner_close(&runner);
}

TEST(cpu_driver, empty_tensors_run)
{
    const uint32_t dims[] = {0, 3};
    float out[6] = {0};
    struct hy_runner runner;

    open_double(&runner, 2, 0, 3);
    hy_runner_input(&runner, NULL, 0, 2, dims);
    hy_runner_output(&runner, out, sizeof out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    EXPECT_INT(runner.shapes[0].rank, 2);
    EXPECT_INT(runner.shapes[0].dims[0], 0);
    EXPECT_INT(runner.shapes[0].sufficient, 1);
    hy_runner_close(&runner);
}

TEST(cpu_driver, past_deadline_is_missed_for_good)
{
    float in[6] = {0}, out[6] = {0};
    struct hy_builder builder;
    struct hy_runner runner;

    open_double(&runner, 2, 2, 3);
    hy_runner_input(&runner, in, sizeof in, 0, NULL);
    hy_runner_output(&runner, out, sizeof out, 0, NULL);
    runner.deadline = 1;
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_MISSED_DEADLINE_PERSISTENT);
    runner.deadline = -2;
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_INVALID_ARGUMENT);
    runner.deadline = INT64_MAX;
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);

    build_double(&builder, 2, 2, 3);
    runner.deadline = 1;
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)),
               HY_STATUS_MISSED_DEADLINE_PERSISTENT);
    hy_builder_finish(&builder);
    hy_runner_close(&runner);
}

TEST(cpu_driver, times_are_told_when_asked_for)
{
    float in[6] = {0}, out[6] = {0};
    struct hy_runner runner;

    open_double(&runner, 2, 2, 3);
    hy_runner_input(&runner, in, sizeof in, 0, NULL);
    hy_runner_output(&runner, out, sizeof out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    EXPECT(runner.time_in_driver == HY_NO_TIME && runner.time_on_device == HY_NO_TIME);
    runner.measure = 1;
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    EXPECT(runner.time_in_driver < 1000000000 && runner.time_on_device == HY_NO_TIME);
    hy_runner_close(&runner);
}
