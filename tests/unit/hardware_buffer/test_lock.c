/* Uses of a buffer by the processor. */
#include "tests/kit/played_sync_file.h"
#include "tests/kit/test.h"
#include "tests/unit/hardware_buffer/fake_system.h"
#include "tests/unit/hardware_buffer/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define READ  AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN
#define WRITE AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN

static int lock(AHardwareBuffer *buffer, uint64_t usage)
{
    void *address = NULL;
    const int result = AHardwareBuffer_lock(buffer, usage, -1, NULL, &address);
    EXPECT((result == 0) == (address != NULL));
    return result;
}

static int unlock(AHardwareBuffer *buffer)
{
    int32_t fence = -7;
    const int result = AHardwareBuffer_unlock(buffer, &fence);
    EXPECT_INT(fence, result == 0 ? -1 : -7);
    return result;
}

TEST(hardware_buffer_lock, what_is_written_is_read)
{
    AHardwareBuffer *buffer = allocated(blob_of(100));
    void *address;

    EXPECT_INT(AHardwareBuffer_lock(buffer, WRITE, -1, NULL, &address), 0);
    memset(address, 42, 100);
    EXPECT_INT(unlock(buffer), 0);
    EXPECT_INT(AHardwareBuffer_lock(buffer, READ, -1, NULL, &address), 0);
    EXPECT_INT(((unsigned char *)address)[99], 42);
    EXPECT_INT(unlock(buffer), 0);
    AHardwareBuffer_release(buffer);
}

TEST(hardware_buffer_lock, usage_names_uses_by_the_processor_and_no_others)
{
    static const uint64_t wrong[] = {0,
                                     1,
                                     4,
                                     READ | 1 << 6,
                                     READ | AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER,
                                     READ | UINT64_C(1) << 63,
                                     UINT64_MAX};
    AHardwareBuffer *buffer = allocated(blob_of(8));

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT_INT(lock(buffer, wrong[i]), -EINVAL);
    EXPECT_INT(lock(buffer,
                    AHARDWAREBUFFER_USAGE_CPU_READ_RARELY | AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY),
               0);
    EXPECT_INT(unlock(buffer), 0);
    AHardwareBuffer_release(buffer);
}

TEST(hardware_buffer_lock, usage_lies_within_that_of_the_allocation)
{
    AHardwareBuffer_Desc desc = blob_of(8);

    desc.usage = AHARDWAREBUFFER_USAGE_CPU_READ_RARELY;
    AHardwareBuffer *reads = allocated(desc);
    desc.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY;
    AHardwareBuffer *writes = allocated(desc);
    EXPECT_INT(lock(reads, WRITE), -EINVAL);
    EXPECT_INT(lock(reads, READ | WRITE), -EINVAL);
    EXPECT_INT(lock(writes, READ), -EINVAL);
    EXPECT_INT(lock(reads, READ), 0); /* how often is a hint */
    EXPECT_INT(lock(writes, WRITE), 0);
    EXPECT_INT(unlock(reads), 0);
    EXPECT_INT(unlock(writes), 0);
    AHardwareBuffer_release(reads);
    AHardwareBuffer_release(writes);
}

TEST(hardware_buffer_lock, many_may_read_and_one_may_write)
{
    AHardwareBuffer *buffer = allocated(blob_of(8));

    EXPECT_INT(lock(buffer, READ), 0);
    EXPECT_INT(lock(buffer, READ), 0);
    EXPECT_INT(lock(buffer, WRITE), -EBUSY);
    EXPECT_INT(unlock(buffer), 0);
    EXPECT_INT(lock(buffer, READ | WRITE), -EBUSY);
    EXPECT_INT(unlock(buffer), 0);
    EXPECT_INT(unlock(buffer), -EINVAL);
    EXPECT_INT(lock(buffer, WRITE), 0);
    EXPECT_INT(lock(buffer, READ), -EBUSY);
    EXPECT_INT(lock(buffer, WRITE), -EBUSY);
    EXPECT_INT(unlock(buffer), 0);
    EXPECT_INT(unlock(buffer), -EINVAL);
    AHardwareBuffer_release(buffer);
}

