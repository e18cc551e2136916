/* Memory from descriptors that halyard-cpu keeps itself. What is true of all memory from
 * descriptors is in test_contract_desc_memory.c. */
#include "tests/kit/threads.h"
#include "tests/scenarios/contract/kit/fixture.h"

#include <android/hardware_buffer.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 2 * EXTENT };

static const float values[MOST] = {1, -2, 3.5f, 0, -5, 6, 7, -8};
static const float positive[MOST] = {1, 0, 3.5f, 0, 0, 6, 7, 0}; /* the RELU of it */

/* ---- Objects --------------------------------------------------------------------------------- */

/* The RELU of tensors like this one, on this device. */
static struct compiled relu_on(const char *name, const ANeuralNetworksOperandType *tensor)
{
    struct compiled compiled = {.model = relu_of(tensor)};
    const ANeuralNetworksDevice *device = device_named(name);

    EXPECT_OK(ANeuralNetworksCompilation_createForDevices(compiled.model, &device, 1,
                                                          &compiled.compilation));
    EXPECT_OK(ANeuralNetworksCompilation_finish(compiled.compilation));
    return compiled;
}

/* For input 0 and output 0. */
static ANeuralNetworksMemory *both_memory(const struct compiled *compiled)
{
    ANeuralNetworksMemoryDesc *desc = open_desc();

    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compiled->compilation, 0, 1));
    EXPECT_OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, compiled->compilation, 0, .5f));
    return made_from(desc);
}

static ANeuralNetworksMemory *file_with(const float *floats, uint32_t count)
{
    ANeuralNetworksMemory *memory = NULL;
    const size_t size = count * sizeof *floats;
    const int fd = file_of(size);

    EXPECT(!floats || pwrite(fd, floats, size, 0) == (ssize_t)size);
    EXPECT_OK(ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, fd, 0, &memory));
    close(fd);
    return memory;
}

static void fill(ANeuralNetworksMemory *memory, const float *floats, uint32_t count)
{
    ANeuralNetworksMemory *file = file_with(floats, count);

    EXPECT_OK(ANeuralNetworksMemory_copy(file, memory));
    ANeuralNetworksMemory_free(file);
}

/* What comes out of the memory, through a file. */
static bool holds(ANeuralNetworksMemory *memory, const float *floats, uint32_t count)
{
    ANeuralNetworksMemory *file = NULL;
    float seen[MOST] = {0};
    const int fd = file_of(count * sizeof *floats);

    EXPECT_OK(ANeuralNetworksMemory_createFromFd(count * sizeof *floats, PROT_READ | PROT_WRITE, fd,
                                                 0, &file));
    const bool is_copied = ANeuralNetworksMemory_copy(memory, file) == ANEURALNETWORKS_NO_ERROR;
    EXPECT(pread(fd, seen, count * sizeof *seen, 0) == (ssize_t)(count * sizeof *seen));
    ANeuralNetworksMemory_free(file);
    close(fd);
    return is_copied && memcmp(seen, floats, count * sizeof *seen) == 0;
}

/* `extent` 0: says nothing of the input. */
static ANeuralNetworksExecution *execution_with(const struct compiled *compiled, uint32_t extent,
                                                ANeuralNetworksMemory *in,
                                                ANeuralNetworksMemory *out)
{
    const ANeuralNetworksOperandType type = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &extent};
    ANeuralNetworksExecution *execution = NULL;

    EXPECT_OK(ANeuralNetworksExecution_create(compiled->compilation, &execution));
    EXPECT_OK(
        ANeuralNetworksExecution_setInputFromMemory(execution, 0, extent ? &type : NULL, in, 0, 0));
    EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, out, 0, 0));
    return execution;
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

TEST(contract_device_memory, memory_of_unknown_size_is_fixed_at_the_first_write)
{
    struct compiled compiled = relu_on("halyard-cpu", &open_tensor);
    ANeuralNetworksMemory *in = both_memory(&compiled), *out = both_memory(&compiled);
    ANeuralNetworksMemory *file = file_with(values, EXTENT);

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(file, in)); /* of what shape? */
    ANeuralNetworksExecution *execution = NULL;
    for (uint32_t extent = 1; extent <= MOST; extent++) {
        const ANeuralNetworksOperandType type = {
            .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &extent};
        uint32_t rank = 0, dims[1] = {0};
        EXPECT_OK(ANeuralNetworksExecution_create(compiled.compilation, &execution));
        EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, &type, values,
                                                    extent * sizeof *values));
        EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, in, 0, 0));
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        EXPECT_OK(ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank));
        EXPECT_OK(ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, dims));
        EXPECT(rank == 1 && dims[0] == extent);
        ANeuralNetworksExecution_free(execution);
        EXPECT(holds(in, positive, extent));
        execution = execution_with(&compiled, extent, in, out);
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        ANeuralNetworksExecution_free(execution);
        EXPECT(holds(out, positive, extent));
    }
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(in, file)); /* MOST floats do not fit */
    execution = execution_with(&compiled, EXTENT, in, out);
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksExecution_compute(execution));
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(file);
    ANeuralNetworksMemory_free(in);
    ANeuralNetworksMemory_free(out);
    compiled_free(&compiled);
}

