/* Memory of hardware buffers: bytes that serve like those of a file, and images that are arguments
 * as a whole. */
#include "tests/scenarios/contract/kit/fixture.h"

#include <android/hardware_buffer.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CPU_OFTEN (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)

/* ---- Buffers --------------------------------------------------------------------------------- */

static AHardwareBuffer *buffer_of(uint32_t format, uint32_t width, uint32_t height)
{
    const AHardwareBuffer_Desc desc = {
        .width = width, .height = height, .layers = 1, .format = format, .usage = CPU_OFTEN};
    AHardwareBuffer *buffer = NULL;

    EXPECT_INT(AHardwareBuffer_allocate(&desc, &buffer), 0);
    return buffer;
}

static void put(AHardwareBuffer *buffer, const void *bytes, size_t length)
{
    void *address = NULL;

    EXPECT_INT(
        AHardwareBuffer_lock(buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, &address), 0);
    if (address)
        memcpy(address, bytes, length);
    EXPECT_INT(AHardwareBuffer_unlock(buffer, NULL), 0);
}

static void expect_bytes(AHardwareBuffer *buffer, const void *bytes, size_t length)
{
    void *address = NULL;

    EXPECT_INT(
        AHardwareBuffer_lock(buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, -1, NULL, &address), 0);
    EXPECT(address && memcmp(address, bytes, length) == 0);
    EXPECT_INT(AHardwareBuffer_unlock(buffer, NULL), 0);
}

static ANeuralNetworksMemory *memory_over(AHardwareBuffer *buffer)
{
    ANeuralNetworksMemory *memory = NULL;

    EXPECT_OK(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory));
    return memory;
}

/* Bytes, and memory over them. */
struct blob {
    AHardwareBuffer *buffer;
    ANeuralNetworksMemory *memory;
};

static struct blob blob_with(const void *bytes, uint32_t length)
{
    struct blob blob = {.buffer = buffer_of(AHARDWAREBUFFER_FORMAT_BLOB, length, 1)};

    if (bytes)
        put(blob.buffer, bytes, length);
    blob.memory = memory_over(blob.buffer);
    return blob;
}

static void blob_free(struct blob *blob)
{
    ANeuralNetworksMemory_free(blob->memory);
    AHardwareBuffer_release(blob->buffer);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Whatever the machine makes dma-bufs with, or nothing. */
TEST(contract_hardware_buffer, blob_for_a_gpu_serves_as_any_other)
{
    const AHardwareBuffer_Desc desc = {.width = TENSOR_SIZE,
                                       .height = 1,
                                       .layers = 1,
                                       .format = AHARDWAREBUFFER_FORMAT_BLOB,
                                       .usage = CPU_OFTEN | AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER};
    const float numbers[EXTENT] = {1, 2, 3, 4};
    struct blob to = blob_with(NULL, TENSOR_SIZE), blob = {NULL, NULL};

    EXPECT_INT(AHardwareBuffer_isSupported(&desc), 1);
    REQUIRE(AHardwareBuffer_allocate(&desc, &blob.buffer) == 0);
    put(blob.buffer, numbers, sizeof numbers);
    blob.memory = memory_over(blob.buffer);
    EXPECT_OK(ANeuralNetworksMemory_copy(blob.memory, to.memory));
    expect_bytes(to.buffer, numbers, sizeof numbers);
    blob_free(&blob);
    blob_free(&to);
}

TEST(contract_hardware_buffer, missing_arguments_come_first)
{
    AHardwareBuffer *buffer = buffer_of(AHARDWAREBUFFER_FORMAT_BLOB, 8, 1);
    ANeuralNetworksMemory *memory = OLD_VALUE(ANeuralNetworksMemory);

    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, NULL));
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksMemory_createFromAHardwareBuffer(NULL, &memory));
    EXPECT(memory == NULL);
    AHardwareBuffer_release(buffer);
}

TEST(contract_hardware_buffer, blob_serves_as_input_and_output)
{
    static const float values[EXTENT] = {1, -2, 3.5f, -0.5f}, wanted[EXTENT] = {1, 0, 3.5f, 0};
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    struct blob in = blob_with(values, TENSOR_SIZE), out = blob_with(NULL, TENSOR_SIZE);
    ANeuralNetworksExecution *execution = NULL;

    REQUIRE_OK(ANeuralNetworksExecution_create(compiled.compilation, &execution));
    EXPECT_OK(
        ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, in.memory, 0, TENSOR_SIZE));
    EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, out.memory, 0,
                                                           TENSOR_SIZE));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    expect_bytes(out.buffer, wanted, TENSOR_SIZE);
    ANeuralNetworksExecution_free(execution);
    blob_free(&in);
    blob_free(&out);
    compiled_free(&compiled);
}