TEST(hardware_buffer_lock, rectangle_lies_inside_the_image)
{
    static const struct {
        ARect rect;
        int result;
    } cases[] = {
        {{0, 0, 10, 20}, 0},
        {{9, 19, 10, 20}, 0},
        {{0, 0, 11, 20}, -EINVAL},
        {{0, 0, 10, 21}, -EINVAL},
        {{-1, 0, 10, 20}, -EINVAL},
        {{0, -1, 10, 20}, -EINVAL},
        {{5, 0, 5, 20}, -EINVAL},
        {{6, 0, 5, 20}, -EINVAL},
        {{0, 7, 10, 7}, -EINVAL},
        {{0, 0, INT32_MAX, INT32_MAX}, -EINVAL},
        {{INT32_MIN, INT32_MIN, 10, 20}, -EINVAL},
    };
    AHardwareBuffer *buffer = allocated(image_of(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 10, 20));
    void *whole = NULL, *address;

    EXPECT_INT(AHardwareBuffer_lock(buffer, READ, -1, NULL, &whole), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        address = NULL;
        EXPECT_INT(AHardwareBuffer_lock(buffer, READ, -1, &cases[i].rect, &address),
                   cases[i].result);
        EXPECT(address == (cases[i].result == 0 ? whole : NULL));
        if (cases[i].result == 0)
            EXPECT_INT(unlock(buffer), 0);
    }
    EXPECT_INT(unlock(buffer), 0);
    AHardwareBuffer_release(buffer);
}

TEST(hardware_buffer_lock, buffer_of_several_layers_is_refused)
{
    AHardwareBuffer_Desc desc = image_of(AHARDWAREBUFFER_FORMAT_R8_UNORM, 4, 4);

    desc.layers = 2;
    AHardwareBuffer *buffer = allocated(desc);
    EXPECT_INT(lock(buffer, READ), -EINVAL);
    AHardwareBuffer_release(buffer);
}

TEST(hardware_buffer_lock, planes_are_those_of_the_layout)
{
    AHardwareBuffer *buffer = allocated(image_of(AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 101, 51));
    AHardwareBuffer_Planes planes = {0};

    REQUIRE(AHardwareBuffer_lockPlanes(buffer, READ | WRITE, -1, NULL, &planes) == 0);
    EXPECT_INT(planes.planeCount, 3);
    EXPECT_INT(planes.planes[0].rowStride, 128);
    EXPECT_INT(planes.planes[2].rowStride, 64);
    EXPECT_INT(planes.planes[2].pixelStride, 1);
    unsigned char *first = planes.planes[0].data, *last = planes.planes[2].data;
    EXPECT_INT(last - first, 128 * 51 + 64 * 26);
    last[25 * 64 + 50] = 9; /* the last pixel */
    EXPECT_INT(unlock(buffer), 0);
    AHardwareBuffer_release(buffer);

    buffer = allocated(image_of(AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 5, 5));
    REQUIRE(AHardwareBuffer_lockPlanes(buffer, READ, -1, NULL, &planes) == 0);
    EXPECT_INT(planes.planeCount, 1);
    EXPECT_INT(planes.planes[0].pixelStride, 2);
    EXPECT_INT(planes.planes[0].rowStride, 64);
    EXPECT_INT(unlock(buffer), 0);
    AHardwareBuffer_release(buffer);
}

TEST(hardware_buffer_lock, pixels_and_rows_are_measured_where_they_are_of_one_kind)
{
    AHardwareBuffer *image = allocated(image_of(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 10, 2));
    AHardwareBuffer *planar = allocated(image_of(AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 10, 2));
    int32_t pixel = 0, row = 0;
    void *address = NULL;

    EXPECT_INT(AHardwareBuffer_lockAndGetInfo(image, READ, -1, NULL, &address, &pixel, &row), 0);
    EXPECT_INT(pixel, 3);
    EXPECT_INT(row, 192);
    EXPECT_INT(AHardwareBuffer_lockAndGetInfo(planar, READ, -1, NULL, &address, &pixel, &row), 0);
    EXPECT_INT(pixel, -1);
    EXPECT_INT(row, -1);
    EXPECT_INT(unlock(image), 0);
    EXPECT_INT(unlock(planar), 0);
    AHardwareBuffer_release(image);
    AHardwareBuffer_release(planar);
}

