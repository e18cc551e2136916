/*
 * What the runtime copies in executions on drivers of this process: nothing, whatever memory the
 * app gives; and constants by address are used where the app has them.
 */
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <android/hardware_buffer.h>
#include <halyard/halyard.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNT = 1024, BYTES = COUNT * sizeof(float), RUNS = 3 };

static float weights[COUNT];

static ANeuralNetworksMemory *file_memory(void)
{
    ANeuralNetworksMemory *memory = NULL;
    const int fd = memfd_create("halyard-test", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, BYTES) != 0 ||
        ANeuralNetworksMemory_createFromFd(BYTES, PROT_READ | PROT_WRITE, fd, 0, &memory) !=
            ANEURALNETWORKS_NO_ERROR)
        memory = NULL;
    if (fd >= 0)
        close(fd);
    return memory;
}

static ANeuralNetworksMemory *blob_memory(void)
{
    const AHardwareBuffer_Desc desc = {
        .width = BYTES,
        .height = 1,
        .layers = 1,
        .format = AHARDWAREBUFFER_FORMAT_BLOB,
        .usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
    };
    AHardwareBuffer *buffer = NULL;
    ANeuralNetworksMemory *memory = NULL;

    if (AHardwareBuffer_allocate(&desc, &buffer) != 0)
        return NULL;
    if (ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory) !=
        ANEURALNETWORKS_NO_ERROR)
        memory = NULL;
    AHardwareBuffer_release(buffer);
    return memory;
}

/* ---- A model --------------------------------------------------------------------------------- */

/* y = x + weights, which are given by address, or in `memory`. */
static ANeuralNetworksModel *sum_model(const ANeuralNetworksMemory *memory)
{
    static const uint32_t dims[] = {COUNT}, inputs[] = {0, 1, 2}, outputs[] = {3};
    static const int32_t no_activation = 0;
    const ANeuralNetworksOperandType floats = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, dims, 0, 0};
    const ANeuralNetworksOperandType number = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};
    ANeuralNetworksModel *model = NULL;
    int code = ANeuralNetworksModel_create(&model);

    for (unsigned i = 0; i < 4; i++)
        code |= ANeuralNetworksModel_addOperand(model, i == 2 ? &number : &floats);
    code |= memory ? ANeuralNetworksModel_setOperandValueFromMemory(model, 1, memory, 0, BYTES)
                   : ANeuralNetworksModel_setOperandValue(model, 1, weights, BYTES);
    code |= ANeuralNetworksModel_setOperandValue(model, 2, &no_activation, sizeof no_activation);
    code |= ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, outputs);
    code |= ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, inputs, 1, outputs);
    code |= ANeuralNetworksModel_finish(model);
    if (code == ANEURALNETWORKS_NO_ERROR)
        return model;
    ANeuralNetworksModel_free(model);
    return NULL;
}

/* A driver of this process, or halyard-cpu; NULL where there is none. */
static const ANeuralNetworksDevice *find_device(int32_t kind)
{
    uint32_t count = 0;

    (void)ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        struct halyard_device_info info = {.struct_size = sizeof info};
        ANeuralNetworksDevice *device = NULL;
        if (ANeuralNetworks_getDevice(i, &device) == ANEURALNETWORKS_NO_ERROR &&
            halyard_device_get_info(device, &info) == ANEURALNETWORKS_NO_ERROR && info.kind == kind)
            return device;
    }
    return NULL;
}

static ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model, int32_t kind)
{
    const ANeuralNetworksDevice *device = find_device(kind);
    ANeuralNetworksCompilation *compilation = NULL;

    if (!device || ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation) !=
                       ANEURALNETWORKS_NO_ERROR)
        return NULL;
    if (ANeuralNetworksCompilation_finish(compilation) == ANEURALNETWORKS_NO_ERROR)
        return compilation;
    ANeuralNetworksCompilation_free(compilation);
    return NULL;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* One run in memory, or by address where that is NULL. */
static int compute(ANeuralNetworksCompilation *compilation, const ANeuralNetworksMemory *in,
                   const ANeuralNetworksMemory *out, const float *input, float *output)
{
    ANeuralNetworksExecution *execution = NULL;
    int code = ANeuralNetworksExecution_create(compilation, &execution);

    code |= in ? ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, in, 0, BYTES)
               : ANeuralNetworksExecution_setInput(execution, 0, NULL, input, BYTES);
    code |= out ? ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, out, 0, BYTES)
                : ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, BYTES);
    code |= ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    return code;
}

