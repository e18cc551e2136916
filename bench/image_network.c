#include "bench/image_network.h"
#include "bench/device_by_name.h"

#include <android/NeuralNetworks.h>
#include <errno.h>
#include <halyard/halyard.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/api_result.h"

enum { SIDE = 224, COLOURS = 3, CLASSES = 10, FIRST_CHANNELS = 8, MOST_CONSTANTS = 128 };
enum { IMAGE_BYTES = SIDE * SIDE * COLOURS * 4, RESULT_BYTES = CLASSES * 4 };

struct image_network {
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
    ANeuralNetworksExecution *execution;
    ANeuralNetworksBurst *burst;
    ANeuralNetworksMemory *memory;
    float *constants[MOST_CONSTANTS]; /* the model refers to them */
    uint32_t constant_count;
    int32_t process_id; /* of the device */

    /* while the model is made */
    uint32_t operand_count;
    uint32_t last; /* operand: what the next layer gets */
    uint32_t side, channels;
    enum hy_code code;
    struct hy_error *err;
};

/* The blocks of MobileNet v1, at a quarter of the width: channels and stride. */
static const struct {
    uint32_t channels;
    int32_t stride;
} blocks[IMAGE_NETWORK_BLOCKS] = {{16, 1},  {32, 2},  {32, 1},  {64, 2},  {64, 1},
                                  {128, 2}, {128, 1}, {128, 1}, {128, 1}, {128, 1},
                                  {128, 1}, {256, 2}, {256, 1}};

/* ---- Operands -------------------------------------------------------------------------------- */

/* The first failure counts, and nothing is done after it. */
static bool good(struct image_network *network, int result, const char *call)
{
    if (network->code == HY_OK)
        network->code = hy_api_result(result, call, network->err);
    return network->code == HY_OK;
}

static uint32_t add_operand(struct image_network *network, int32_t type, uint32_t rank,
                            const uint32_t *dims)
{
    const ANeuralNetworksOperandType operand = {
        .type = type, .dimensionCount = rank, .dimensions = dims};

    if (network->code == HY_OK)
        (void)good(network, ANeuralNetworksModel_addOperand(network->model, &operand),
                   "Model_addOperand");
    return network->operand_count++;
}

static uint32_t add_number(struct image_network *network, int32_t value)
{
    const uint32_t operand = add_operand(network, ANEURALNETWORKS_INT32, 0, NULL);

    if (network->code == HY_OK)
        (void)good(network,
                   ANeuralNetworksModel_setOperandValue(network->model, (int32_t)operand, &value,
                                                        sizeof value),
                   "Model_setOperandValue");
    return operand;
}

/* Small numbers that are not all the same. */
static uint32_t add_weights(struct image_network *network, uint32_t rank, const uint32_t *dims)
{
    const uint32_t operand = add_operand(network, ANEURALNETWORKS_TENSOR_FLOAT32, rank, dims);
    size_t count = 1;
    for (uint32_t i = 0; i < rank; i++)
        count *= dims[i];
    float *values = network->constant_count < MOST_CONSTANTS ? calloc(count, sizeof *values) : NULL;
    if (!values) {
        if (network->code == HY_OK)
            network->code = hy_fail(network->err, HY_OUT_OF_MEMORY, "%zu weights", count);
        return operand;
    }

    network->constants[network->constant_count++] = values;
    for (size_t i = 0; i < count; i++)
        values[i] = (float)((i * 2654435761u >> 7) % 201) / 1000.0f - 0.1f;
    if (network->code == HY_OK)
        (void)good(network,
                   ANeuralNetworksModel_setOperandValue(network->model, (int32_t)operand, values,
                                                        count * sizeof *values),
                   "Model_setOperandValue");
    return operand;
}

/* ---- Layers ---------------------------------------------------------------------------------- */

/* Its output has the side and channels that the network has now. */
static void add_layer(struct image_network *network, ANeuralNetworksOperationType type,
                      const uint32_t *inputs, uint32_t count)
{
    const uint32_t dims[] = {1, network->side, network->side, network->channels};
    const uint32_t output = add_operand(network, ANEURALNETWORKS_TENSOR_FLOAT32, 4, dims);

    if (network->code == HY_OK)
        (void)good(
            network,
            ANeuralNetworksModel_addOperation(network->model, type, count, inputs, 1, &output),
            "Model_addOperation");
    network->last = output;
}

