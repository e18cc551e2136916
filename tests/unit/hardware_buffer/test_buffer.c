/* Buffers as objects: made, counted, described, named. */
#include "hardware_buffer/hw_buffer.h"
#include "tests/kit/test.h"
#include "tests/unit/hardware_buffer/fake_system.h"
#include "tests/unit/hardware_buffer/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(hardware_buffer, description_comes_back_with_the_stride)
{
    AHardwareBuffer_Desc desc = image_of(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 100, 20), got;

    desc.stride = 1; /* not looked at */
    AHardwareBuffer *buffer = allocated(desc);
    AHardwareBuffer_describe(buffer, &got);
    EXPECT_INT(got.width, 100);
    EXPECT_INT(got.height, 20);
    EXPECT_INT(got.layers, 1);
    EXPECT_INT(got.format, AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM);
    EXPECT(got.usage == CPU_OFTEN);
    EXPECT_INT(got.stride, 128);
    EXPECT_INT(got.rfu0, 0);
    EXPECT_INT(got.rfu1, 0);
    AHardwareBuffer_release(buffer);
}

TEST(hardware_buffer, new_buffer_is_all_zero)
{
    AHardwareBuffer *buffer = allocated(blob_of(10000));
    void *address = NULL;

    EXPECT_INT(
        AHardwareBuffer_lock(buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, -1, NULL, &address), 0);
    const unsigned char *bytes = address;
    uint32_t sum = 0;
    for (size_t i = 0; bytes && i < 10000; i++)
        sum += bytes[i];
    EXPECT_INT(sum, 0);
    EXPECT_INT(AHardwareBuffer_unlock(buffer, NULL), 0);
    AHardwareBuffer_release(buffer);
}

TEST(hardware_buffer, missing_arguments_are_refused)
{
    AHardwareBuffer_Desc desc = blob_of(8);
    AHardwareBuffer *buffer = NULL;
    void *address;
    uint64_t id;
    int32_t bytes;

    EXPECT_INT(AHardwareBuffer_allocate(NULL, &buffer), -EINVAL);
    EXPECT_INT(AHardwareBuffer_allocate(&desc, NULL), -EINVAL);
    EXPECT_INT(AHardwareBuffer_lock(NULL, CPU_OFTEN, -1, NULL, &address), -EINVAL);
    EXPECT_INT(AHardwareBuffer_lockPlanes(NULL, CPU_OFTEN, -1, NULL, NULL), -EINVAL);
    EXPECT_INT(AHardwareBuffer_unlock(NULL, NULL), -EINVAL);
    EXPECT_INT(AHardwareBuffer_getId(NULL, &id), -EINVAL);
    EXPECT_INT(AHardwareBuffer_isSupported(NULL), 0);
    EXPECT_INT(AHardwareBuffer_sendHandleToUnixSocket(NULL, 0), -EINVAL);
    EXPECT_INT(AHardwareBuffer_recvHandleFromUnixSocket(0, NULL), -EINVAL);
    AHardwareBuffer_acquire(NULL);
    AHardwareBuffer_release(NULL);
    AHardwareBuffer_describe(NULL, &desc);
    buffer = allocated(desc);
    AHardwareBuffer_describe(buffer, NULL);
    EXPECT_INT(AHardwareBuffer_getId(buffer, NULL), -EINVAL);
    EXPECT_INT(AHardwareBuffer_lock(buffer, CPU_OFTEN, -1, NULL, NULL), -EINVAL);
    EXPECT_INT(AHardwareBuffer_lockAndGetInfo(buffer, CPU_OFTEN, -1, NULL, &address, NULL, &bytes),
               -EINVAL);
    EXPECT_INT(AHardwareBuffer_lockAndGetInfo(buffer, CPU_OFTEN, -1, NULL, &address, &bytes, NULL),
               -EINVAL);
    EXPECT_INT(AHardwareBuffer_unlock(buffer, NULL), -EINVAL);
    AHardwareBuffer_release(buffer);
}

TEST(hardware_buffer, failed_allocation_leaves_the_output_alone)
{
    AHardwareBuffer_Desc desc = blob_of(0);
    AHardwareBuffer *const old = (AHardwareBuffer *)&desc;
    AHardwareBuffer *buffer = old;

    EXPECT_INT(AHardwareBuffer_allocate(&desc, &buffer), -EINVAL);
    EXPECT(buffer == old);
    EXPECT_INT(AHardwareBuffer_isSupported(&desc), 0);
}