TEST(contract_device_memory, dimensions_of_the_descriptor_make_the_size_known)
{
    static const uint32_t extent = EXTENT;
    struct compiled compiled = relu_on("halyard-cpu", &open_tensor);
    ANeuralNetworksMemoryDesc *desc = open_desc();

    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 0, 1));
    EXPECT_OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, &extent));
    ANeuralNetworksMemory *memory = made_from(desc), *longer = file_with(values, MOST);
    fill(memory, values, EXTENT);
    EXPECT(holds(memory, values, EXTENT));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(longer, memory));
    ANeuralNetworksMemory_free(longer);
    ANeuralNetworksMemory_free(memory);
    compiled_free(&compiled);
}

/* ---- Roles ----------------------------------------------------------------------------------- */

TEST(contract_device_memory, memory_serves_in_its_roles_and_in_no_other)
{
    struct compiled one = relu_on("halyard-cpu", &float_tensor);
    struct compiled other = relu_on("halyard-cpu", &float_tensor);
    ANeuralNetworksMemory *memory = input_memory(&one);
    ANeuralNetworksExecution *execution = NULL;

    EXPECT_OK(ANeuralNetworksExecution_create(one.compilation, &execution));
    EXPECT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, 0));
    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, 0));
    ANeuralNetworksExecution_free(execution);
    EXPECT_OK(ANeuralNetworksExecution_create(other.compilation, &execution));
    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, 0));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0,
                                                                      TENSOR_SIZE));
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(memory);
    compiled_free(&one);
    compiled_free(&other);
}

TEST(contract_device_memory, one_memory_goes_from_compilation_to_compilation)
{
    struct compiled one = relu_on("halyard-cpu", &float_tensor);
    struct compiled other = relu_on("halyard-cpu", &open_tensor);
    ANeuralNetworksMemoryDesc *desc = open_desc();

    EXPECT_OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, one.compilation, 0, 1));
    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, other.compilation, 0, 1));
    ANeuralNetworksMemory *between = made_from(desc);
    ANeuralNetworksMemory *in = both_memory(&one), *out = both_memory(&other);
    fill(in, values, EXTENT);
    ANeuralNetworksExecution *first = execution_with(&one, 0, in, between);
    ANeuralNetworksExecution *second = execution_with(&other, EXTENT, between, out);
    EXPECT_OK(ANeuralNetworksExecution_compute(first));
    EXPECT_OK(ANeuralNetworksExecution_compute(second));
    EXPECT(holds(out, positive, EXTENT));
    ANeuralNetworksExecution_free(first);
    ANeuralNetworksExecution_free(second);
    ANeuralNetworksMemory_free(in);
    ANeuralNetworksMemory_free(out);
    ANeuralNetworksMemory_free(between);
    compiled_free(&one);
    compiled_free(&other);
}

/* One device has memory of its own, the other has not: with devices that the app has named it is
 * for the app to sort out. */
TEST(contract_device_memory, roles_on_two_devices_share_no_memory)
{
    struct compiled one = relu_on("halyard-cpu", &float_tensor);
    struct compiled other = relu_on("nnapi-reference", &float_tensor);
    ANeuralNetworksMemoryDesc *desc = open_desc();
    ANeuralNetworksMemory *memory = OLD_VALUE(ANeuralNetworksMemory);

    EXPECT_OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, one.compilation, 0, 1));
    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, other.compilation, 0, 1));
    EXPECT_OK(ANeuralNetworksMemoryDesc_finish(desc));
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksMemory_createFromDesc(desc, &memory));
    EXPECT_CONTAINS(halyard_last_error(), "several devices");
    EXPECT(memory == NULL);
    ANeuralNetworksMemoryDesc_free(desc);
    compiled_free(&one);
    compiled_free(&other);
}

TEST(contract_device_memory, memory_outlives_model_and_compilation)
{
    struct compiled compiled = relu_on("halyard-cpu", &float_tensor);
    ANeuralNetworksMemory *one = both_memory(&compiled), *other = both_memory(&compiled);

    fill(one, values, EXTENT);
    compiled_free(&compiled);
    EXPECT_OK(ANeuralNetworksMemory_copy(one, other));
    EXPECT(holds(other, values, EXTENT));
    ANeuralNetworksMemory_free(one);
    ANeuralNetworksMemory_free(other);
}

/* ---- States ---------------------------------------------------------------------------------- */

