/* Executions and copies tell a dma-buf when they begin and end to use it. */
#include "hardware_buffer/hw_buffer.h"
#include "tests/kit/test.h"
#include "tests/unit/hardware_buffer/fake_system.h"
#include "tests/unit/hardware_buffer/samples.h"

#include <android/NeuralNetworks.h>
#include <errno.h>
#include <fcntl.h>
#include <halyard/halyard.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXTENT 4u
#define SIZE   (EXTENT * sizeof(float))

#define EXPECT_OK(call) EXPECT_INT((call), ANEURALNETWORKS_NO_ERROR)

/* A RELU, compiled. */
struct net {
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
};

static struct net net_create(void)
{
    static const uint32_t dims[] = {EXTENT}, in = 0, out = 1;
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    struct net net = {0};

    setenv("HALYARD_DRIVER_FILES", "/dev/null", 1);
    EXPECT_OK(ANeuralNetworksModel_create(&net.model));
    EXPECT_OK(ANeuralNetworksModel_addOperand(net.model, &tensor));
    EXPECT_OK(ANeuralNetworksModel_addOperand(net.model, &tensor));
    EXPECT_OK(ANeuralNetworksModel_addOperation(net.model, ANEURALNETWORKS_RELU, 1, &in, 1, &out));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(net.model, 1, &in, 1, &out));
    EXPECT_OK(ANeuralNetworksModel_finish(net.model));
    EXPECT_OK(ANeuralNetworksCompilation_create(net.model, &net.compilation));
    EXPECT_OK(ANeuralNetworksCompilation_finish(net.compilation));
    return net;
}

static void net_free(struct net *net)
{
    ANeuralNetworksCompilation_free(net->compilation);
    ANeuralNetworksModel_free(net->model);
}

/* Memory over a buffer of SIZE bytes, which is gone again. */
static ANeuralNetworksMemory *blob_memory(void)
{
    AHardwareBuffer *buffer = allocated(blob_of(SIZE));
    ANeuralNetworksMemory *memory = NULL;

    EXPECT_OK(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory));
    AHardwareBuffer_release(buffer);
    return memory;
}

static int run(const struct net *net, ANeuralNetworksMemory *in, ANeuralNetworksMemory *out)
{
    ANeuralNetworksExecution *execution = NULL;

    EXPECT_OK(ANeuralNetworksExecution_create(net->compilation, &execution));
    EXPECT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, in, 0, SIZE));
    EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, out, 0, SIZE));
    const int result = ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    return result;
}

static void expect_counts(struct fake_counts before, uint32_t uses)
{
    const struct fake_counts now = fake_system_counts();

    EXPECT_INT(now.starts - before.starts, uses);
    EXPECT_INT(now.ends - before.ends, uses);
}

TEST(hardware_buffer_access, memory_of_a_dma_buf_is_looked_at_when_it_is_made)
{
    fake_system_start(FAKE_HEAP);
    ANeuralNetworksMemory *memory = blob_memory();

    EXPECT_INT(fake_system_counts().starts, 1);
    EXPECT_INT(fake_system_counts().ends, 1);
    EXPECT_INT(fake_system_counts().last_start, DMA_BUF_SYNC_READ);
    ANeuralNetworksMemory_free(memory);
    fake_system_stop();
}

TEST(hardware_buffer_access, memory_that_cannot_be_looked_at_is_not_made)
{
    fake_system_start(FAKE_HEAP);
    AHardwareBuffer *buffer = allocated(blob_of(SIZE));
    ANeuralNetworksMemory *memory = (ANeuralNetworksMemory *)buffer;
    const int before = count_descriptors();

    fake_system_fail(EIO, 1);
    EXPECT_INT(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory),
               ANEURALNETWORKS_OP_FAILED);
    EXPECT(memory == NULL);
    EXPECT_INT(count_descriptors(), before);
    AHardwareBuffer_release(buffer);
    fake_system_stop();
}

TEST(hardware_buffer_access, every_execution_begins_and_ends_it_once_an_argument)
{
    static const enum fake_devices devices[] = {FAKE_HEAP, FAKE_UDMABUF};

    for (size_t i = 0; i < 2; i++) {
        struct net net = net_create();
        fake_system_start(devices[i]);
        ANeuralNetworksMemory *in = blob_memory(), *out = blob_memory();
        for (uint32_t k = 0; k < 4; k++) { /* as new, and with arguments as before */
            const struct fake_counts before = fake_system_counts();
            EXPECT_OK(run(&net, in, out));
            expect_counts(before, 2);
            EXPECT_INT(fake_system_counts().last_start, DMA_BUF_SYNC_RW);
        }
        ANeuralNetworksMemory_free(in);
        ANeuralNetworksMemory_free(out);
        fake_system_stop();
        net_free(&net);
    }
}

static ANeuralNetworksExecution *set_up(const struct net *net, ANeuralNetworksMemory *in,
                                        ANeuralNetworksMemory *out)
{
    ANeuralNetworksExecution *execution = NULL;

    EXPECT_OK(ANeuralNetworksExecution_create(net->compilation, &execution));
    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true));
    EXPECT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, in, 0, SIZE));
    EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, out, 0, SIZE));
    return execution;
}