TEST(hardware_buffer, more_bytes_than_can_be_mapped_fail_without_a_trace)
{
    AHardwareBuffer_Desc desc = image_of(AHARDWAREBUFFER_FORMAT_R8_UNORM, 1u << 23, 1u << 23);
    AHardwareBuffer *buffer = NULL;
    const int before = count_descriptors();

    EXPECT_INT(AHardwareBuffer_isSupported(&desc), 1);
    const int result = AHardwareBuffer_allocate(&desc, &buffer);
    EXPECT(result == 0 || result == -ENOMEM || result == -EFBIG);
    AHardwareBuffer_release(buffer);
    EXPECT_INT(count_descriptors(), before);
}

TEST(hardware_buffer, buffer_lives_until_its_last_reference_goes)
{
    const int descriptors = count_descriptors(), mappings = count_mappings();
    AHardwareBuffer *buffer = allocated(blob_of(4096));
    AHardwareBuffer_Desc desc = {0};

    AHardwareBuffer_acquire(buffer);
    AHardwareBuffer_release(buffer);
    AHardwareBuffer_describe(buffer, &desc);
    EXPECT_INT(desc.width, 4096);
    AHardwareBuffer_release(buffer);
    EXPECT_INT(count_descriptors(), descriptors);
    EXPECT(count_mappings() <= mappings + 1); /* the allocator may have taken some */
}

TEST(hardware_buffer, numbers_differ_while_buffers_live)
{
    AHardwareBuffer *buffers[32];
    uint64_t ids[32];

    for (size_t i = 0; i < 32; i++) {
        buffers[i] = allocated(blob_of(8));
        EXPECT_INT(AHardwareBuffer_getId(buffers[i], &ids[i]), 0);
        EXPECT(ids[i] != 0);
        for (size_t k = 0; k < i; k++)
            EXPECT(ids[k] != ids[i]);
    }
    for (size_t i = 0; i < 32; i++)
        AHardwareBuffer_release(buffers[i]);
}

TEST(hardware_buffer, other_devices_are_supported_where_there_are_dma_bufs)
{
    AHardwareBuffer_Desc desc = blob_of(8);
    AHardwareBuffer *buffer = NULL;

    desc.usage |= AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER | AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA;
    fake_system_start(FAKE_NONE);
    EXPECT_INT(AHardwareBuffer_isSupported(&desc), 0);
    EXPECT_INT(AHardwareBuffer_allocate(&desc, &buffer), -EINVAL);
    fake_system_start(FAKE_UDMABUF);
    EXPECT_INT(AHardwareBuffer_isSupported(&desc), 1);
    EXPECT_INT(AHardwareBuffer_allocate(&desc, &buffer), 0);
    AHardwareBuffer_release(buffer);
    fake_system_stop();
}

/* ---- Data of a GPU --------------------------------------------------------------------------- */

static AHardwareBuffer_Desc gpu_blob_of(uint32_t bytes)
{
    AHardwareBuffer_Desc desc = blob_of(bytes);

    desc.usage |= AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER;
    return desc;
}

/* Whether the description of a buffer says that a GPU can share it. */
static bool is_for_gpu(const AHardwareBuffer *buffer)
{
    AHardwareBuffer_Desc desc = {0};

    AHardwareBuffer_describe(buffer, &desc);
    EXPECT_INT(desc.usage & ~(uint64_t)AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER, CPU_OFTEN);
    return desc.usage & AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER;
}

