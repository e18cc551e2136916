/* Where the memory of buffers comes from, and what is asked of memory of others. */
#include "hardware_buffer/backing.h"
#include "tests/kit/test.h"
#include "tests/unit/hardware_buffer/fake_system.h"
#include "tests/unit/hardware_buffer/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct hy_backing backing_of(uint64_t bytes, bool needs_dma_buf)
{
    struct hy_backing backing = {.fd = -1};
    EXPECT_INT(hy_backing_allocate(bytes, needs_dma_buf, &backing, NULL), 0);
    EXPECT(backing.fd >= 0 && backing.is_writable && backing.id != 0);
    return backing;
}

TEST(hardware_buffer_backing, machine_without_devices_gives_memory_that_cannot_shrink)
{
    fake_system_start(FAKE_NONE);
    struct hy_backing backing = backing_of(100, false);
    struct stat status;

    EXPECT(!backing.is_dma_buf);
    EXPECT_INT(fstat(backing.fd, &status), 0);
    EXPECT_INT(status.st_size, 100);
    EXPECT_INT(ftruncate(backing.fd, 99), -1);
    EXPECT_INT(ftruncate(backing.fd, 101), -1);
    EXPECT_INT(fcntl(backing.fd, F_GETFD), FD_CLOEXEC);
    hy_backing_finish(&backing);
    fake_system_stop();
}

TEST(hardware_buffer_backing, dma_bufs_are_made_by_either_device)
{
    static const enum fake_devices devices[] = {FAKE_HEAP, FAKE_UDMABUF};

    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        const int before = count_descriptors();
        fake_system_start(devices[i]);
        struct hy_backing backing = backing_of(5000, true);
        EXPECT(backing.is_dma_buf);
        EXPECT_INT(fake_system_counts().allocations, 1);
        EXPECT_INT(count_descriptors(), before + 1);
        hy_backing_finish(&backing);
        EXPECT_INT(count_descriptors(), before);
        fake_system_stop();
    }
}

TEST(hardware_buffer_backing, device_that_fails_is_done_without)
{
    fake_system_start(FAKE_HEAP);
    const int before = count_descriptors();
    fake_system_limit(4096);
    struct hy_backing backing = backing_of(4097, false);

    EXPECT(!backing.is_dma_buf);
    EXPECT_INT(count_descriptors(), before + 1);
    hy_backing_finish(&backing);
    fake_system_stop();
}

TEST(hardware_buffer_backing, what_needs_a_dma_buf_fails_where_there_is_none)
{
    struct hy_backing backing;
    struct hy_error err = {0};

    fake_system_start(FAKE_NONE);
    EXPECT_INT(hy_backing_allocate(8, true, &backing, &err), -ENOENT);
    EXPECT_CONTAINS(err.text, "dma-buf");
    fake_system_start(FAKE_UDMABUF);
    fake_system_limit(4096);
    EXPECT_INT(hy_backing_allocate(4097, true, &backing, &err), -ENOMEM);
    EXPECT_INT(err.code, HY_OUT_OF_MEMORY);
    fake_system_stop();
}

TEST(hardware_buffer_backing, signals_and_busy_devices_are_no_answer)
{
    static const int numbers[] = {EINTR, EAGAIN};

    for (size_t i = 0; i < 2; i++) {
        fake_system_start(FAKE_HEAP);
        fake_system_fail(numbers[i], 3);
        struct hy_backing backing = backing_of(64, true);
        fake_system_fail(numbers[i], 5);
        EXPECT_INT(hy_backing_sync_begin(backing.fd, HY_SYNC_READ), 0);
        EXPECT_INT(hy_backing_sync_end(backing.fd, HY_SYNC_READ), 0);
        EXPECT_INT(fake_system_counts().starts, 1);
        EXPECT_INT(fake_system_counts().ends, 1);
        hy_backing_finish(&backing);
    }
    fake_system_stop();
}

TEST(hardware_buffer_backing, uses_say_whether_they_read_or_write)
{
    fake_system_start(FAKE_HEAP);
    struct hy_backing backing = backing_of(64, true);

    EXPECT_INT(hy_backing_sync_begin(backing.fd, HY_SYNC_WRITE), 0);
    EXPECT_INT(fake_system_counts().last_start, DMA_BUF_SYNC_WRITE);
    EXPECT_INT(hy_backing_sync_end(backing.fd, HY_SYNC_READ | HY_SYNC_WRITE), 0);
    EXPECT_INT(fake_system_counts().last_end, DMA_BUF_SYNC_RW);
    fake_system_fail(EIO, 1);
    EXPECT_INT(hy_backing_sync_begin(backing.fd, HY_SYNC_READ), -EIO);
    hy_backing_finish(&backing);
    fake_system_stop();
}

