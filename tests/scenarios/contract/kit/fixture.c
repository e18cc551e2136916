#include "fixture.h"

#include <sys/mman.h>
#include <unistd.h>

static const uint32_t extent = EXTENT, open_extent = 0, first = 0, second = 1;

const ANeuralNetworksOperandType float_tensor = {
    .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &extent};
const ANeuralNetworksOperandType open_tensor = {
    .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &open_extent};
const ANeuralNetworksOperandType int32_scalar = {.type = ANEURALNETWORKS_INT32};

/* ---- Models ---------------------------------------------------------------------------------- */

ANeuralNetworksModel *model_of(uint32_t count, const ANeuralNetworksOperandType *operands)
{
    ANeuralNetworksModel *model = NULL;

    EXPECT_OK(ANeuralNetworksModel_create(&model));
    for (uint32_t i = 0; i < count; i++)
        EXPECT_OK(ANeuralNetworksModel_addOperand(model, &operands[i]));
    return model;
}

static ANeuralNetworksModel *open_relu_of(const ANeuralNetworksOperandType *tensor)
{
    ANeuralNetworksModel *model =
        model_of(2, (const ANeuralNetworksOperandType[]){*tensor, *tensor});

    EXPECT_OK(
        ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &first, 1, &second));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &first, 1, &second));
    return model;
}

ANeuralNetworksModel *relu_model(enum model_state state)
{
    ANeuralNetworksModel *model = open_relu_of(&float_tensor);

    if (state == MODEL_INVALID) {
        EXPECT_OK(ANeuralNetworksModel_addOperand(model, &float_tensor));
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_finish(model));
    }
    if (state == MODEL_FINISHED)
        EXPECT_OK(ANeuralNetworksModel_finish(model));
    return model;
}

ANeuralNetworksModel *relu_of(const ANeuralNetworksOperandType *tensor)
{
    ANeuralNetworksModel *model = open_relu_of(tensor);
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    return model;
}

/* RELU, then an operation that is well-formed, but that no device can run. */
static ANeuralNetworksModel *model_nobody_can_run(void)
{
    ANeuralNetworksModel *model =
        model_of(3, (const ANeuralNetworksOperandType[]){float_tensor, float_tensor, float_tensor});
    const uint32_t third = 2;
    int32_t type = 0;

    EXPECT_OK(ANeuralNetworksModel_getExtensionOperationType(model, "com.nobody.has", 1, &type));
    EXPECT_OK(
        ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &first, 1, &second));
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, type, 1, &second, 1, &third));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &first, 1, &third));
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    return model;
}

/* ---- Devices --------------------------------------------------------------------------------- */

uint32_t device_count(void)
{
    uint32_t count = 0;
    EXPECT_OK(ANeuralNetworks_getDeviceCount(&count));
    return count;
}

ANeuralNetworksDevice *device_named(const char *wanted)
{
    const uint32_t count = device_count();

    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = NULL;
        EXPECT_OK(ANeuralNetworks_getDevice(i, &device));
        EXPECT_OK(ANeuralNetworksDevice_getName(device, &name));
        if (name && strcmp(name, wanted) == 0)
            return device;
    }
    hy_test_fail(__FILE__, __LINE__, "there is no device %s", wanted);
    return NULL;
}

/* ---- Compilations ---------------------------------------------------------------------------- */

struct compiled compiled_start(ANeuralNetworksModel *model, enum device_selection selection)
{
    struct compiled compiled = {.model = model};

    if (selection == ALL_DEVICES) {
        EXPECT_OK(ANeuralNetworksCompilation_create(model, &compiled.compilation));
    } else {
        const ANeuralNetworksDevice *devices[] = {device_named("halyard-cpu"),
                                                  device_named("nnapi-reference")};
        EXPECT_OK(ANeuralNetworksCompilation_createForDevices(
            model, devices, selection == ONE_DEVICE ? 1 : 2, &compiled.compilation));
    }
    return compiled;
}

struct compiled compiled_in(enum compilation_state state, enum device_selection selection)
{
    struct compiled compiled = compiled_start(
        state == COMPILATION_FAILED ? model_nobody_can_run() : relu_model(MODEL_FINISHED),
        selection);

    if (state == COMPILATION_FINISHED)
        EXPECT_OK(ANeuralNetworksCompilation_finish(compiled.compilation));
    /* acme-down, one of all, has not said whether it could. */
    if (state == COMPILATION_FAILED && selection == ALL_DEVICES)
        EXPECT_FAIL(UNAVAILABLE_DEVICE, ANeuralNetworksCompilation_finish(compiled.compilation));
    else if (state == COMPILATION_FAILED)
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksCompilation_finish(compiled.compilation));
    return compiled;
}

struct compiled compiled_of(const ANeuralNetworksOperandType *tensor)
{
    struct compiled compiled = compiled_start(relu_of(tensor), ALL_DEVICES);
    EXPECT_OK(ANeuralNetworksCompilation_finish(compiled.compilation));
    return compiled;
}

void compiled_free(struct compiled *compiled)
{
    ANeuralNetworksCompilation_free(compiled->compilation);
    ANeuralNetworksModel_free(compiled->model);
    *compiled = (struct compiled){0};
}

/* ---- Memory ---------------------------------------------------------------------------------- */

int file_of(size_t size)
{
    int fd = memfd_create("halyard-test", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)size) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

ANeuralNetworksMemory *memory_of(size_t size, int protect)
{
    ANeuralNetworksMemory *memory = NULL;
    int fd = file_of(size);

    EXPECT_OK(ANeuralNetworksMemory_createFromFd(size, protect, fd, 0, &memory));
    if (fd >= 0)
        close(fd);
    return memory;
}

/* ---- Memory by its uses ---------------------------------------------------------------------- */

ANeuralNetworksMemoryDesc *open_desc(void)
{
    ANeuralNetworksMemoryDesc *desc = NULL;
    EXPECT_OK(ANeuralNetworksMemoryDesc_create(&desc));
    return desc;
}

ANeuralNetworksMemory *made_from(ANeuralNetworksMemoryDesc *desc)
{
    ANeuralNetworksMemory *memory = NULL;

    EXPECT_OK(ANeuralNetworksMemoryDesc_finish(desc));
    EXPECT_OK(ANeuralNetworksMemory_createFromDesc(desc, &memory));
    ANeuralNetworksMemoryDesc_free(desc);
    return memory;
}

ANeuralNetworksMemory *input_memory(const struct compiled *compiled)
{
    ANeuralNetworksMemoryDesc *desc = open_desc();
    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compiled->compilation, 0, 1));
    return made_from(desc);
}