static void wait_and_free(ANeuralNetworksEvent *event)
{
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    ANeuralNetworksEvent_free(event);
}

TEST(hardware_buffer_access, every_way_to_run_begins_and_ends_it)
{
    struct net net = net_create();
    ANeuralNetworksBurst *burst = NULL;
    ANeuralNetworksEvent *event = NULL;

    fake_system_start(FAKE_HEAP);
    ANeuralNetworksMemory *in = blob_memory(), *out = blob_memory();
    ANeuralNetworksExecution *execution = set_up(&net, in, out);
    struct fake_counts before = fake_system_counts();
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    expect_counts(before, 4);
    EXPECT_OK(ANeuralNetworksExecution_startCompute(execution, &event));
    wait_and_free(event);
    expect_counts(before, 6);
    EXPECT_OK(ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &event));
    wait_and_free(event);
    expect_counts(before, 8);
    EXPECT_OK(ANeuralNetworksBurst_create(net.compilation, &burst));
    EXPECT_OK(ANeuralNetworksExecution_burstCompute(execution, burst));
    expect_counts(before, 10);
    ANeuralNetworksBurst_free(burst);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(in);
    ANeuralNetworksMemory_free(out);
    fake_system_stop();
    net_free(&net);
}

TEST(hardware_buffer_access, execution_without_dma_bufs_tells_nobody)
{
    struct net net = net_create();

    fake_system_start(FAKE_NONE);
    ANeuralNetworksMemory *in = blob_memory(), *out = blob_memory();
    EXPECT_OK(run(&net, in, out));
    EXPECT_OK(ANeuralNetworksMemory_copy(in, out));
    EXPECT_INT(fake_system_counts().starts, 0);
    EXPECT_INT(fake_system_counts().ends, 0);
    ANeuralNetworksMemory_free(in);
    ANeuralNetworksMemory_free(out);
    fake_system_stop();
    net_free(&net);
}

TEST(hardware_buffer_access, access_that_cannot_begin_fails_and_ends_what_had_begun)
{
    struct net net = net_create();

    fake_system_start(FAKE_HEAP);
    ANeuralNetworksMemory *in = blob_memory(), *out = blob_memory();
    struct fake_counts before = fake_system_counts();
    fake_system_fail(EIO, 1);
    EXPECT_INT(run(&net, in, out), ANEURALNETWORKS_OP_FAILED);
    EXPECT_CONTAINS(halyard_last_error(), "dma-buf cannot begin");
    expect_counts(before, 0);
    fake_system_fail_after(EIO, 1); /* the output's */
    EXPECT_INT(run(&net, in, out), ANEURALNETWORKS_OP_FAILED);
    expect_counts(before, 1);
    before = fake_system_counts();
    EXPECT_OK(run(&net, in, out));
    expect_counts(before, 2);
    ANeuralNetworksMemory_free(in);
    ANeuralNetworksMemory_free(out);
    fake_system_stop();
    net_free(&net);
}

TEST(hardware_buffer_access, access_that_cannot_end_fails_the_execution)
{
    struct net net = net_create();

    fake_system_start(FAKE_HEAP);
    ANeuralNetworksMemory *in = blob_memory(), *out = blob_memory();
    const struct fake_counts before = fake_system_counts();
    fake_system_fail_after(EIO, 2); /* the first end */
    EXPECT_INT(run(&net, in, out), ANEURALNETWORKS_OP_FAILED);
    EXPECT_CONTAINS(halyard_last_error(), "dma-buf cannot end");
    EXPECT_INT(fake_system_counts().starts - before.starts, 2);
    EXPECT_INT(fake_system_counts().ends - before.ends, 1); /* the other is told all the same */
    ANeuralNetworksMemory_free(in);
    ANeuralNetworksMemory_free(out);
    fake_system_stop();
    net_free(&net);
}

TEST(hardware_buffer_access, copies_begin_and_end_it)
{
    fake_system_start(FAKE_HEAP);
    ANeuralNetworksMemory *one = blob_memory(), *other = blob_memory();
    struct fake_counts before = fake_system_counts();

    EXPECT_OK(ANeuralNetworksMemory_copy(one, other));
    expect_counts(before, 2);
    EXPECT_INT(fake_system_counts().last_start, DMA_BUF_SYNC_WRITE);
    EXPECT_INT(fake_system_counts().last_end, DMA_BUF_SYNC_READ);
    fake_system_fail_after(EIO, 1);
    EXPECT_INT(ANeuralNetworksMemory_copy(one, other), ANEURALNETWORKS_OP_FAILED);
    before = fake_system_counts();
    fake_system_fail_after(EIO, 2);
    EXPECT_INT(ANeuralNetworksMemory_copy(one, other), ANEURALNETWORKS_OP_FAILED);
    EXPECT_INT(fake_system_counts().starts - before.starts, 2);
    EXPECT_INT(fake_system_counts().ends - before.ends, 1);
    ANeuralNetworksMemory_free(one);
    ANeuralNetworksMemory_free(other);
    fake_system_stop();
}

