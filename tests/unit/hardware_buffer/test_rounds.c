/* Ten thousand times, and nothing is left. */
#include "tests/kit/test.h"
#include "tests/unit/hardware_buffer/fake_system.h"
#include "tests/unit/hardware_buffer/samples.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROUNDS 10000

static void expect_rounds(enum fake_devices devices)
{
    fake_system_start(devices);
    const int descriptors = count_descriptors(), mappings = count_mappings();
    uint32_t failures = 0;

    for (uint32_t i = 0; i < ROUNDS; i++) {
        const AHardwareBuffer_Desc desc = blob_of(1 + i % 8192);
        AHardwareBuffer *buffer = NULL;
        void *address;
        failures += AHardwareBuffer_allocate(&desc, &buffer) != 0 ||
                    AHardwareBuffer_lock(buffer, CPU_OFTEN, -1, NULL, &address) != 0 ||
                    AHardwareBuffer_unlock(buffer, NULL) != 0;
        AHardwareBuffer_release(buffer);
    }
    EXPECT_INT(failures, 0);
    EXPECT_INT(count_descriptors(), descriptors);
    EXPECT(count_mappings() <= mappings + 4); /* the allocator may have taken some */
    fake_system_stop();
}

TEST(hardware_buffer_rounds, ten_thousand_buffers_leave_nothing)
{
    expect_rounds(FAKE_NONE);
}

TEST(hardware_buffer_rounds, ten_thousand_dma_bufs_leave_nothing)
{
    expect_rounds(FAKE_HEAP);
    expect_rounds(FAKE_UDMABUF);
}

TEST(hardware_buffer_rounds, ten_thousand_transfers_leave_nothing)
{
    AHardwareBuffer *buffer = allocated(blob_of(100));
    int ends[2];
    uint32_t failures = 0;

    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    const int descriptors = count_descriptors(), mappings = count_mappings();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        AHardwareBuffer *got = NULL;
        failures += AHardwareBuffer_sendHandleToUnixSocket(buffer, ends[0]) != 0 ||
                    AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &got) != 0;
        AHardwareBuffer_release(got);
    }
    EXPECT_INT(failures, 0);
    EXPECT_INT(count_descriptors(), descriptors);
    EXPECT(count_mappings() <= mappings + 4);
    close(ends[0]);
    close(ends[1]);
    AHardwareBuffer_release(buffer);
}

TEST(hardware_buffer_rounds, ten_thousand_failures_leave_nothing)
{
    const int descriptors = count_descriptors();
    AHardwareBuffer_Desc desc = blob_of(8);
    uint32_t successes = 0;

    desc.usage |= AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA;
    fake_system_start(FAKE_UDMABUF);
    fake_system_fail(ENOMEM, UINT32_MAX);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        AHardwareBuffer *buffer = NULL;
        successes += AHardwareBuffer_allocate(&desc, &buffer) == 0;
    }
    EXPECT_INT(successes, 0);
    EXPECT_INT(count_descriptors(), descriptors);
    fake_system_stop();
}