TEST(contract_device_memory, memory_holds_something_after_success_and_nothing_after_failure)
{
    struct compiled compiled = relu_on("halyard-cpu", &float_tensor);
    ANeuralNetworksMemory *in = both_memory(&compiled), *out = both_memory(&compiled);
    ANeuralNetworksMemory *file = file_with(NULL, EXTENT);
    ANeuralNetworksExecution *execution = execution_with(&compiled, 0, in, out);

    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true));
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT_FAIL(OP_FAILED, ANeuralNetworksExecution_compute(execution)); /* nothing to read */
        EXPECT_CONTAINS(halyard_last_error(), "has no contents");
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(out, file));
        fill(in, values, EXTENT);
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        EXPECT(holds(out, positive, EXTENT));
        EXPECT(holds(in, values, EXTENT));
        ANeuralNetworksMemory *empty = both_memory(&compiled);
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(empty, in)); /* a copy that fails */
        ANeuralNetworksMemory_free(empty);
    }
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(file);
    ANeuralNetworksMemory_free(in);
    ANeuralNetworksMemory_free(out);
    compiled_free(&compiled);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static ANeuralNetworksMemory *blob_memory(void)
{
    const AHardwareBuffer_Desc desc = {.width = TENSOR_SIZE,
                                       .height = 1,
                                       .layers = 1,
                                       .format = AHARDWAREBUFFER_FORMAT_BLOB,
                                       .usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
                                                AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
    AHardwareBuffer *buffer = NULL;
    ANeuralNetworksMemory *memory = NULL;

    EXPECT_INT(AHardwareBuffer_allocate(&desc, &buffer), 0);
    EXPECT_OK(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory));
    AHardwareBuffer_release(buffer);
    return memory;
}

/* Files, hardware buffers, memory of the device, of known and of open shape, and shared memory of
 * descriptors: from each to each, and through to a file. */
TEST(contract_device_memory, copies_go_in_all_directions)
{
    struct compiled fixed = relu_on("halyard-cpu", &float_tensor);
    struct compiled open = relu_on("halyard-cpu", &open_tensor);
    struct compiled reference = relu_on("nnapi-reference", &float_tensor);
    ANeuralNetworksMemory *const memories[] = {
        file_with(NULL, EXTENT), both_memory(&fixed),     both_memory(&fixed),
        both_memory(&open),      both_memory(&reference), blob_memory(),
    };

    fill(memories[1], values, EXTENT);
    EXPECT_OK(ANeuralNetworksMemory_copy(memories[1], memories[3])); /* which has a shape then */
    for (size_t from = 0; from < COUNT_OF(memories); from++) {
        for (size_t to = 0; to < COUNT_OF(memories); to++) {
            const float *contents = (from + to) % 2 ? values : positive;
            fill(memories[from], contents, EXTENT);
            EXPECT_OK(ANeuralNetworksMemory_copy(memories[from], memories[to]));
            EXPECT(holds(memories[to], contents, EXTENT));
            EXPECT(holds(memories[from], contents, EXTENT));
        }
    }
    for (size_t i = 0; i < COUNT_OF(memories); i++)
        ANeuralNetworksMemory_free(memories[i]);
    compiled_free(&fixed);
    compiled_free(&open);
    compiled_free(&reference);
}

/* ---- Kinds of runs --------------------------------------------------------------------------- */

enum mode { SYNC, ASYNC, BURST, FENCED, MODES };

static int run_as(enum mode mode, ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst)
{
    ANeuralNetworksEvent *event = NULL;
    int result = ANEURALNETWORKS_NO_ERROR;

    if (mode == SYNC)
        return ANeuralNetworksExecution_compute(execution);
    if (mode == BURST)
        return ANeuralNetworksExecution_burstCompute(execution, burst);
    if (mode == ASYNC)
        result = ANeuralNetworksExecution_startCompute(execution, &event);
    else
        result =
            ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &event);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksEvent_wait(event);
    ANeuralNetworksEvent_free(event);
    return result;
}

TEST(contract_device_memory, every_kind_of_run_reads_and_writes_it)
{
    for (unsigned i = 0; i < 2 * MODES; i++) {
        const bool is_open = i % 2 && i / 2 != FENCED; /* fenced runs need to know the shape */
        struct compiled compiled = relu_on("halyard-cpu", is_open ? &open_tensor : &float_tensor);
        struct compiled source = relu_on("halyard-cpu", &float_tensor);
        ANeuralNetworksMemory *in = both_memory(&compiled), *out = both_memory(&compiled);
        ANeuralNetworksMemory *known = both_memory(&source);
        ANeuralNetworksExecution *execution =
            execution_with(&compiled, is_open ? EXTENT : 0, in, out);
        ANeuralNetworksBurst *burst = NULL;

        EXPECT_OK(ANeuralNetworksBurst_create(compiled.compilation, &burst));
        EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true));
        for (unsigned round = 0; round < 5; round++) {
            fill(known, round % 2 ? positive : values, EXTENT);
            EXPECT_OK(ANeuralNetworksMemory_copy(known, in));
            EXPECT_INT(run_as(i / 2, execution, burst), ANEURALNETWORKS_NO_ERROR);
            EXPECT(holds(out, positive, EXTENT));
        }
        ANeuralNetworksBurst_free(burst);
        ANeuralNetworksExecution_free(execution);
        ANeuralNetworksMemory_free(known);
        ANeuralNetworksMemory_free(in);
        ANeuralNetworksMemory_free(out);
        compiled_free(&source);
        compiled_free(&compiled);
    }
}

