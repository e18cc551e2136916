/* Memory made from descriptors as arguments: its roles, that it is used as a whole, and when it
 * holds something. */
#include "runtime/compile/compile.h"

#include "runtime/drivers/device_list.h"
#include "tests/scenarios/contract/kit/fake_setup.h"

static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};
static float output[EXTENT];

/* ---- Making ---------------------------------------------------------------------------------- */

/* For input 0 and output 0 of the compilation, or for one of them. */
static ANeuralNetworksMemory *make_memory(ANeuralNetworksCompilation *compilation, bool as_input,
                                          bool as_output, const uint32_t *extent)
{
    ANeuralNetworksMemoryDesc *desc = NULL;
    ANeuralNetworksMemory *memory = NULL;

    EXPECT_OK(ANeuralNetworksMemoryDesc_create(&desc));
    if (as_input)
        EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1));
    if (as_output)
        EXPECT_OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 0, 1));
    if (extent)
        EXPECT_OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, extent));
    EXPECT_OK(ANeuralNetworksMemoryDesc_finish(desc));
    EXPECT_OK(ANeuralNetworksMemory_createFromDesc(desc, &memory));
    ANeuralNetworksMemoryDesc_free(desc);
    return memory;
}

static bool open_setup(struct fake_setup *fake_setup, ANeuralNetworksMemory **memory)
{
    *memory = NULL;
    if (!fake_setup_open(fake_setup, chain_model(), ONE_DEVICE))
        return false;
    *memory = make_memory(fake_setup->compilation, true, true, NULL);
    return *memory != NULL;
}

static ANeuralNetworksExecution *producer(const struct fake_setup *fake_setup,
                                          const ANeuralNetworksMemory *memory)
{
    ANeuralNetworksExecution *execution = fake_setup_execution(fake_setup);

    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, 0));
    return execution;
}

static ANeuralNetworksExecution *consumer(const struct fake_setup *fake_setup,
                                          const ANeuralNetworksMemory *memory)
{
    ANeuralNetworksExecution *execution = fake_setup_execution(fake_setup);

    EXPECT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, 0));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, BYTES));
    return execution;
}

static int run_and_free(const struct fake_setup *fake_setup, enum run_kind kind,
                        ANeuralNetworksExecution *execution)
{
    int code = run(fake_setup, kind, execution);

    ANeuralNetworksExecution_free(execution);
    return code;
}

/* ---- Setting --------------------------------------------------------------------------------- */

TEST(contract_execution_memory, memory_serves_in_its_roles_only)
{
    struct fake_setup fake_setup, other;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
    REQUIRE(fake_setup_open(&other, chain_model(), ONE_DEVICE));
    ANeuralNetworksMemory *memory = make_memory(fake_setup.compilation, true, false, NULL);
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);
    ANeuralNetworksExecution *stranger = fake_setup_execution(&other);

    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, 0));
    EXPECT_CONTAINS(halyard_last_error(), "output 0: the memory was not made for this role");
    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksExecution_setInputFromMemory(stranger, 0, NULL, memory, 0, 0));
    EXPECT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, 0));
    ANeuralNetworksExecution_free(stranger);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&other);
    fake_setup_close(&fake_setup);
}

/* Compilations of the same model are told apart, whatever their addresses. */
TEST(contract_execution_memory, role_does_not_pass_to_a_later_compilation)
{
    struct fake_setup fake_setup;
    ANeuralNetworksMemory *memory;
    REQUIRE(open_setup(&fake_setup, &memory));

    for (int i = 0; i < 8; i++) { /* often enough that an address comes again */
        fake_setup_close(&fake_setup);
        REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
        ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);
        EXPECT_FAIL(BAD_DATA,
                    ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, 0));
        ANeuralNetworksExecution_free(execution);
    }
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_memory, memory_outlives_its_compilation_and_can_be_copied)
{
    ANeuralNetworksMemory *memory, *file = NULL;
    int fd = shared_file(BYTES);
    struct fake_setup fake_setup;
    REQUIRE(open_setup(&fake_setup, &memory));
    fake_setup_close(&fake_setup);

    EXPECT_OK(ANeuralNetworksMemory_createFromFd(BYTES, PROT_READ | PROT_WRITE, fd, 0, &file));
    close(fd);
    EXPECT_OK(ANeuralNetworksMemory_copy(file, memory));
    EXPECT_OK(ANeuralNetworksMemory_copy(memory, file));
    ANeuralNetworksMemory_free(file);
    ANeuralNetworksMemory_free(memory);
}

