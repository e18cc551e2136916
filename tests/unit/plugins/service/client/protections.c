#include "protections.h"

#include "isolated.h"
#include "tests/kit/test.h"

#include <sys/mman.h>
#include <unistd.h>

enum { EXTENT = 4, BYTES = EXTENT * sizeof(float), MOST_DEVICES = 2 };

#define READ  PROT_READ
#define WRITE PROT_WRITE

static const int protections[] = {PROT_NONE, READ, WRITE, READ | WRITE};
#define PROTECTIONS (sizeof protections / sizeof *protections)

static const char *name_of(int protect)
{
    static const char *const names[] = {
        [PROT_NONE] = "none", [READ] = "read", [WRITE] = "write", [READ | WRITE] = "both"};
    return names[protect];
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The numbers first, first + 1, ... in a file, and memory of it. */
struct file_memory {
    int fd;
    ANeuralNetworksMemory *memory;
};

static void file_memory_fill(const struct file_memory *file_memory, float first)
{
    const float numbers[EXTENT] = {first, first + 1, first + 2, first + 3};

    EXPECT_INT(pwrite(file_memory->fd, numbers, BYTES, 0), BYTES);
}

static struct file_memory file_memory_make(int protect, float first)
{
    struct file_memory file_memory = {.fd = memfd_create("protections", MFD_CLOEXEC)};

    EXPECT_INT(ftruncate(file_memory.fd, BYTES), 0);
    file_memory_fill(&file_memory, first);
    EXPECT_INT(
        ANeuralNetworksMemory_createFromFd(BYTES, protect, file_memory.fd, 0, &file_memory.memory),
        ANEURALNETWORKS_NO_ERROR);
    return file_memory;
}

static void file_memory_free(struct file_memory *file_memory)
{
    ANeuralNetworksMemory_free(file_memory->memory);
    close(file_memory->fd);
}

/* Number `index` of the file. */
static float file_memory_value(const struct file_memory *file_memory, int index)
{
    float number = -1;

    EXPECT_INT(pread(file_memory->fd, &number, sizeof number, index * (int)sizeof number),
               sizeof number);
    return number;
}

/* ---- A model --------------------------------------------------------------------------------- */

/* SUM = X + C, RESULT = SUM + SUM or SUM * SUM. Both are outputs. The sample driver adds alone. */
enum { X, C, SUM, RESULT, NONE, OPERANDS };

/* With the constant in the memory, not finished. */
static ANeuralNetworksModel *model_start(const ANeuralNetworksMemory *constant, int *code)
{
    const uint32_t extent = EXTENT;
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &extent};
    const ANeuralNetworksOperandType integer = {.type = ANEURALNETWORKS_INT32};
    const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    ANeuralNetworksModel *model = NULL;

    EXPECT_INT(ANeuralNetworksModel_create(&model), ANEURALNETWORKS_NO_ERROR);
    for (int i = 0; i < OPERANDS; i++)
        EXPECT_INT(ANeuralNetworksModel_addOperand(model, i < NONE ? &tensor : &integer),
                   ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, NONE, &none, sizeof none),
               ANEURALNETWORKS_NO_ERROR);
    *code = ANeuralNetworksModel_setOperandValueFromMemory(model, C, constant, 0, BYTES);
    return model;
}

static ANeuralNetworksModel *model_make(const struct file_memory *constant,
                                        ANeuralNetworksOperationType second)
{
    const uint32_t add[] = {X, C, NONE}, again[] = {SUM, SUM, NONE};
    const uint32_t x = X, outputs[] = {SUM, RESULT};
    int code;
    ANeuralNetworksModel *model = model_start(constant->memory, &code);

    code |= ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add, 1, &outputs[0]);
    code |= ANeuralNetworksModel_addOperation(model, second, 3, again, 1, &outputs[1]);
    code |= ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &x, 2, outputs);
    code |= ANeuralNetworksModel_finish(model);
    EXPECT_INT(code, ANEURALNETWORKS_NO_ERROR);
    return model;
}

static ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model, const char *const *names,
                                           uint32_t count, bool is_split)
{
    const ANeuralNetworksDevice *devices[MOST_DEVICES];
    ANeuralNetworksCompilation *compilation = NULL;

    for (uint32_t i = 0; i < count; i++)
        devices[i] = isolated_device(names[i]);
    int code = ANeuralNetworksCompilation_createForDevices(model, devices, count, &compilation);
    code |= halyard_compilation_split_operations(compilation, is_split);
    code |= ANeuralNetworksCompilation_finish(compilation);
    EXPECT_INT(code, ANEURALNETWORKS_NO_ERROR);
    return compilation;
}

/* ---- Executions ------------------------------------------------------------------------------ */

enum way { COMPUTE, BURST, START, FENCED, WAYS };

static const char *const way_names[WAYS] = {"compute", "burst", "start", "fenced"};