TEST(contract_hardware_buffer, blob_is_used_in_ranges_that_lie_inside)
{
    const uint32_t capacity = TENSOR_SIZE + 8;
    const struct {
        size_t offset, length;
        bool allowed;
    } cases[] = {
        {0, TENSOR_SIZE, true}, {8, TENSOR_SIZE, true}, {9, TENSOR_SIZE, false},
        {capacity, 0, false},   {0, 0, false},          {SIZE_MAX - 7, TENSOR_SIZE, false},
    };
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    struct blob blob = blob_with(NULL, capacity);

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ANeuralNetworksExecution *execution = NULL;
        REQUIRE_OK(ANeuralNetworksExecution_create(compiled.compilation, &execution));
        EXPECT_CODE(code_if(cases[i].allowed),
                    ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, blob.memory,
                                                                cases[i].offset, cases[i].length));
        ANeuralNetworksExecution_free(execution);
    }
    blob_free(&blob);
    compiled_free(&compiled);
}

/* An ADD of the input and the constants that `memory` holds. */
static struct compiled sum_with(ANeuralNetworksMemory *memory)
{
    static const uint32_t inputs[] = {0, 1, 2}, output = 3, in = 0;
    const ANeuralNetworksOperandType operands[] = {float_tensor, float_tensor, int32_scalar,
                                                   float_tensor};
    const int32_t no_activation = ANEURALNETWORKS_FUSED_NONE;
    ANeuralNetworksModel *model = model_of(COUNT_OF(operands), operands);

    EXPECT_OK(ANeuralNetworksModel_setOperandValueFromMemory(model, 1, memory, 0, TENSOR_SIZE));
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 2, &no_activation, sizeof no_activation));
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, &output));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &output));
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    struct compiled compiled = compiled_start(model, ALL_DEVICES);
    EXPECT_OK(ANeuralNetworksCompilation_finish(compiled.compilation));
    return compiled;
}

TEST(contract_hardware_buffer, blob_holds_constants)
{
    static const float values[EXTENT] = {1, 2, 3, 4}, wanted[EXTENT] = {2, 4, 6, 8};
    struct blob blob = blob_with(values, TENSOR_SIZE);
    struct compiled compiled = sum_with(blob.memory);
    ANeuralNetworksExecution *execution = NULL;
    float sum[EXTENT] = {0};

    REQUIRE_OK(ANeuralNetworksExecution_create(compiled.compilation, &execution));
    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, values, TENSOR_SIZE));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, sum, TENSOR_SIZE));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    EXPECT(memcmp(sum, wanted, TENSOR_SIZE) == 0);
    ANeuralNetworksExecution_free(execution);
    compiled_free(&compiled);
    blob_free(&blob);
}

/* More than Android promises: there the buffer must outlive the memory. */
TEST(contract_hardware_buffer, memory_does_not_need_the_buffer)
{
    static const float values[EXTENT] = {1, 2, 3, 4};
    struct blob from = blob_with(values, TENSOR_SIZE), to = blob_with(NULL, TENSOR_SIZE);

    AHardwareBuffer_release(from.buffer);
    EXPECT_OK(ANeuralNetworksMemory_copy(from.memory, to.memory));
    expect_bytes(to.buffer, values, TENSOR_SIZE);
    ANeuralNetworksMemory_free(from.memory);
    blob_free(&to);
}

TEST(contract_hardware_buffer, copies_between_blob_and_file_need_equal_sizes)
{
    static const float values[EXTENT] = {1, 2, 3, 4};
    struct blob blob = blob_with(values, TENSOR_SIZE);
    ANeuralNetworksMemory *file = memory_of(TENSOR_SIZE, PROT_READ | PROT_WRITE);
    ANeuralNetworksMemory *longer = memory_of(TENSOR_SIZE + 1, PROT_READ | PROT_WRITE);
    struct blob back = blob_with(NULL, TENSOR_SIZE);

    EXPECT_OK(ANeuralNetworksMemory_copy(blob.memory, file));
    EXPECT_OK(ANeuralNetworksMemory_copy(file, back.memory));
    expect_bytes(back.buffer, values, TENSOR_SIZE);
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(blob.memory, longer));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(longer, blob.memory));
    ANeuralNetworksMemory_free(file);
    ANeuralNetworksMemory_free(longer);
    blob_free(&blob);
    blob_free(&back);
}

TEST(contract_hardware_buffer, many_memories_over_one_buffer_leave_nothing)
{
    AHardwareBuffer *buffer = buffer_of(AHARDWAREBUFFER_FORMAT_BLOB, 4096, 1);
    uint32_t failures = 0;

    for (uint32_t i = 0; i < 10000; i++) {
        ANeuralNetworksMemory *memory = NULL;
        failures += ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory) !=
                    ANEURALNETWORKS_NO_ERROR;
        ANeuralNetworksMemory_free(memory);
    }
    EXPECT_INT(failures, 0);
    const int next = dup(0);
    EXPECT(next < 1000);
    close(next);
    AHardwareBuffer_release(buffer);
}

