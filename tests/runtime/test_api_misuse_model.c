/* The model and memory functions of the API, called as they must not be. */
#include "test.h"

#include <android/NeuralNetworks.h>
#include <halyard/halyard.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define NO_ERROR ANEURALNETWORKS_NO_ERROR
#define NULL_    ANEURALNETWORKS_UNEXPECTED_NULL
#define BAD_DATA ANEURALNETWORKS_BAD_DATA
#define STATE    ANEURALNETWORKS_BAD_STATE
#define FAILED   ANEURALNETWORKS_OP_FAILED

static const ANeuralNetworksOperandType float4 = {
    .type = ANEURALNETWORKS_TENSOR_FLOAT32,
    .dimensionCount = 1,
    .dimensions = (const uint32_t[]){4},
};
static const uint32_t zero = 0, one = 1;

/* output = RELU(input), open: operands 0 and 1. */
static ANeuralNetworksModel *relu_model(void)
{
    ANeuralNetworksModel *model = NULL;
    int code = ANeuralNetworksModel_create(&model);

    for (int i = 0; i < 2 && code == NO_ERROR; i++)
        code = ANeuralNetworksModel_addOperand(model, &float4);
    if (code == NO_ERROR)
        code = ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &zero, 1, &one);
    if (code == NO_ERROR)
        code = ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &zero, 1, &one);
    if (code == NO_ERROR)
        return model;
    ANeuralNetworksModel_free(model);
    return NULL;
}

static ANeuralNetworksMemory *shared_memory(size_t size)
{
    ANeuralNetworksMemory *memory = NULL;
    int fd = memfd_create("halyard-test", MFD_CLOEXEC);

    if (fd >= 0 && ftruncate(fd, (off_t)size) == 0 &&
        ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, fd, 0, &memory) !=
            NO_ERROR)
        memory = NULL;
    if (fd >= 0)
        close(fd);
    return memory;
}

/* ---- NULL ----------------------------------------------------------------------------------- */

TEST(runtime_api_model, null_model_is_unexpected_everywhere)
{
    ANeuralNetworksMemory *memory = shared_memory(16);
    const ANeuralNetworksSymmPerChannelQuantParams quant = {0};
    ANeuralNetworksModel *model = relu_model();
    int32_t type = 7;
    REQUIRE(memory && model);

    EXPECT_INT(ANeuralNetworksModel_create(NULL), NULL_);
    EXPECT_INT(ANeuralNetworksModel_finish(NULL), NULL_);
    EXPECT_STR(halyard_last_error(), "Model_finish: model is NULL");
    EXPECT_INT(halyard_last_error_code(), NULL_);
    EXPECT_INT(ANeuralNetworksModel_addOperand(NULL, &float4), NULL_);
    EXPECT_INT(ANeuralNetworksModel_setOperandValue(NULL, 0, NULL, 0), NULL_);
    EXPECT_INT(ANeuralNetworksModel_setOperandValueFromMemory(NULL, 0, memory, 0, 16), NULL_);
    EXPECT_INT(ANeuralNetworksModel_setOperandValueFromModel(NULL, 0, model), NULL_);
    EXPECT_INT(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(NULL, 0, &quant), NULL_);
    EXPECT_INT(ANeuralNetworksModel_setOperandExtensionData(NULL, 0, NULL, 0), NULL_);
    EXPECT_INT(ANeuralNetworksModel_addOperation(NULL, 0, 1, &zero, 1, &one), NULL_);
    EXPECT_INT(ANeuralNetworksModel_identifyInputsAndOutputs(NULL, 1, &zero, 1, &one), NULL_);
    EXPECT_INT(ANeuralNetworksModel_relaxComputationFloat32toFloat16(NULL, true), NULL_);
    EXPECT_INT(ANeuralNetworksModel_getExtensionOperandType(NULL, "a.b", 0, &type), NULL_);
    EXPECT_INT(ANeuralNetworksModel_getExtensionOperationType(NULL, "a.b", 0, &type), NULL_);
    ANeuralNetworksModel_free(NULL);
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(memory);
}