TEST(contract_device_memory, memory_may_be_freed_while_executions_have_it)
{
    struct compiled compiled = relu_on("halyard-cpu", &float_tensor);
    ANeuralNetworksMemory *in = both_memory(&compiled), *out = both_memory(&compiled);
    ANeuralNetworksExecution *execution = execution_with(&compiled, 0, in, out);
    ANeuralNetworksEvent *event = NULL;

    fill(in, values, EXTENT);
    ANeuralNetworksMemory_free(in);
    ANeuralNetworksMemory_free(out);
    EXPECT_OK(ANeuralNetworksExecution_startCompute(execution, &event));
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksExecution_free(execution);
    compiled_free(&compiled);
}

/* ---- Threads --------------------------------------------------------------------------------- */

enum { THREADS = 4, RUNS = 500 };

struct runner {
    const struct compiled *compiled;
    ANeuralNetworksMemory *in, *out; /* in is shared */
};

static atomic_uint failures;

static void run_often(void *argument)
{
    const struct runner *runner = argument;

    for (unsigned i = 0; i < RUNS / HY_SLOWNESS; i++) {
        ANeuralNetworksExecution *execution = NULL;
        int result = ANeuralNetworksExecution_create(runner->compiled->compilation, &execution);
        if (result == ANEURALNETWORKS_NO_ERROR)
            result =
                ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, runner->in, 0, 0);
        if (result == ANEURALNETWORKS_NO_ERROR)
            result =
                ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, runner->out, 0, 0);
        if (result == ANEURALNETWORKS_NO_ERROR)
            result = ANeuralNetworksExecution_compute(execution);
        if (result != ANEURALNETWORKS_NO_ERROR)
            atomic_fetch_add(&failures, 1);
        ANeuralNetworksExecution_free(execution);
    }
}

TEST(contract_device_memory, threads_read_one_memory_at_once)
{
    struct compiled compiled = relu_on("halyard-cpu", &float_tensor);
    ANeuralNetworksMemory *in = both_memory(&compiled);
    struct runner runners[THREADS];

    fill(in, values, EXTENT);
    for (unsigned i = 0; i < THREADS; i++)
        runners[i] = (struct runner){&compiled, in, both_memory(&compiled)};
    atomic_store(&failures, 0);
    REQUIRE(hy_threads_run(THREADS, run_often, runners, sizeof *runners));
    EXPECT_INT(atomic_load(&failures), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        EXPECT(holds(runners[i].out, positive, EXTENT));
        ANeuralNetworksMemory_free(runners[i].out);
    }
    ANeuralNetworksMemory_free(in);
    compiled_free(&compiled);
}

static void make_and_free(void *argument)
{
    const struct compiled *compiled = argument;

    for (unsigned i = 0; i < RUNS / HY_SLOWNESS; i++) {
        ANeuralNetworksMemoryDesc *desc = NULL;
        ANeuralNetworksMemory *memory = NULL;
        if (ANeuralNetworksMemoryDesc_create(&desc) != ANEURALNETWORKS_NO_ERROR ||
            ANeuralNetworksMemoryDesc_addInputRole(desc, compiled->compilation, 0, 1) !=
                ANEURALNETWORKS_NO_ERROR ||
            ANeuralNetworksMemoryDesc_finish(desc) != ANEURALNETWORKS_NO_ERROR ||
            ANeuralNetworksMemory_createFromDesc(desc, &memory) != ANEURALNETWORKS_NO_ERROR)
            atomic_fetch_add(&failures, 1);
        ANeuralNetworksMemoryDesc_free(desc);
        ANeuralNetworksMemory_free(memory);
    }
}

TEST(contract_device_memory, threads_make_and_free_memory_at_once)
{
    struct compiled compiled = relu_on("halyard-cpu", &float_tensor);
    struct compiled same[THREADS] = {compiled, compiled, compiled, compiled};

    atomic_store(&failures, 0);
    REQUIRE(hy_threads_run(THREADS, make_and_free, same, sizeof *same));
    EXPECT_INT(atomic_load(&failures), 0);
    compiled_free(&compiled);
}