/* ---- Fences ---------------------------------------------------------------------------------- */

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void *signal_delayed(void *fence)
{
    usleep(20000);
    eventfd_write(*(int *)fence, 1);
    return NULL;
}

TEST(hardware_buffer_lock, fence_is_waited_for_and_closed)
{
    AHardwareBuffer *buffer = allocated(blob_of(8));
    int fence = eventfd(0, EFD_CLOEXEC), other = dup(fence);
    pthread_t thread;
    void *address;
    eventfd_t count = 0;

    REQUIRE(pthread_create(&thread, NULL, signal_delayed, &other) == 0);
    EXPECT_INT(AHardwareBuffer_lock(buffer, READ, fence, NULL, &address), 0);
    EXPECT(!is_open(fence));
    EXPECT_INT(fcntl(other, F_SETFL, O_NONBLOCK), 0);
    EXPECT_INT(eventfd_read(other, &count), 0); /* it had been signalled when the call returned */
    pthread_join(thread, NULL);
    EXPECT_INT(unlock(buffer), 0);
    close(other);
    AHardwareBuffer_release(buffer);
}

TEST(hardware_buffer_lock, fence_is_closed_however_the_call_ends)
{
    AHardwareBuffer *buffer = allocated(blob_of(8));
    void *address = NULL;
    int fence = eventfd(1, EFD_CLOEXEC);

    EXPECT_INT(AHardwareBuffer_lock(buffer, 0, fence, NULL, &address), -EINVAL);
    EXPECT(!is_open(fence));
    fence = eventfd(1, EFD_CLOEXEC);
    EXPECT_INT(AHardwareBuffer_lock(NULL, READ, fence, NULL, &address), -EINVAL);
    EXPECT(!is_open(fence));
    EXPECT_INT(lock(buffer, WRITE), 0);
    fence = eventfd(1, EFD_CLOEXEC);
    EXPECT_INT(AHardwareBuffer_lock(buffer, READ, fence, NULL, &address), -EBUSY);
    EXPECT(!is_open(fence));
    EXPECT_INT(unlock(buffer), 0);
    AHardwareBuffer_release(buffer);
}

TEST(hardware_buffer_lock, fence_that_fails_fails_the_lock)
{
    AHardwareBuffer *buffer = allocated(blob_of(8));
    void *address = NULL;
    int ends[2];

    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    close(ends[1]); /* hung up without a byte */
    EXPECT_INT(AHardwareBuffer_lock(buffer, READ, ends[0], NULL, &address), -EIO);
    EXPECT_INT(AHardwareBuffer_lock(buffer, READ, 1 << 20, NULL, &address), -EINVAL);
    EXPECT_INT(unlock(buffer), -EINVAL);
    AHardwareBuffer_release(buffer);
}

/* It polls readable all the same: its status tells. */
TEST(hardware_buffer_lock, sync_file_that_ended_in_error_fails_the_lock)
{
    static const struct {
        int status, result;
    } cases[] = {{1, 0}, {0, 0}, {-5, -EIO}, {-EINVAL, -EIO}};
    AHardwareBuffer *buffer = allocated(blob_of(8));

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *address = NULL;
        int fence = eventfd(1, EFD_CLOEXEC);
        play_sync_files(cases[i].status);
        EXPECT_INT(AHardwareBuffer_lock(buffer, READ, fence, NULL, &address), cases[i].result);
        play_no_sync_files();
        EXPECT(!is_open(fence));
        EXPECT((address != NULL) == (cases[i].result == 0));
        EXPECT_INT(unlock(buffer), cases[i].result == 0 ? 0 : -EINVAL);
    }
    AHardwareBuffer_release(buffer);
}

/* ---- Dma-bufs -------------------------------------------------------------------------------- */