static void expect_nothing_copied(ANeuralNetworksCompilation *compilation, uint64_t runs)
{
    struct halyard_plan plan = {.struct_size = sizeof plan};

    EXPECT_INT(halyard_compilation_get_plan(compilation, &plan), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(plan.copied_bytes, 0);
    EXPECT_INT(plan.execution_count, runs);
}

static void run_in_each_kind(ANeuralNetworksCompilation *compilation)
{
    static float input[COUNT], output[COUNT];
    ANeuralNetworksMemory *files[] = {file_memory(), file_memory()};
    ANeuralNetworksMemory *blobs[] = {blob_memory(), blob_memory()};

    EXPECT(files[0] && files[1] && blobs[0] && blobs[1]);
    for (unsigned i = 0; i < RUNS; i++) {
        EXPECT_INT(compute(compilation, NULL, NULL, input, output), ANEURALNETWORKS_NO_ERROR);
        EXPECT_INT(compute(compilation, files[0], files[1], NULL, NULL), ANEURALNETWORKS_NO_ERROR);
        EXPECT_INT(compute(compilation, blobs[0], blobs[1], NULL, NULL), ANEURALNETWORKS_NO_ERROR);
        EXPECT_INT(compute(compilation, files[1], blobs[0], NULL, NULL), ANEURALNETWORKS_NO_ERROR);
    }
    expect_nothing_copied(compilation, UINT64_C(4) * RUNS);
    for (unsigned i = 0; i < 2; i++) {
        ANeuralNetworksMemory_free(files[i]);
        ANeuralNetworksMemory_free(blobs[i]);
    }
}

static const int32_t kinds[] = {HALYARD_DEVICE_IN_PROCESS, HALYARD_DEVICE_BUILT_IN};

TEST(copied_bytes, inputs_and_outputs_of_every_kind_are_used_where_they_are)
{
    for (unsigned i = 0; i < 2; i++) {
        ANeuralNetworksModel *model = sum_model(NULL);
        ANeuralNetworksCompilation *compilation = model ? compile(model, kinds[i]) : NULL;
        REQUIRE(compilation);
        run_in_each_kind(compilation);
        ANeuralNetworksCompilation_free(compilation);
        ANeuralNetworksModel_free(model);
    }
}

TEST(copied_bytes, constants_in_memory_are_used_where_they_are)
{
    for (unsigned i = 0; i < 4; i++) {
        ANeuralNetworksMemory *memory = i % 2 ? blob_memory() : file_memory();
        ANeuralNetworksModel *model = memory ? sum_model(memory) : NULL;
        ANeuralNetworksCompilation *compilation = model ? compile(model, kinds[i / 2]) : NULL;
        REQUIRE(compilation);
        run_in_each_kind(compilation);
        ANeuralNetworksCompilation_free(compilation);
        ANeuralNetworksModel_free(model);
        ANeuralNetworksMemory_free(memory);
    }
}

/* y = ((x + weights) + weights) + weights, each sum a step of the sample driver under another name,
 * which has memory of its own and says what moving costs. */
static ANeuralNetworksModel *three_sums(void)
{
    static const uint32_t dims[] = {COUNT}, first[] = {0}, last[] = {5};
    static const int32_t no_activation = 0;
    const ANeuralNetworksOperandType floats = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, dims, 0, 0};
    const ANeuralNetworksOperandType number = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};
    ANeuralNetworksModel *model = NULL;
    int code = ANeuralNetworksModel_create(&model);

    for (unsigned i = 0; i < 6; i++)
        code |= ANeuralNetworksModel_addOperand(model, i == 2 ? &number : &floats);
    code |= ANeuralNetworksModel_setOperandValue(model, 1, weights, BYTES);
    code |= ANeuralNetworksModel_setOperandValue(model, 2, &no_activation, sizeof no_activation);
    for (uint32_t i = 3; i < 6; i++) {
        const uint32_t inputs[] = {i == 3 ? 0 : i - 1, 1, 2};
        code |= ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, &i);
    }
    code |= ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, first, 1, last);
    code |= ANeuralNetworksModel_finish(model);
    if (code == ANEURALNETWORKS_NO_ERROR)
        return model;
    ANeuralNetworksModel_free(model);
    return NULL;
}

static const ANeuralNetworksDevice *find_costly_sample(void)
{
    uint32_t count = 0;

    (void)ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = "";
        if (ANeuralNetworks_getDevice(i, &device) == ANEURALNETWORKS_NO_ERROR &&
            ANeuralNetworksDevice_getName(device, &name) == ANEURALNETWORKS_NO_ERROR &&
            strcmp(name, "costly-sample") == 0)
            return device;
    }
    return NULL;
}

TEST(copied_bytes, tensors_between_steps_stay_on_a_device_that_moving_costs)
{
    static float input[COUNT], output[COUNT];
    struct halyard_plan plan = {.struct_size = sizeof plan};
    const ANeuralNetworksDevice *device = find_costly_sample();
    ANeuralNetworksModel *model = three_sums();
    ANeuralNetworksCompilation *compilation = NULL;
    REQUIRE(device && model);
    REQUIRE(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation) ==
            ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_compilation_split_operations(compilation, true), ANEURALNETWORKS_NO_ERROR);
    REQUIRE(ANeuralNetworksCompilation_finish(compilation) == ANEURALNETWORKS_NO_ERROR);

    for (unsigned i = 0; i < RUNS; i++) {
        weights[1] = 2;
        input[1] = (float)i;
        EXPECT_INT(compute(compilation, NULL, NULL, input, output), ANEURALNETWORKS_NO_ERROR);
        EXPECT(output[1] > (float)i + 5.5f && output[1] < (float)i + 6.5f);
    }
    EXPECT_INT(halyard_compilation_get_plan(compilation, &plan), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(plan.step_count, 3);
    EXPECT_INT(plan.boundary_bytes, 2 * BYTES);
    EXPECT_INT(plan.device_boundary_bytes, 2 * BYTES);
    EXPECT_INT(plan.copied_bytes, 0);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* No app may change a constant; but where it does, only who looks at that very memory notices. */
TEST(copied_bytes, constants_by_address_are_used_where_they_are)
{
    static float input[COUNT], output[COUNT];
    for (unsigned i = 0; i < 2; i++) {
        ANeuralNetworksModel *model = sum_model(NULL);
        ANeuralNetworksCompilation *compilation = model ? compile(model, kinds[i]) : NULL;
        REQUIRE(compilation);
        for (unsigned k = 0; k < RUNS; k++) {
            weights[COUNT - 1] = (float)k + .5f;
            EXPECT_INT(compute(compilation, NULL, NULL, input, output), ANEURALNETWORKS_NO_ERROR);
            EXPECT(output[COUNT - 1] > (float)k && output[COUNT - 1] < (float)k + 1);
        }
        expect_nothing_copied(compilation, RUNS);
        ANeuralNetworksCompilation_free(compilation);
        ANeuralNetworksModel_free(model);
    }
}