/* ---- Memory of others ------------------------------------------------------------------------ */

static void expect_refused(int fd, uint64_t bytes, const char *expected)
{
    struct hy_backing backing = {.fd = -7};
    struct hy_error err = {0};

    EXPECT_INT(hy_backing_adopt(fd, bytes, &backing, &err), -EINVAL);
    EXPECT_INT(backing.fd, -7);
    EXPECT_CONTAINS(err.text, expected);
}

TEST(hardware_buffer_backing, files_and_sockets_and_pipes_are_refused)
{
    int ends[2];
    FILE *file = tmpfile();
    const int dir = open("/proc/self", O_RDONLY | O_CLOEXEC);
    const int path = open("/dev/null", O_PATH | O_CLOEXEC);

    REQUIRE(file && pipe(ends) == 0);
    EXPECT_INT(ftruncate(fileno(file), 4096), 0);
    expect_refused(fileno(file), 1, "anonymous memory");
    expect_refused(ends[0], 1, "anonymous memory");
    expect_refused(ends[1], 1, "reading");
    expect_refused(dir, 1, "anonymous memory");
    expect_refused(path, 1, "reading");
    expect_refused(-1, 1, "not open");
    fclose(file);
    close(ends[0]);
    close(ends[1]);
    close(dir);
    close(path);
}

TEST(hardware_buffer_backing, memory_that_can_shrink_is_refused)
{
    const int loose = sealed_memory(64, 0), grows = sealed_memory(64, F_SEAL_GROW);

    expect_refused(loose, 64, "shrinking");
    expect_refused(grows, 64, "shrinking");
    close(loose);
    close(grows);
}

TEST(hardware_buffer_backing, memory_that_is_too_small_is_refused)
{
    fake_system_start(FAKE_HEAP);
    const int sealed = sealed_memory(64, F_SEAL_SHRINK), dma_buf = fake_dma_buf(64);
    struct hy_backing backing;

    expect_refused(sealed, 65, "64 bytes");
    expect_refused(dma_buf, 65, "64 bytes");
    expect_refused(sealed, UINT64_MAX, "64 bytes");
    REQUIRE(hy_backing_adopt(sealed, 64, &backing, NULL) == 0);
    EXPECT(!backing.is_dma_buf && backing.is_writable);
    hy_backing_finish(&backing);
    REQUIRE(hy_backing_adopt(dma_buf, 64, &backing, NULL) == 0);
    EXPECT(backing.is_dma_buf && backing.is_writable);
    hy_backing_finish(&backing);
    fake_system_stop();
}

TEST(hardware_buffer_backing, memory_tells_whether_it_can_be_written)
{
    const int sealed = sealed_memory(64, F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE);
    const int writable = sealed_memory(64, F_SEAL_SHRINK);
    char path[64];
    struct hy_backing backing;

    snprintf(path, sizeof path, "/proc/self/fd/%d", writable);
    const int reader = open(path, O_RDONLY | O_CLOEXEC);
    REQUIRE(reader >= 0);
    REQUIRE(hy_backing_adopt(sealed, 64, &backing, NULL) == 0);
    EXPECT(!backing.is_writable);
    hy_backing_finish(&backing);
    REQUIRE(hy_backing_adopt(reader, 64, &backing, NULL) == 0);
    EXPECT(!backing.is_writable);
    hy_backing_finish(&backing);
    close(writable);
}

TEST(hardware_buffer_backing, size_is_found_without_moving_the_shared_position)
{
    const int fd = sealed_memory(64, F_SEAL_SHRINK), copy = dup(fd);
    struct hy_backing backing;

    REQUIRE(hy_backing_adopt(fd, 64, &backing, NULL) == 0);
    EXPECT_INT(lseek(copy, 0, SEEK_CUR), 0);
    hy_backing_finish(&backing);
    close(copy);
}

TEST(hardware_buffer_backing, number_is_that_of_the_memory)
{
    fake_system_start(FAKE_NONE);
    struct hy_backing one = backing_of(8, false), other = backing_of(8, false), again;
    const int copy = dup(one.fd);

    REQUIRE(hy_backing_adopt(copy, 8, &again, NULL) == 0);
    EXPECT(one.id != other.id);
    EXPECT(one.id == again.id);
    hy_backing_finish(&one);
    hy_backing_finish(&other);
    hy_backing_finish(&again);
    fake_system_stop();
}