TEST(hardware_buffer_lock, dma_buf_is_told_of_each_use)
{
    fake_system_start(FAKE_HEAP);
    AHardwareBuffer *buffer = allocated(blob_of(8));

    EXPECT_INT(lock(buffer, WRITE), 0);
    EXPECT_INT(fake_system_counts().starts, 1);
    EXPECT_INT(fake_system_counts().last_start, DMA_BUF_SYNC_WRITE);
    EXPECT_INT(unlock(buffer), 0);
    EXPECT_INT(fake_system_counts().last_end, DMA_BUF_SYNC_WRITE);
    EXPECT_INT(lock(buffer, READ), 0);
    EXPECT_INT(lock(buffer, READ), 0);
    EXPECT_INT(unlock(buffer), 0);
    EXPECT_INT(unlock(buffer), 0);
    EXPECT_INT(fake_system_counts().last_end, DMA_BUF_SYNC_READ);
    EXPECT_INT(lock(buffer, READ | WRITE), 0);
    EXPECT_INT(unlock(buffer), 0);
    EXPECT_INT(fake_system_counts().last_end, DMA_BUF_SYNC_RW);
    EXPECT_INT(fake_system_counts().starts, 4);
    EXPECT_INT(fake_system_counts().ends, 4);
    AHardwareBuffer_release(buffer);
    fake_system_stop();
}

TEST(hardware_buffer_lock, dma_buf_that_fails_is_not_locked)
{
    fake_system_start(FAKE_UDMABUF);
    AHardwareBuffer *buffer = allocated(blob_of(8));

    fake_system_fail(EIO, 1);
    EXPECT_INT(lock(buffer, WRITE), -EIO);
    EXPECT_INT(unlock(buffer), -EINVAL);
    fake_system_fail(EINTR, 2);
    EXPECT_INT(lock(buffer, WRITE), 0);
    fake_system_fail(EIO, 1);
    EXPECT_INT(unlock(buffer), -EIO); /* and it is unlocked */
    EXPECT_INT(lock(buffer, WRITE), 0);
    EXPECT_INT(unlock(buffer), 0);
    AHardwareBuffer_release(buffer);
    fake_system_stop();
}

TEST(hardware_buffer_lock, anonymous_memory_needs_no_telling)
{
    fake_system_start(FAKE_NONE);
    AHardwareBuffer *buffer = allocated(blob_of(8));

    EXPECT_INT(lock(buffer, READ | WRITE), 0);
    EXPECT_INT(unlock(buffer), 0);
    EXPECT_INT(fake_system_counts().starts, 0);
    EXPECT_INT(fake_system_counts().ends, 0);
    AHardwareBuffer_release(buffer);
    fake_system_stop();
}

/* ---- Threads --------------------------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS  2000

static struct {
    AHardwareBuffer *buffer;
    atomic_int inside; /* writers count 100 */
    atomic_int wrong;
} shared;

static void *lock_and_unlock(void *arg)
{
    const bool writes = (intptr_t)arg % 2;
    const int weight = writes ? 100 : 1;

    for (int i = 0; i < ROUNDS; i++) {
        void *address;
        AHardwareBuffer_acquire(shared.buffer);
        if (AHardwareBuffer_lock(shared.buffer, writes ? WRITE : READ, -1, NULL, &address) == 0) {
            const int before = atomic_fetch_add(&shared.inside, weight);
            if (writes ? before != 0 : before >= 100)
                atomic_fetch_add(&shared.wrong, 1);
            atomic_fetch_sub(&shared.inside, weight);
            if (AHardwareBuffer_unlock(shared.buffer, NULL) != 0)
                atomic_fetch_add(&shared.wrong, 1);
        }
        AHardwareBuffer_release(shared.buffer);
    }
    return NULL;
}

TEST(hardware_buffer_lock, threads_keep_out_of_each_others_way)
{
    pthread_t threads[THREADS];

    shared.buffer = allocated(blob_of(8));
    for (intptr_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, lock_and_unlock, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    EXPECT_INT(atomic_load(&shared.wrong), 0);
    EXPECT_INT(lock(shared.buffer, WRITE), 0);
    EXPECT_INT(unlock(shared.buffer), 0);
    AHardwareBuffer_release(shared.buffer);
}