/* ---- Images ---------------------------------------------------------------------------------- */

/* The RELU of pictures of 4 x 16 pixels with 4 channels. */
static const uint32_t picture_dims[] = {1, 4, 16, 4};
#define PICTURE_SIZE (4 * 16 * 4)

static const ANeuralNetworksOperandType picture = {
    .type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
    .dimensionCount = 4,
    .dimensions = picture_dims,
    .scale = 0.5f,
    .zeroPoint = 128,
};

/* Memory over a picture that counts up from 0, or is all zero. */
static struct blob picture_with(bool counts)
{
    struct blob image = {.buffer = buffer_of(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 4)};
    uint8_t bytes[PICTURE_SIZE];

    for (size_t i = 0; i < PICTURE_SIZE; i++)
        bytes[i] = counts ? (uint8_t)i : 0;
    put(image.buffer, bytes, PICTURE_SIZE);
    image.memory = memory_over(image.buffer);
    return image;
}

static void expect_relu_of_picture(AHardwareBuffer *buffer)
{
    uint8_t bytes[PICTURE_SIZE];

    for (size_t i = 0; i < PICTURE_SIZE; i++)
        bytes[i] = i < 128 ? 128 : (uint8_t)i;
    expect_bytes(buffer, bytes, PICTURE_SIZE);
}

TEST(contract_hardware_buffer, image_serves_as_input_and_output_as_a_whole)
{
    struct compiled compiled = compiled_of(&picture);
    struct blob in = picture_with(true), out = picture_with(false);
    ANeuralNetworksExecution *execution = NULL;

    for (uint32_t i = 0; i < 3; i++) { /* as new, and with arguments as before */
        REQUIRE_OK(ANeuralNetworksExecution_create(compiled.compilation, &execution));
        EXPECT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, in.memory, 0, 0));
        EXPECT_OK(
            ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, out.memory, 0, 0));
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        ANeuralNetworksExecution_free(execution);
        expect_relu_of_picture(out.buffer);
    }
    blob_free(&in);
    blob_free(&out);
    compiled_free(&compiled);
}

TEST(contract_hardware_buffer, image_and_plain_memory_go_together)
{
    struct compiled compiled = compiled_of(&picture);
    struct blob in = picture_with(true), out = blob_with(NULL, PICTURE_SIZE);
    ANeuralNetworksExecution *execution = NULL;

    REQUIRE_OK(ANeuralNetworksExecution_create(compiled.compilation, &execution));
    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true));
    EXPECT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, in.memory, 0, 0));
    EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, out.memory, 0,
                                                           PICTURE_SIZE));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    expect_relu_of_picture(out.buffer);
    ANeuralNetworksExecution_free(execution);
    blob_free(&in);
    blob_free(&out);
    compiled_free(&compiled);
}

TEST(contract_hardware_buffer, part_of_an_image_is_refused)
{
    static const struct {
        size_t offset, length;
    } cases[] = {{0, PICTURE_SIZE}, {0, 1}, {4, 0}, {4, PICTURE_SIZE}, {SIZE_MAX, SIZE_MAX}};
    struct compiled compiled = compiled_of(&picture);
    struct blob image = picture_with(true);
    ANeuralNetworksExecution *execution = NULL;

    REQUIRE_OK(ANeuralNetworksExecution_create(compiled.compilation, &execution));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        EXPECT_FAIL(BAD_DATA,
                    ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, image.memory,
                                                                cases[i].offset, cases[i].length));
        EXPECT_FAIL(BAD_DATA,
                    ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, image.memory,
                                                                 cases[i].offset, cases[i].length));
    }
    EXPECT_CONTAINS(halyard_last_error(), "offset 0 and length 0");
    ANeuralNetworksExecution_free(execution);
    blob_free(&image);
    compiled_free(&compiled);
}

TEST(contract_hardware_buffer, image_holds_no_constants)
{
    struct blob image = picture_with(true);
    ANeuralNetworksModel *model = model_of(1, &picture);

    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksModel_setOperandValueFromMemory(model, 0, image.memory, 0, 0));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandValueFromMemory(model, 0, image.memory, 0,
                                                                         PICTURE_SIZE));
    EXPECT_CONTAINS(halyard_last_error(), "image");
    ANeuralNetworksModel_free(model);
    blob_free(&image);
}