/* ---- Dma-bufs of other devices --------------------------------------------------------------- */

TEST(hardware_buffer_access, dma_buf_of_another_device_is_wrapped_without_a_copy)
{
    const AHardwareBuffer_Desc desc = blob_of(SIZE);
    static const float values[EXTENT] = {-1, 2, -3, 4}, wanted[EXTENT] = {0, 2, 0, 4};
    struct net net = net_create();
    float seen[EXTENT] = {0};
    AHardwareBuffer *buffers[2] = {NULL, NULL};
    ANeuralNetworksMemory *memories[2] = {NULL, NULL};

    fake_system_start(FAKE_NONE); /* devices give dma-bufs also where we can make none */
    const int fds[2] = {fake_dma_buf(SIZE), fake_dma_buf(SIZE)};
    for (size_t i = 0; i < 2; i++) {
        EXPECT_OK(halyard_hardware_buffer_wrap(fds[i], &desc, &buffers[i]));
        EXPECT_OK(ANeuralNetworksMemory_createFromAHardwareBuffer(buffers[i], &memories[i]));
        AHardwareBuffer_release(buffers[i]);
    }
    EXPECT(pwrite(fds[0], values, SIZE, 0) == (ssize_t)SIZE);
    const struct fake_counts before = fake_system_counts();
    EXPECT_OK(run(&net, memories[0], memories[1]));
    expect_counts(before, 2);
    EXPECT(pread(fds[1], seen, SIZE, 0) == (ssize_t)SIZE);
    EXPECT(memcmp(seen, wanted, SIZE) == 0);
    for (size_t i = 0; i < 2; i++) {
        ANeuralNetworksMemory_free(memories[i]);
        close(fds[i]);
    }
    fake_system_stop();
    net_free(&net);
}

TEST(hardware_buffer_access, wrapped_image_has_the_stride_of_its_device)
{
    AHardwareBuffer_Desc desc = image_of(AHARDWAREBUFFER_FORMAT_R8_UNORM, 100, 10), got = {0};
    AHardwareBuffer *buffer = NULL;

    fake_system_start(FAKE_NONE);
    const int fd = fake_dma_buf(112 * 10);
    desc.stride = 112;
    EXPECT_OK(halyard_hardware_buffer_wrap(fd, &desc, &buffer));
    AHardwareBuffer_describe(buffer, &got);
    EXPECT_INT(got.stride, 112);
    AHardwareBuffer_release(buffer);
    desc.stride = 113;
    EXPECT_INT(halyard_hardware_buffer_wrap(fd, &desc, &buffer), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "1120 bytes");
    desc.stride = 99;
    EXPECT_INT(halyard_hardware_buffer_wrap(fd, &desc, &buffer), ANEURALNETWORKS_BAD_DATA);
    close(fd);
    fake_system_stop();
}

/* What can only be read serves as an input, and not as an output. */
TEST(hardware_buffer_access, dma_buf_that_is_open_for_reading_is_no_output)
{
    AHardwareBuffer_Desc desc = blob_of(SIZE);
    struct net net = net_create();
    ANeuralNetworksExecution *execution = NULL;
    ANeuralNetworksMemory *memory = NULL;
    AHardwareBuffer *buffer = NULL;
    char path[64];

    fake_system_start(FAKE_NONE);
    const int fd = fake_dma_buf(SIZE);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int reader = open(path, O_RDONLY | O_CLOEXEC);
    EXPECT_INT(halyard_hardware_buffer_wrap(reader, &desc, &buffer), ANEURALNETWORKS_BAD_DATA);
    desc.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
    EXPECT_OK(halyard_hardware_buffer_wrap(reader, &desc, &buffer));
    EXPECT_OK(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory));
    EXPECT_OK(ANeuralNetworksExecution_create(net.compilation, &execution));
    EXPECT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, SIZE));
    EXPECT_INT(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, SIZE),
               ANEURALNETWORKS_BAD_DATA);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(memory);
    AHardwareBuffer_release(buffer);
    close(reader);
    close(fd);
    fake_system_stop();
    net_free(&net);
}

/* ---- Ten thousand times ---------------------------------------------------------------------- */

TEST(hardware_buffer_access, ten_thousand_memories_leave_nothing)
{
    static const enum fake_devices devices[] = {FAKE_NONE, FAKE_HEAP};

    for (size_t i = 0; i < 2; i++) {
        fake_system_start(devices[i]);
        ANeuralNetworksMemory_free(blob_memory());
        const int descriptors = count_descriptors(), mappings = count_mappings();
        for (uint32_t k = 0; k < 10000; k++)
            ANeuralNetworksMemory_free(blob_memory());
        EXPECT_INT(count_descriptors(), descriptors);
        EXPECT(count_mappings() <= mappings + 4); /* the allocator may have taken some */
        fake_system_stop();
    }
}