TEST(hardware_buffer, blob_for_a_gpu_is_sealed_memory_without_dma_bufs_and_says_so)
{
    const AHardwareBuffer_Desc desc = gpu_blob_of(100);

    fake_system_start(FAKE_NONE);
    EXPECT_INT(AHardwareBuffer_isSupported(&desc), 1);
    AHardwareBuffer *buffer = allocated(desc);
    REQUIRE(buffer != NULL);
    EXPECT(!is_for_gpu(buffer));
    EXPECT_INT(fcntl(buffer->backing.fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    AHardwareBuffer_release(buffer);
    fake_system_stop();
}

TEST(hardware_buffer, blob_for_a_gpu_is_a_dma_buf_where_there_are_some)
{
    static const enum fake_devices devices[] = {FAKE_HEAP, FAKE_UDMABUF};

    for (size_t i = 0; i < 2; i++) {
        fake_system_start(devices[i]);
        AHardwareBuffer *buffer = allocated(gpu_blob_of(100));
        REQUIRE(buffer != NULL);
        EXPECT(is_for_gpu(buffer) && buffer->backing.is_dma_buf);
        AHardwareBuffer_release(buffer);
        fake_system_stop();
    }
}

TEST(hardware_buffer, blob_for_a_gpu_that_no_device_makes_is_sealed_memory)
{
    fake_system_start(FAKE_UDMABUF);
    fake_system_limit(4096);
    AHardwareBuffer *small = allocated(gpu_blob_of(4096)), *large = allocated(gpu_blob_of(4097));
    REQUIRE(small != NULL && large != NULL);
    EXPECT(is_for_gpu(small));
    EXPECT(!is_for_gpu(large));
    AHardwareBuffer_release(small);
    AHardwareBuffer_release(large);
    fake_system_stop();
}

TEST(hardware_buffer, peer_gets_sealed_memory_of_a_blob_for_a_gpu)
{
    AHardwareBuffer *got = NULL;
    int ends[2];

    fake_system_start(FAKE_NONE);
    AHardwareBuffer *buffer = allocated(gpu_blob_of(100));
    REQUIRE(buffer && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    EXPECT_INT(AHardwareBuffer_sendHandleToUnixSocket(buffer, ends[0]), 0);
    EXPECT_INT(AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &got), 0);
    REQUIRE(got != NULL);
    EXPECT(!is_for_gpu(got));
    close(ends[0]);
    close(ends[1]);
    AHardwareBuffer_release(buffer);
    AHardwareBuffer_release(got);
    fake_system_stop();
}

/* ---- Mapping --------------------------------------------------------------------------------- */

TEST(hardware_buffer, buffer_without_use_by_the_processor_is_not_mapped)
{
    AHardwareBuffer_Desc desc = blob_of(8);

    desc.usage = 0;
    AHardwareBuffer *buffer = allocated(desc);
    EXPECT(buffer && buffer->address == NULL);
    AHardwareBuffer_release(buffer);
}

/* ---- Memory of others ------------------------------------------------------------------------ */

static void expect_adopted(int expected, int fd, AHardwareBuffer_Desc desc)
{
    const int before = count_descriptors();
    AHardwareBuffer *buffer = NULL;

    EXPECT_INT(hy_hardware_buffer_adopt(fd, &desc, &buffer, NULL), expected);
    EXPECT((expected == 0) == (buffer != NULL));
    AHardwareBuffer_release(buffer);
    EXPECT_INT(count_descriptors(), before - 1);
}

TEST(hardware_buffer, memory_of_others_must_hold_all_pixels)
{
    AHardwareBuffer_Desc desc = image_of(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 30, 10);

    fake_system_start(FAKE_HEAP);
    desc.stride = 33;
    expect_adopted(0, fake_dma_buf(33 * 3 * 10), desc);
    expect_adopted(-EINVAL, fake_dma_buf(33 * 3 * 10 - 1), desc);
    desc.stride = 29;
    expect_adopted(-EINVAL, fake_dma_buf(1 << 20), desc);
    desc.stride = 0; /* ours: 64 */
    expect_adopted(0, fake_dma_buf(64 * 3 * 10), desc);
    expect_adopted(-EINVAL, fake_dma_buf(64 * 3 * 10 - 1), desc);
    fake_system_stop();
}

TEST(hardware_buffer, memory_of_others_must_serve_the_usage)
{
    AHardwareBuffer_Desc desc = blob_of(64);

    expect_adopted(-EINVAL, sealed_memory(64, F_SEAL_SHRINK | F_SEAL_WRITE), desc);
    desc.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
    expect_adopted(0, sealed_memory(64, F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE), desc);
    desc.usage |= AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER;
    expect_adopted(-EINVAL, sealed_memory(64, F_SEAL_SHRINK), desc);
}

/* ---- Fork ------------------------------------------------------------------------------------ */

static int use_in_child(AHardwareBuffer *buffer)
{
    void *address = NULL;

    if (AHardwareBuffer_lock(buffer, CPU_OFTEN, -1, NULL, &address) != 0 || !address)
        return 1;
    *(unsigned char *)address = 7;
    if (AHardwareBuffer_unlock(buffer, NULL) != 0)
        return 2;
    AHardwareBuffer_release(buffer);
    return 0;
}

TEST(hardware_buffer, child_of_a_fork_shares_the_memory)
{
    AHardwareBuffer *buffer = allocated(blob_of(64));
    void *address = NULL;
    int status = -1;

    const pid_t child = fork();
    if (child == 0)
        _exit(use_in_child(buffer));
    REQUIRE(child > 0);
    EXPECT_INT(waitpid(child, &status, 0), child);
    EXPECT_INT(status, 0);
    EXPECT_INT(AHardwareBuffer_lock(buffer, CPU_OFTEN, -1, NULL, &address), 0);
    EXPECT(address && *(unsigned char *)address == 7);
    EXPECT_INT(AHardwareBuffer_unlock(buffer, NULL), 0);
    AHardwareBuffer_release(buffer);
}