/* What no device reads fails the execution, in words, and does no harm. */
TEST(contract_hardware_buffer, image_that_is_no_tensor_fails_the_execution)
{
    static const struct {
        uint32_t format, width, height;
    } cases[] = {
        {AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 5}, /* another height */
        {AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 15, 4}, /* gaps between rows */
        {AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 64, 4},   /* other channels */
        {AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 16, 4},   /* planes */
        {AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 16, 4},
    };
    struct compiled compiled = compiled_of(&picture);
    uint8_t result[PICTURE_SIZE];

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AHardwareBuffer *buffer = buffer_of(cases[i].format, cases[i].width, cases[i].height);
        ANeuralNetworksMemory *memory = memory_over(buffer);
        ANeuralNetworksExecution *execution = NULL;
        REQUIRE_OK(ANeuralNetworksExecution_create(compiled.compilation, &execution));
        EXPECT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, 0));
        EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, result, PICTURE_SIZE));
        EXPECT_FAIL(OP_FAILED, ANeuralNetworksExecution_compute(execution));
        EXPECT_CONTAINS(halyard_last_error(), "image");
        ANeuralNetworksExecution_free(execution);
        ANeuralNetworksMemory_free(memory);
        AHardwareBuffer_release(buffer);
    }
    compiled_free(&compiled);
}

/* A picture of unknown extents: the output is an image whose shape nobody says before the run. */
static int run_open(const struct compiled *compiled, ANeuralNetworksMemory *in,
                    ANeuralNetworksMemory *out, const ANeuralNetworksOperandType *out_type)
{
    ANeuralNetworksExecution *execution = NULL;
    uint32_t dims[4] = {0};

    EXPECT_OK(ANeuralNetworksExecution_create(compiled->compilation, &execution));
    EXPECT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, &picture, in, 0, 0));
    EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, out_type, out, 0, 0));
    const int result = ANeuralNetworksExecution_compute(execution);
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, dims), result);
    EXPECT(memcmp(dims, picture_dims, sizeof dims) == 0);
    ANeuralNetworksExecution_free(execution);
    return result;
}

TEST(contract_hardware_buffer, image_of_unknown_shape_is_too_small_an_output)
{
    static const uint32_t open_dims[4] = {0};
    ANeuralNetworksOperandType open_picture = picture;
    struct blob in = picture_with(true), out = picture_with(false);

    open_picture.dimensions = open_dims;
    struct compiled compiled = compiled_of(&open_picture);
    EXPECT_INT(run_open(&compiled, in.memory, out.memory, NULL),
               ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_INT(run_open(&compiled, in.memory, out.memory, &picture), ANEURALNETWORKS_NO_ERROR);
    expect_relu_of_picture(out.buffer);
    blob_free(&in);
    blob_free(&out);
    compiled_free(&compiled);
}

TEST(contract_hardware_buffer, image_is_not_copied)
{
    struct blob image = picture_with(true), other = picture_with(false);
    ANeuralNetworksMemory *file = memory_of(PICTURE_SIZE, PROT_READ | PROT_WRITE);

    EXPECT_FAIL(OP_FAILED, ANeuralNetworksMemory_copy(image.memory, file));
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksMemory_copy(file, image.memory));
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksMemory_copy(image.memory, other.memory));
    EXPECT_OK(ANeuralNetworksMemory_copy(image.memory, image.memory));
    ANeuralNetworksMemory_free(file);
    blob_free(&image);
    blob_free(&other);
}

/* ---- Memory of others ------------------------------------------------------------------------ */

TEST(contract_hardware_buffer, wrapping_needs_all_arguments)
{
    const AHardwareBuffer_Desc desc = {
        .width = 8, .height = 1, .layers = 1, .format = AHARDWAREBUFFER_FORMAT_BLOB};
    AHardwareBuffer *buffer = OLD_VALUE(AHardwareBuffer);

    EXPECT_INT(halyard_hardware_buffer_wrap(0, &desc, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_hardware_buffer_wrap(0, NULL, &buffer), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT(buffer == NULL);
    EXPECT_INT(halyard_hardware_buffer_wrap(-1, &desc, &buffer), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "hardware_buffer_wrap: file descriptor -1");
}

TEST(contract_hardware_buffer, file_is_not_wrapped)
{
    const AHardwareBuffer_Desc desc = {
        .width = 8, .height = 1, .layers = 1, .format = AHARDWAREBUFFER_FORMAT_BLOB};
    AHardwareBuffer *buffer = OLD_VALUE(AHardwareBuffer);
    const int file = file_of(64), memory = memfd_create("contract", MFD_CLOEXEC);

    EXPECT_INT(ftruncate(memory, 64), 0);
    EXPECT_INT(halyard_hardware_buffer_wrap(file, &desc, &buffer), ANEURALNETWORKS_BAD_DATA);
    EXPECT(buffer == NULL);
    EXPECT_INT(halyard_hardware_buffer_wrap(memory, &desc, &buffer), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "shrinking");
    close(file);
    close(memory);
}
