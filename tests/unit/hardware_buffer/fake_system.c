#include "tests/unit/hardware_buffer/fake_system.h"

#include "hardware_buffer/system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_DMA_BUFS 64u

static struct {
    enum fake_devices devices;
    struct fake_counts counts;
    int failure;
    uint32_t failures;
    uint32_t successes; /* before the failures */
    uint64_t limit;
    ino_t dma_bufs[MOST_DMA_BUFS]; /* the oldest are forgotten */
    uint32_t dma_buf_count;
} fake;

int fake_dma_buf(uint64_t bytes)
{
    struct stat status;
    const int fd = memfd_create("fake-dma-buf", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0 || fstat(fd, &status) != 0)
        return -1;
    fake.dma_bufs[fake.dma_buf_count++ % MOST_DMA_BUFS] = status.st_ino;
    return fd;
}

static bool is_dma_buf(int fd)
{
    struct stat status;

    for (uint32_t i = 0; fstat(fd, &status) == 0 && i < MOST_DMA_BUFS; i++) {
        if (status.st_ino != 0 && fake.dma_bufs[i] == status.st_ino)
            return true;
    }
    return false;
}

static int open_device(const char *path)
{
    const char *there = fake.devices == FAKE_HEAP      ? "/dev/dma_heap/system"
                        : fake.devices == FAKE_UDMABUF ? "/dev/udmabuf"
                                                       : "";
    return strcmp(path, there) == 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : -ENOENT;
}

static int allocate(uint64_t bytes)
{
    if (fake.limit != 0 && bytes > fake.limit)
        return -ENOMEM;
    fake.counts.allocations++;
    return fake_dma_buf(bytes);
}

/* As the real one: of whole pages, and of memory that cannot get shorter. */
static int make_udmabuf(const struct udmabuf_create *create)
{
    const int seals = fcntl((int)create->memfd, F_GET_SEALS);
    struct stat status;

    if (fstat((int)create->memfd, &status) != 0 || seals < 0 || !(seals & F_SEAL_SHRINK) ||
        seals & F_SEAL_WRITE || create->size % (uint64_t)sysconf(_SC_PAGESIZE) != 0 ||
        (uint64_t)status.st_size < create->size || !(create->flags & UDMABUF_FLAGS_CLOEXEC))
        return -EINVAL;
    return allocate(create->size);
}

static int control(int fd, unsigned long request, void *argument)
{
    if (fake.successes > 0) {
        fake.successes--;
    } else if (fake.failures > 0) {
        fake.failures--;
        return -fake.failure;
    }
    if (request == UDMABUF_CREATE && fake.devices == FAKE_UDMABUF)
        return make_udmabuf(argument);
    if (request == DMA_HEAP_IOCTL_ALLOC && fake.devices == FAKE_HEAP) {
        struct dma_heap_allocation_data *data = argument;
        const int memory = allocate(data->len);
        if (memory < 0)
            return memory;
        data->fd = (uint32_t)memory;
        return 0;
    }
    if (request != DMA_BUF_IOCTL_SYNC || !is_dma_buf(fd))
        return -ENOTTY;
    const struct dma_buf_sync *sync = argument;
    if (sync->flags & DMA_BUF_SYNC_END) {
        fake.counts.ends++;
        fake.counts.last_end = sync->flags & ~(uint64_t)DMA_BUF_SYNC_END;
    } else {
        fake.counts.starts++;
        fake.counts.last_start = sync->flags;
    }
    return 0;
}

static const struct hy_buffer_system faked = {
    .open_device = open_device,
    .control = control,
    .is_dma_buf = is_dma_buf,
};

void fake_system_start(enum fake_devices devices)
{
    memset(&fake, 0, sizeof fake);
    fake.devices = devices;
    hy_buffer_system_set(&faked);
}

void fake_system_stop(void)
{
    hy_buffer_system_set(NULL);
}

void fake_system_fail(int number, uint32_t count)
{
    fake.failure = number;
    fake.failures = count;
    fake.successes = 0;
}

void fake_system_fail_after(int number, uint32_t later)
{
    fake_system_fail(number, 1);
    fake.successes = later;
}

void fake_system_limit(uint64_t bytes)
{
    fake.limit = bytes;
}

struct fake_counts fake_system_counts(void)
{
    return fake.counts;
}