TEST(contract_execution_memory, memory_is_used_as_a_whole)
{
    static const size_t parts[][2] = {{0, BYTES}, {4, 0}, {4, BYTES - 4}, {SIZE_MAX, SIZE_MAX}};
    struct fake_setup fake_setup;
    ANeuralNetworksMemory *memory;
    REQUIRE(open_setup(&fake_setup, &memory));
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);

    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_setInputFromMemory(
                                  execution, 0, NULL, memory, parts[i][0], parts[i][1]));
        EXPECT_CONTAINS(halyard_last_error(), "needs offset 0 and length 0");
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_setOutputFromMemory(
                                  execution, 0, NULL, memory, parts[i][0], parts[i][1]));
    }
    EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, 0));
    EXPECT_FAIL(BAD_STATE,
                ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, 0));
    EXPECT_FAIL(BAD_DATA, /* what is wrong with the memory comes first */
                ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, BYTES));
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_memory, shape_is_that_of_the_memory)
{
    const uint32_t four = EXTENT, five = EXTENT + 1;
    const ANeuralNetworksOperandType longer = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &five, 0, 0};
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, dynamic_model(EXTENT, 0, 0), ONE_DEVICE));
    ANeuralNetworksMemory *memory = make_memory(fake_setup.compilation, false, true, &four);
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);
    uint32_t extent = 0;

    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksExecution_setOutputFromMemory(execution, 0, &longer, memory, 0, 0));
    EXPECT_CONTAINS(halyard_last_error(), "the shape is [5], the memory was made for [4]");
    EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, 0));
    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, BYTES));
    EXPECT_INT(run(&fake_setup, FENCED, execution), ANEURALNETWORKS_NO_ERROR); /* so it is known */
    EXPECT_OK(ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, &extent));
    EXPECT_INT(extent, EXTENT);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&fake_setup);
}

/* ---- What it holds --------------------------------------------------------------------------- */

TEST(contract_execution_memory, result_goes_from_run_to_run)
{
    for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
        struct fake_setup fake_setup;
        ANeuralNetworksMemory *memory;
        REQUIRE(open_setup(&fake_setup, &memory));
        EXPECT_INT(run_and_free(&fake_setup, kind, producer(&fake_setup, memory)),
                   ANEURALNETWORKS_NO_ERROR);
        EXPECT_INT(run_and_free(&fake_setup, kind, consumer(&fake_setup, memory)),
                   ANEURALNETWORKS_NO_ERROR);
        EXPECT(output[3] == chain_result(chain_result(input[3])));
        ANeuralNetworksMemory_free(memory);
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_execution_memory, cpu_device_reads_and_writes_it)
{
    const struct hy_runtime_device *device = hy_devices()->cpu;
    struct hy_app_model *model = chain_model();
    struct hy_compilation *compilation = NULL;
    REQUIRE(hy_compilation_create(model, &device, 1, true, &compilation, NULL) == HY_OK);
    REQUIRE(hy_compilation_finish(compilation, NULL) == HY_OK);
    hy_app_model_release(model);
    struct fake_setup fake_setup = {.compilation = hy_compilation_handle(compilation)};
    ANeuralNetworksMemory *memory = make_memory(fake_setup.compilation, true, true, NULL);

    EXPECT_INT(run_and_free(&fake_setup, COMPUTE, producer(&fake_setup, memory)),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(run_and_free(&fake_setup, BURST, consumer(&fake_setup, memory)),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(output[3] == chain_result(chain_result(input[3])));
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&fake_setup);
}

static void expect_empty(struct fake_setup *fake_setup, const ANeuralNetworksMemory *memory)
{
    for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
        ANeuralNetworksEvent *event = OLD_VALUE(ANeuralNetworksEvent);
        ANeuralNetworksExecution *execution = consumer(fake_setup, memory);
        const unsigned runs = fake_setup->npu.runs;
        uint32_t rank;
        if (kind == FENCED) {
            /* What it waits for might still write the memory. */
            REQUIRE_OK(launch(fake_setup, kind, execution, &event));
            EXPECT_FAIL(OP_FAILED, ANeuralNetworksEvent_wait(event));
            ANeuralNetworksEvent_free(event);
        } else {
            contract_before(ANEURALNETWORKS_OP_FAILED);
            contract_after(__FILE__, __LINE__, run_names[kind], ANEURALNETWORKS_OP_FAILED,
                           launch(fake_setup, kind, execution, &event));
            EXPECT(kind != START || event == NULL);
        }
        EXPECT_CONTAINS(halyard_last_error(), "input 0: the memory has no contents");
        EXPECT_INT(fake_setup->npu.runs, runs);
        EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank));
        EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_compute(execution));
        ANeuralNetworksExecution_free(execution);
    }
}