static void add_conv(struct image_network *network, uint32_t kernel, int32_t stride,
                     uint32_t channels)
{
    const uint32_t weights[] = {channels, kernel, kernel, network->channels};
    const uint32_t inputs[] = {network->last,
                               add_weights(network, 4, weights),
                               add_weights(network, 1, &channels),
                               add_number(network, ANEURALNETWORKS_PADDING_SAME),
                               add_number(network, stride),
                               add_number(network, stride),
                               add_number(network, ANEURALNETWORKS_FUSED_RELU6)};

    network->side = (network->side + (uint32_t)stride - 1) / (uint32_t)stride;
    network->channels = channels;
    add_layer(network, ANEURALNETWORKS_CONV_2D, inputs, 7);
}

static void add_depthwise(struct image_network *network, int32_t stride)
{
    const uint32_t weights[] = {1, 3, 3, network->channels};
    const uint32_t inputs[] = {network->last,
                               add_weights(network, 4, weights),
                               add_weights(network, 1, &network->channels),
                               add_number(network, ANEURALNETWORKS_PADDING_SAME),
                               add_number(network, stride),
                               add_number(network, stride),
                               add_number(network, 1),
                               add_number(network, ANEURALNETWORKS_FUSED_RELU6)};

    network->side = (network->side + (uint32_t)stride - 1) / (uint32_t)stride;
    add_layer(network, ANEURALNETWORKS_DEPTHWISE_CONV_2D, inputs, 8);
}

static void add_pooling(struct image_network *network)
{
    const int32_t side = (int32_t)network->side;
    const uint32_t inputs[] = {network->last,
                               add_number(network, ANEURALNETWORKS_PADDING_VALID),
                               add_number(network, side),
                               add_number(network, side),
                               add_number(network, side),
                               add_number(network, side),
                               add_number(network, ANEURALNETWORKS_FUSED_NONE)};

    network->side = 1;
    add_layer(network, ANEURALNETWORKS_AVERAGE_POOL_2D, inputs, 7);
}

static enum hy_code make_model(struct image_network *network, uint32_t block_count)
{
    static const uint32_t picture[] = {1, SIDE, SIDE, COLOURS};

    if (!good(network, ANeuralNetworksModel_create(&network->model), "Model_create"))
        return network->code;
    network->side = SIDE;
    network->channels = COLOURS;
    const uint32_t input = add_operand(network, ANEURALNETWORKS_TENSOR_FLOAT32, 4, picture);
    network->last = input;
    add_conv(network, 3, 2, FIRST_CHANNELS);
    for (uint32_t i = 0; i < block_count; i++) {
        add_depthwise(network, blocks[i].stride);
        add_conv(network, 1, 1, blocks[i].channels);
    }
    add_pooling(network);
    add_conv(network, 1, 1, CLASSES);
    if (network->code == HY_OK)
        (void)good(network,
                   ANeuralNetworksModel_identifyInputsAndOutputs(network->model, 1, &input, 1,
                                                                 &network->last),
                   "Model_identifyInputsAndOutputs");
    if (network->code == HY_OK)
        (void)good(network, ANeuralNetworksModel_finish(network->model), "Model_finish");
    return network->code;
}

/* ---- Compiling ------------------------------------------------------------------------------- */

static enum hy_code compile(struct image_network *network)
{
    struct halyard_device_info info = {.struct_size = sizeof info};
    const ANeuralNetworksDevice *device = hy_bench_device("halyard-cpu");

    if (!device)
        return hy_fail(network->err, HY_BAD_DATA, "there is no halyard-cpu");
    if (good(network, halyard_device_get_info(device, &info), "device_get_info"))
        network->process_id = info.process_id;
    if (good(network,
             ANeuralNetworksCompilation_createForDevices(network->model, &device, 1,
                                                         &network->compilation),
             "Compilation_createForDevices"))
        (void)good(network, ANeuralNetworksCompilation_finish(network->compilation),
                   "Compilation_finish");
    return network->code;
}