static int run_in_burst(ANeuralNetworksCompilation *compilation,
                        ANeuralNetworksExecution *execution)
{
    ANeuralNetworksBurst *burst = NULL;
    int code = ANeuralNetworksBurst_create(compilation, &burst);

    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksExecution_burstCompute(execution, burst);
    ANeuralNetworksBurst_free(burst);
    return code;
}

static int run(enum way way, ANeuralNetworksCompilation *compilation,
               ANeuralNetworksExecution *execution)
{
    ANeuralNetworksEvent *event = NULL;
    int code;

    if (way == COMPUTE)
        return ANeuralNetworksExecution_compute(execution);
    if (way == BURST)
        return run_in_burst(compilation, execution);
    if (way == START)
        code = ANeuralNetworksExecution_startCompute(execution, &event);
    else
        code = ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &event);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksEvent_wait(event);
    ANeuralNetworksEvent_free(event);
    return code;
}

/* X is 10, 11, ...; C is 1, 2, ... */
static bool are_right(const struct file_memory *sum, const struct file_memory *result,
                      ANeuralNetworksOperationType second)
{
    bool right = true;

    for (int i = 0; i < EXTENT; i++) {
        const float expected = (10.0f + (float)i) + (1.0f + (float)i);
        right &= file_memory_value(sum, i) == expected &&
                 file_memory_value(result, i) ==
                     (second == ANEURALNETWORKS_ADD ? expected + expected : expected * expected);
    }
    return right;
}

struct memory_case {
    const char *device;
    ANeuralNetworksOperationType second;
    ANeuralNetworksCompilation *compilation;
};

static void expect_run(const struct memory_case *memory_case, enum way way, int of_input,
                       int of_output)
{
    struct file_memory x = file_memory_make(of_input, 10);
    struct file_memory sum = file_memory_make(of_output, -9),
                       result = file_memory_make(of_output, -9);
    ANeuralNetworksExecution *execution = NULL;
    int code = ANeuralNetworksExecution_create(memory_case->compilation, &execution);

    code |= ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, x.memory, 0, BYTES);
    code |= ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, sum.memory, 0, BYTES);
    code |=
        ANeuralNetworksExecution_setOutputFromMemory(execution, 1, NULL, result.memory, 0, BYTES);
    EXPECT_INT(code, ANEURALNETWORKS_NO_ERROR);
    code = run(way, memory_case->compilation, execution);
    if (code == ANEURALNETWORKS_NO_ERROR && are_right(&sum, &result, memory_case->second))
        hy_test_pass(__FILE__, __LINE__);
    else
        hy_test_fail(__FILE__, __LINE__, "%s, %s, input: %s, outputs: %s: code %d, %s",
                     memory_case->device, way_names[way], name_of(of_input), name_of(of_output),
                     code, code ? halyard_last_error() : "wrong numbers");
    ANeuralNetworksExecution_free(execution);
    file_memory_free(&x);
    file_memory_free(&sum);
    file_memory_free(&result);
}

static void expect_runs(const struct memory_case *memory_case)
{
    for (size_t i = 0; i < PROTECTIONS; i++) {
        for (size_t o = 0; o < PROTECTIONS && protections[i] & READ; o++) {
            for (enum way way = 0; way < WAYS && protections[o] & WRITE; way++)
                expect_run(memory_case, way, protections[i], protections[o]);
        }
    }
}

void protections_compute(const char *const *names, uint32_t count, bool is_split)
{
    struct memory_case memory_case = {
        .device = names[0], .second = count == 1 ? ANEURALNETWORKS_ADD : ANEURALNETWORKS_MUL};

    for (size_t c = 0; c < PROTECTIONS; c++) {
        if (!(protections[c] & READ))
            continue;
        struct file_memory constant = file_memory_make(protections[c], 1);
        ANeuralNetworksModel *model = model_make(&constant, memory_case.second);
        memory_case.compilation = compile(model, names, count, is_split);
        expect_runs(&memory_case);
        ANeuralNetworksCompilation_free(memory_case.compilation);
        ANeuralNetworksModel_free(model);
        file_memory_free(&constant);
    }
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void expect_refused(int code, int expected, const char *fragment, const char *role,
                           int protect)
{
    const char *text = halyard_last_error();

    if (code == expected && strstr(text, fragment))
        hy_test_pass(__FILE__, __LINE__);
    else
        hy_test_fail(__FILE__, __LINE__, "%s in memory made for %s: code %d, \"%s\", expected %s",
                     role, name_of(protect), code, code ? text : "", fragment);
}

static void expect_argument_refused(ANeuralNetworksCompilation *compilation, int protect)
{
    struct file_memory file_memory = file_memory_make(protect, 0);
    ANeuralNetworksExecution *execution = NULL;

    EXPECT_INT(ANeuralNetworksExecution_create(compilation, &execution), ANEURALNETWORKS_NO_ERROR);
    if (!(protect & READ))
        expect_refused(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL,
                                                                   file_memory.memory, 0, BYTES),
                       ANEURALNETWORKS_BAD_DATA, "input 0: the memory was made without PROT_READ",
                       "input", protect);
    if (!(protect & WRITE))
        expect_refused(ANeuralNetworksExecution_setOutputFromMemory(execution, 1, NULL,
                                                                    file_memory.memory, 0, BYTES),
                       ANEURALNETWORKS_BAD_DATA, "output 1: the memory was made without PROT_WRITE",
                       "output", protect);
    ANeuralNetworksExecution_free(execution);
    file_memory_free(&file_memory);
}