TEST(contract_execution_memory, input_that_holds_nothing_fails_the_run_not_the_setting)
{
    struct fake_setup fake_setup;
    ANeuralNetworksMemory *memory;
    REQUIRE(open_setup(&fake_setup, &memory));

    expect_empty(&fake_setup, memory);
    EXPECT_INT(run_and_free(&fake_setup, COMPUTE, producer(&fake_setup, memory)),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(run_and_free(&fake_setup, COMPUTE, consumer(&fake_setup, memory)),
               ANEURALNETWORKS_NO_ERROR);
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_memory, failed_run_leaves_its_output_holding_nothing)
{
    for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
        struct fake_setup fake_setup;
        ANeuralNetworksMemory *memory;
        REQUIRE(open_setup(&fake_setup, &memory));
        EXPECT_INT(run_and_free(&fake_setup, kind, producer(&fake_setup, memory)),
                   ANEURALNETWORKS_NO_ERROR);
        fake_setup.npu.execute_status = HY_STATUS_GENERAL_FAILURE;
        EXPECT_INT(run_and_free(&fake_setup, kind, producer(&fake_setup, memory)),
                   ANEURALNETWORKS_OP_FAILED);
        fake_setup.npu.execute_status = HY_STATUS_OK;
        expect_empty(&fake_setup, memory);
        ANeuralNetworksMemory_free(memory);
        fake_setup_close(&fake_setup);
    }
}

/* It never got as far as the driver. */
TEST(contract_execution_memory, run_that_was_not_set_up_leaves_its_output_holding_nothing)
{
    struct fake_setup fake_setup;
    ANeuralNetworksMemory *memory;
    REQUIRE(open_setup(&fake_setup, &memory));
    EXPECT_INT(run_and_free(&fake_setup, COMPUTE, producer(&fake_setup, memory)),
               ANEURALNETWORKS_NO_ERROR);

    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);
    EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, 0));
    EXPECT_INT(run_and_free(&fake_setup, COMPUTE, execution), ANEURALNETWORKS_BAD_DATA);
    expect_empty(&fake_setup, memory);
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_memory, run_whose_dependency_failed_leaves_its_output_holding_nothing)
{
    ANeuralNetworksEvent *first = NULL, *second = NULL;
    const ANeuralNetworksEvent *dependency;
    struct fake_setup fake_setup;
    struct manual_fence manual_fence;
    ANeuralNetworksMemory *memory;
    REQUIRE(open_setup(&fake_setup, &memory) && manual_fence_make(&manual_fence));
    EXPECT_INT(run_and_free(&fake_setup, COMPUTE, producer(&fake_setup, memory)),
               ANEURALNETWORKS_NO_ERROR);

    ANeuralNetworksExecution *failing = fake_setup_ready(&fake_setup, input, output);
    ANeuralNetworksExecution *waiting = producer(&fake_setup, memory);
    dependency = manual_fence.event;
    EXPECT_OK(
        ANeuralNetworksExecution_startComputeWithDependencies(failing, &dependency, 1, 0, &first));
    dependency = first;
    EXPECT_OK(
        ANeuralNetworksExecution_startComputeWithDependencies(waiting, &dependency, 1, 0, &second));
    fake_setup.npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    manual_fence_signal(&manual_fence);
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksEvent_wait(second));
    ANeuralNetworksEvent_free(second);
    ANeuralNetworksEvent_free(first);
    fake_setup.npu.execute_status = HY_STATUS_OK;
    expect_empty(&fake_setup, memory);
    manual_fence_free(&manual_fence);
    ANeuralNetworksExecution_free(waiting);
    ANeuralNetworksExecution_free(failing);
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_memory, fenced_run_reads_what_its_dependency_is_still_to_write)
{
    ANeuralNetworksEvent *wrote = NULL, *read = NULL;
    struct fake_setup fake_setup;
    struct manual_fence manual_fence;
    ANeuralNetworksMemory *memory;
    REQUIRE(open_setup(&fake_setup, &memory) && manual_fence_make(&manual_fence));
    ANeuralNetworksExecution *first = producer(&fake_setup, memory),
                             *second = consumer(&fake_setup, memory);

    const ANeuralNetworksEvent *dependency = manual_fence.event;
    EXPECT_OK(
        ANeuralNetworksExecution_startComputeWithDependencies(first, &dependency, 1, 0, &wrote));
    dependency = wrote;
    EXPECT_OK(
        ANeuralNetworksExecution_startComputeWithDependencies(second, &dependency, 1, 0, &read));
    manual_fence_signal(&manual_fence);
    EXPECT_OK(ANeuralNetworksEvent_wait(read));
    EXPECT(output[3] == chain_result(chain_result(input[3])));
    ANeuralNetworksEvent_free(read);
    ANeuralNetworksEvent_free(wrote);
    manual_fence_free(&manual_fence);
    ANeuralNetworksExecution_free(second);
    ANeuralNetworksExecution_free(first);
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&fake_setup);
}