static enum hy_code make_memory(struct image_network *network)
{
    const size_t bytes = IMAGE_BYTES + RESULT_BYTES;
    const int fd = memfd_create("image", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        network->code = hy_fail(network->err, HY_FAILED, "%zu bytes: %s", bytes, strerror(errno));
    else
        (void)good(network,
                   ANeuralNetworksMemory_createFromFd(bytes, PROT_READ | PROT_WRITE, fd, 0,
                                                      &network->memory),
                   "Memory_createFromFd");
    float *pixels = network->code == HY_OK
                        ? mmap(NULL, IMAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                        : MAP_FAILED;
    if (pixels != MAP_FAILED) {
        for (size_t i = 0; i < IMAGE_BYTES / sizeof *pixels; i++)
            pixels[i] = (float)(i % 251) / 250.0f;
        munmap(pixels, IMAGE_BYTES);
    }
    if (fd >= 0)
        close(fd);
    return network->code;
}

static enum hy_code bind(struct image_network *network, uint32_t in_burst)
{
    if (good(network, ANeuralNetworksExecution_create(network->compilation, &network->execution),
             "Execution_create") &&
        good(network, ANeuralNetworksExecution_setReusable(network->execution, true),
             "Execution_setReusable") &&
        good(network,
             ANeuralNetworksExecution_setInputFromMemory(network->execution, 0, NULL,
                                                         network->memory, 0, IMAGE_BYTES),
             "Execution_setInputFromMemory") &&
        good(network,
             ANeuralNetworksExecution_setOutputFromMemory(
                 network->execution, 0, NULL, network->memory, IMAGE_BYTES, RESULT_BYTES),
             "Execution_setOutputFromMemory") &&
        in_burst)
        (void)good(network, ANeuralNetworksBurst_create(network->compilation, &network->burst),
                   "Burst_create");
    return network->code;
}

enum hy_code image_network_create(uint32_t block_count, uint32_t in_burst,
                                  struct image_network **ret, struct hy_error *err)
{
    struct image_network *network = calloc(1, sizeof *network);
    if (!network)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a network");

    network->err = err;
    enum hy_code code = make_model(network, block_count);
    if (code == HY_OK)
        code = compile(network);
    if (code == HY_OK)
        code = make_memory(network);
    if (code == HY_OK)
        code = bind(network, in_burst);
    if (code != HY_OK) {
        image_network_destroy(network);
        return code;
    }
    *ret = network;
    return HY_OK;
}

void image_network_destroy(struct image_network *network)
{
    if (!network)
        return;
    ANeuralNetworksBurst_free(network->burst);
    ANeuralNetworksExecution_free(network->execution);
    ANeuralNetworksMemory_free(network->memory);
    ANeuralNetworksCompilation_free(network->compilation);
    ANeuralNetworksModel_free(network->model);
    for (uint32_t i = 0; i < network->constant_count; i++)
        free(network->constants[i]);
    free(network);
}

int32_t image_network_process(const struct image_network *network)
{
    return network->process_id;
}

/* ---- Running --------------------------------------------------------------------------------- */

enum hy_code image_network_run(void *self, struct hy_error *err)
{
    struct image_network *network = self;

    return network->burst ? hy_api_result(ANeuralNetworksExecution_burstCompute(network->execution,
                                                                                network->burst),
                                          "Execution_burstCompute", err)
                          : hy_api_result(ANeuralNetworksExecution_compute(network->execution),
                                          "Execution_compute", err);
}

enum hy_code image_network_copied(const struct image_network *network, uint64_t *bytes,
                                  uint64_t *runs, struct hy_error *err)
{
    struct halyard_plan plan = {.struct_size = sizeof plan};

    enum hy_code code = hy_api_result(halyard_compilation_get_plan(network->compilation, &plan),
                                      "compilation_get_plan", err);
    *bytes = plan.copied_bytes;
    *runs = plan.execution_count;
    return code;
}