TEST(runtime_api_model, null_argument_is_unexpected_before_the_state_is_looked_at)
{
    ANeuralNetworksModel *model = relu_model();
    int32_t type;
    REQUIRE(model != NULL);
    EXPECT_INT(ANeuralNetworksModel_finish(model), NO_ERROR);

    EXPECT_INT(ANeuralNetworksModel_addOperand(model, NULL), NULL_);
    EXPECT_STR(halyard_last_error(), "Model_addOperand: type is NULL");
    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, 0, NULL, 4), NULL_);
    EXPECT_INT(ANeuralNetworksModel_setOperandValueFromMemory(model, 0, NULL, 0, 4), NULL_);
    EXPECT_INT(ANeuralNetworksModel_setOperandValueFromModel(model, 0, NULL), NULL_);
    EXPECT_INT(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 0, NULL), NULL_);
    EXPECT_INT(ANeuralNetworksModel_setOperandExtensionData(model, 0, NULL, 4), NULL_);
    EXPECT_INT(ANeuralNetworksModel_addOperation(model, 0, 0, NULL, 1, &one), NULL_);
    EXPECT_INT(ANeuralNetworksModel_addOperation(model, 0, 1, &one, 0, NULL), NULL_);
    EXPECT_INT(ANeuralNetworksModel_identifyInputsAndOutputs(model, 0, NULL, 1, &one), NULL_);
    EXPECT_INT(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &one, 0, NULL), NULL_);
    EXPECT_INT(ANeuralNetworksModel_getExtensionOperandType(model, NULL, 0, &type), NULL_);
    EXPECT_INT(ANeuralNetworksModel_getExtensionOperationType(model, "a.b", 0, NULL), NULL_);
    ANeuralNetworksModel_free(model);
}

/* Stands for an object that no call may look into. */
static void *nonsense(void)
{
    static max_align_t object;
    return &object;
}

TEST(runtime_api_memory, null_is_unexpected_and_failure_gives_no_object)
{
    ANeuralNetworksMemory *memory = nonsense();

    EXPECT_INT(ANeuralNetworksMemory_createFromFd(8, PROT_READ, 0, 0, NULL), NULL_);
    EXPECT_INT(ANeuralNetworksMemory_createFromFd(8, PROT_READ, -1, 0, &memory), FAILED);
    EXPECT(memory == NULL);
    EXPECT_CONTAINS(halyard_last_error(), "Memory_createFromFd: file descriptor -1");
    memory = nonsense();
    EXPECT_INT(ANeuralNetworksMemory_createFromFd(0, PROT_READ, 0, 0, &memory), BAD_DATA);
    EXPECT(memory == NULL);
    memory = nonsense();
    EXPECT_INT(ANeuralNetworksMemory_createFromAHardwareBuffer(NULL, &memory), NULL_);
    EXPECT(memory == NULL);
    memory = nonsense();
    EXPECT_INT(ANeuralNetworksMemory_createFromDesc(NULL, &memory), NULL_);
    EXPECT(memory == NULL);
    EXPECT_INT(ANeuralNetworksMemory_createFromAHardwareBuffer(nonsense(), NULL), NULL_);
    EXPECT_INT(ANeuralNetworksMemory_createFromDesc(nonsense(), NULL), NULL_);
    EXPECT_INT(ANeuralNetworksMemory_copy(NULL, nonsense()), NULL_);
    EXPECT_INT(ANeuralNetworksMemory_copy(nonsense(), NULL), NULL_);
    ANeuralNetworksMemory_free(NULL);
}

TEST(runtime_api_memory, descriptor_calls_check_for_null)
{
    ANeuralNetworksMemoryDesc *desc = nonsense();

    EXPECT_INT(ANeuralNetworksMemoryDesc_create(NULL), NULL_);
    EXPECT_INT(ANeuralNetworksMemoryDesc_addInputRole(NULL, nonsense(), 0, 1), NULL_);
    EXPECT_INT(ANeuralNetworksMemoryDesc_addOutputRole(desc, NULL, 0, 1), NULL_);
    EXPECT_INT(ANeuralNetworksMemoryDesc_setDimensions(NULL, 0, NULL), NULL_);
    EXPECT_INT(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, NULL), NULL_);
    EXPECT_INT(ANeuralNetworksMemoryDesc_finish(NULL), NULL_);
    ANeuralNetworksMemoryDesc_free(NULL);
}