static void expect_constant_refused(int protect)
{
    struct file_memory file_memory = file_memory_make(protect, 0);
    int code;
    ANeuralNetworksModel *model = model_start(file_memory.memory, &code);

    expect_refused(code, ANEURALNETWORKS_BAD_DATA, "the memory was made without PROT_READ",
                   "constant", protect);
    ANeuralNetworksModel_free(model);
    file_memory_free(&file_memory);
}

void protections_refused(const char *name)
{
    struct file_memory constant = file_memory_make(READ, 1);
    ANeuralNetworksModel *model = model_make(&constant, ANEURALNETWORKS_ADD);
    ANeuralNetworksCompilation *compilation = compile(model, &name, 1, false);

    for (size_t i = 0; i < PROTECTIONS; i++) {
        expect_argument_refused(compilation, protections[i]);
        if (!(protections[i] & READ))
            expect_constant_refused(protections[i]);
    }
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    file_memory_free(&constant);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static void expect_file_copy(int of_source, int of_destination)
{
    struct file_memory from = file_memory_make(of_source, 5),
                       to = file_memory_make(of_destination, -9);
    const int code = ANeuralNetworksMemory_copy(from.memory, to.memory);

    if (!(of_source & READ))
        expect_refused(code, ANEURALNETWORKS_UNMAPPABLE,
                       "source: the memory was made without PROT_READ", "source", of_source);
    else if (!(of_destination & WRITE))
        expect_refused(code, ANEURALNETWORKS_UNMAPPABLE,
                       "destination: the memory was made without PROT_WRITE", "destination",
                       of_destination);
    else
        EXPECT(code == ANEURALNETWORKS_NO_ERROR && file_memory_value(&to, 3) == 8);
    if (code != ANEURALNETWORKS_NO_ERROR)
        EXPECT(file_memory_value(&to, 0) == -9);
    file_memory_free(&from);
    file_memory_free(&to);
}

/* From the file to memory that the device may keep, and back. */
static void expect_device_copy(ANeuralNetworksMemory *device_memory, int protect)
{
    struct file_memory file_memory = file_memory_make(protect, 5);
    int code = ANeuralNetworksMemory_copy(file_memory.memory, device_memory);

    if (protect & READ)
        EXPECT_INT(code, ANEURALNETWORKS_NO_ERROR);
    else
        expect_refused(code, ANEURALNETWORKS_UNMAPPABLE,
                       "source: the memory was made without PROT_READ", "source", protect);

    struct file_memory full = file_memory_make(READ, 20);
    EXPECT_INT(ANeuralNetworksMemory_copy(full.memory, device_memory), ANEURALNETWORKS_NO_ERROR);
    code = ANeuralNetworksMemory_copy(device_memory, file_memory.memory);
    if (protect & WRITE)
        EXPECT(code == ANEURALNETWORKS_NO_ERROR && file_memory_value(&file_memory, 3) == 23);
    else
        expect_refused(code, ANEURALNETWORKS_UNMAPPABLE,
                       "destination: the memory was made without PROT_WRITE", "destination",
                       protect);
    file_memory_free(&full);
    file_memory_free(&file_memory);
}

static ANeuralNetworksMemory *memory_for_input(ANeuralNetworksCompilation *compilation)
{
    ANeuralNetworksMemoryDesc *desc = NULL;
    ANeuralNetworksMemory *memory = NULL;
    int code = ANeuralNetworksMemoryDesc_create(&desc);

    code |= ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1.0f);
    code |= ANeuralNetworksMemoryDesc_finish(desc);
    code |= ANeuralNetworksMemory_createFromDesc(desc, &memory);
    EXPECT_INT(code, ANEURALNETWORKS_NO_ERROR);
    ANeuralNetworksMemoryDesc_free(desc);
    return memory;
}

void protections_copy(const char *name)
{
    struct file_memory constant = file_memory_make(READ, 1);
    ANeuralNetworksModel *model = model_make(&constant, ANEURALNETWORKS_ADD);
    ANeuralNetworksCompilation *compilation = compile(model, &name, 1, false);
    ANeuralNetworksMemory *device_memory = memory_for_input(compilation);

    for (size_t i = 0; i < PROTECTIONS; i++) {
        expect_device_copy(device_memory, protections[i]);
        for (size_t k = 0; k < PROTECTIONS; k++)
            expect_file_copy(protections[i], protections[k]);
    }
    ANeuralNetworksMemory_free(device_memory);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    file_memory_free(&constant);
}