TEST(runtime_api_model, what_is_not_implemented_says_so)
{
    ANeuralNetworksMemory *memory = nonsense();

    EXPECT_INT(ANeuralNetworksMemory_createFromAHardwareBuffer(nonsense(), &memory), FAILED);
    EXPECT_STR(halyard_last_error(), "Memory_createFromAHardwareBuffer: not implemented");
    EXPECT(memory == NULL);
}

/* ---- Wrong values and moments --------------------------------------------------------------- */

TEST(runtime_api_model, failure_is_told_with_function_object_and_numbers)
{
    ANeuralNetworksModel *model = relu_model();
    REQUIRE(model != NULL);

    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, -1, &zero, 4), BAD_DATA);
    EXPECT_STR(halyard_last_error(),
               "Model_setOperandValue: operand 4294967295 does not exist, the model has 2");
    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, 0, &zero, 0), BAD_DATA);
    EXPECT_INT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 0, &zero, 1, &one),
               BAD_DATA);
    EXPECT_INT(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &zero, 0, &one), BAD_DATA);
    EXPECT_INT(ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true), NO_ERROR);
    EXPECT_INT(ANeuralNetworksModel_finish(model), NO_ERROR);
    EXPECT_INT(ANeuralNetworksModel_finish(model), STATE);
    EXPECT_STR(halyard_last_error(), "Model_finish: the model is finished already");
    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &float4), STATE);
    ANeuralNetworksModel_free(model);
}

TEST(runtime_api_model, memory_may_be_freed_before_the_model_that_uses_it)
{
    ANeuralNetworksModel *model = relu_model();
    ANeuralNetworksMemory *memory = shared_memory(16);
    REQUIRE(model && memory);

    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &float4), NO_ERROR);
    EXPECT_INT(ANeuralNetworksModel_setOperandValueFromMemory(model, 2, memory, 0, 16), NO_ERROR);
    ANeuralNetworksMemory_free(memory);
    EXPECT_INT(ANeuralNetworksModel_finish(model), NO_ERROR);
    ANeuralNetworksModel_free(model);
}

/* ---- At random ------------------------------------------------------------------------------ */

/* A sequence of calls with arguments that are often right and often not. */
struct misuse {
    uint64_t seed;
    ANeuralNetworksModel *model;
    ANeuralNetworksMemory *memory;
    unsigned finished; /* models that were valid after all */
};

static uint32_t random_below(struct misuse *m, uint32_t limit)
{
    m->seed ^= m->seed << 13;
    m->seed ^= m->seed >> 7;
    m->seed ^= m->seed << 17;
    return (uint32_t)(m->seed >> 32) % limit;
}

static uint32_t random_index(struct misuse *m)
{
    return random_below(m, 20) == 0 ? (uint32_t)m->seed : random_below(m, 5);
}

static size_t random_length(struct misuse *m)
{
    static const size_t lengths[] = {0, 1, 2, 4, 8, 16, 128, 132, 4096, SIZE_MAX, SIZE_MAX - 3};
    return lengths[random_below(m, sizeof lengths / sizeof lengths[0])];
}

static int add_random_operand(struct misuse *m)
{
    static const float scales[] = {0, 1, -1, NAN, INFINITY};
    const uint32_t dims[] = {random_below(m, 5), random_below(m, 34), UINT32_MAX, 7, 1, 1, 1, 1, 1};
    const ANeuralNetworksOperandType type = {
        .type = (int32_t)random_below(m, 19) - 1,
        .dimensionCount = random_below(m, 3) ? random_below(m, 3) : random_below(m, 10),
        .dimensions = random_below(m, 4) ? dims : NULL,
        .scale = scales[random_below(m, 5)],
        .zeroPoint = (int32_t)random_below(m, 3) - 1,
    };
    return ANeuralNetworksModel_addOperand(m->model, random_below(m, 3) ? &float4 : &type);
}

static int set_random_value(struct misuse *m)
{
    static const uint8_t bytes[8192]; /* more than any length above that an operand can have */
    const int32_t index = (int32_t)random_index(m);
    const size_t length = random_length(m);

    switch (random_below(m, 4)) {
    case 0:
        return ANeuralNetworksModel_setOperandValue(m->model, index, NULL, 0);
    case 1:
        return ANeuralNetworksModel_setOperandValueFromMemory(m->model, index, m->memory,
                                                              random_length(m), length);
    case 2: {
        const float scales[] = {1, 2, 3, (float)random_below(m, 2), 5};
        const ANeuralNetworksSymmPerChannelQuantParams quant = {random_below(m, 3),
                                                                random_below(m, 6), scales};
        return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(m->model, index, &quant);
    }
    default:
        return ANeuralNetworksModel_setOperandValue(m->model, index, bytes + random_below(m, 3),
                                                    length);
    }
}

static int add_random_operation(struct misuse *m)
{
    const uint32_t inputs[] = {random_index(m), random_index(m), random_index(m)};
    const uint32_t outputs[] = {random_index(m), random_index(m)};
    const bool simple = random_below(m, 2);

    return ANeuralNetworksModel_addOperation(
        m->model, simple ? ANEURALNETWORKS_RELU : (int32_t)random_below(m, 110) - 1,
        simple ? 1 : random_below(m, 4), inputs, simple ? 1 : random_below(m, 3), outputs);
}

static int identify_at_random(struct misuse *m)
{
    const uint32_t inputs[] = {random_index(m), random_index(m)};
    const uint32_t outputs[] = {random_index(m), random_index(m)};

    return ANeuralNetworksModel_identifyInputsAndOutputs(m->model, random_below(m, 3), inputs,
                                                         random_below(m, 3), outputs);
}

static int finish_or_start_anew(struct misuse *m)
{
    if (random_below(m, 2)) {
        int code = ANeuralNetworksModel_finish(m->model);
        m->finished += code == NO_ERROR;
        return code;
    }
    ANeuralNetworksModel_free(m->model);
    m->model = NULL;
    if (random_below(m, 2))
        return ANeuralNetworksModel_create(&m->model);
    m->model = relu_model(); /* so that not every model is hopeless */
    return m->model ? NO_ERROR : FAILED;
}

static int take_random_step(struct misuse *m)
{
    switch (random_below(m, 11)) {
    case 0:
    case 1:
    case 2:
        return add_random_operand(m);
    case 3:
    case 4:
        return set_random_value(m);
    case 5:
    case 6:
    case 7:
        return add_random_operation(m);
    case 8:
    case 9:
        return identify_at_random(m);
    default:
        return finish_or_start_anew(m);
    }
}

TEST(runtime_api_model, random_calls_never_do_more_than_fail)
{
    struct misuse m = {.seed = 0x9e3779b97f4a7c15, .memory = shared_memory(4096)};
    unsigned seen[ANEURALNETWORKS_DEAD_OBJECT + 1] = {0};
    REQUIRE(m.memory && ANeuralNetworksModel_create(&m.model) == NO_ERROR);

    for (unsigned i = 0; i < 20000; i++) {
        int code = take_random_step(&m);
        REQUIRE(code >= 0 && code <= ANEURALNETWORKS_DEAD_OBJECT);
        seen[code]++;
    }
    EXPECT_INT(seen[NO_ERROR] + seen[NULL_] + seen[BAD_DATA] + seen[STATE], 20000);
    EXPECT(seen[NO_ERROR] > 1000);
    EXPECT(seen[BAD_DATA] > 1000);
    EXPECT(seen[STATE] > 1000);
    EXPECT(m.finished > 10);
    ANeuralNetworksModel_free(m.model);
    ANeuralNetworksMemory_free(m.memory);
}
