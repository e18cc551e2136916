#include "hardware_buffer/backing.h"

#include "hardware_buffer/failure.h"
#include "hardware_buffer/system.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/magic.h>
#include <linux/udmabuf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define DMA_HEAP "/dev/dma_heap/system"
#define UDMABUF  "/dev/udmabuf"

/* Repeats an ioctl after EINTR or for a busy device. */
static int control(int fd, unsigned long request, void *argument)
{
    int result;

    do {
        result = hy_buffer_system()->control(fd, request, argument);
    } while (result == -EINTR || result == -EAGAIN);
    return result;
}

/* ---- Identity -------------------------------------------------------------------------------- */

/*
 * Anonymous memory and dma-bufs live on internal file systems of the kernel, one for each kind, and
 * have unique inode numbers there. The id follows from the memory and is equal in all processes.
 */
static uint64_t id_of(const struct stat *status)
{
    const uint64_t inode = (uint64_t)status->st_ino & ((UINT64_C(1) << 48) - 1);
    const uint64_t id = (uint64_t)status->st_dev << 48 | inode;
    return id ? id : UINT64_MAX;
}

/* Takes ownership of the descriptor on success. */
static int describe(int fd, bool is_dma_buf, struct hy_backing *ret, struct hy_error *err)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return hy_errno_fail(err, -EINVAL, "fstat on the memory failed");
    *ret = (struct hy_backing){
        .fd = fd, .is_dma_buf = is_dma_buf, .is_writable = true, .id = id_of(&status)};
    return 0;
}

/* ---- Allocation ------------------------------------------------------------------------------ */

/* Returns a descriptor, or a negative errno value; likewise the next functions. */
static int open_sealed(uint64_t bytes)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    const int fd = memfd_create("hardware-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 && fcntl(fd, F_ADD_SEALS, seals) == 0)
        return fd;
    const int reason = errno;
    if (fd >= 0)
        close(fd);
    return -reason;
}

static int open_from_heap(uint64_t bytes)
{
    struct dma_heap_allocation_data data = {.len = bytes, .fd_flags = O_RDWR | O_CLOEXEC};
    const int device = hy_buffer_system()->open_device(DMA_HEAP);

    if (device < 0)
        return device;
    const int result = control(device, DMA_HEAP_IOCTL_ALLOC, &data);
    close(device);
    return result < 0 ? result : (int)data.fd;
}

/* Makes a dma-buf of the pages of sealed memory; the ioctl returns the descriptor. */
static int make_udmabuf(int device, uint64_t bytes)
{
    const int memory = open_sealed(bytes);
    if (memory < 0)
        return memory;

    struct udmabuf_create create = {
        .memfd = (uint32_t)memory, .flags = UDMABUF_FLAGS_CLOEXEC, .size = bytes};
    const int result = control(device, UDMABUF_CREATE, &create);
    close(memory); /* the dma-buf keeps its pages */
    return result;
}

static int open_udmabuf(uint64_t bytes)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const int device = hy_buffer_system()->open_device(UDMABUF);

    if (device < 0)
        return device;
    const int result = make_udmabuf(device, (bytes + page - 1) / page * page);
    close(device);
    return result;
}

int hy_backing_allocate(uint64_t bytes, bool needs_dma_buf, struct hy_backing *ret,
                        struct hy_error *err)
{
    bool is_dma_buf = true;
    int fd = open_from_heap(bytes);

    if (fd < 0)
        fd = open_udmabuf(bytes);
    if (fd < 0 && !needs_dma_buf) {
        is_dma_buf = false;
        fd = open_sealed(bytes);
    }
    if (fd < 0)
        return hy_errno_fail(err, fd, "%" PRIu64 " bytes%s: %s", bytes,
                             needs_dma_buf ? " of a dma-buf" : "", strerror(-fd));
    const int result = describe(fd, is_dma_buf, ret, err);
    if (result != 0)
        close(fd);
    return result;
}

bool hy_backing_makes_dma_bufs(void)
{
    static const char *const devices[] = {DMA_HEAP, UDMABUF};

    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        const int device = hy_buffer_system()->open_device(devices[i]);
        if (device >= 0) {
            close(device);
            return true;
        }
    }
    return false;
}

void hy_backing_finish(struct hy_backing *backing)
{
    if (backing->fd >= 0)
        close(backing->fd);
    backing->fd = -1;
}

/* ---- Adoption -------------------------------------------------------------------------------- */

/* Huge pages are excluded: a length that is not a multiple of the page size can be mapped, but not
 * unmapped. */
static int check_anonymous(int fd, bool *is_writable, struct hy_error *err)
{
    const int seals = fcntl(fd, F_GET_SEALS);
    struct statfs status;

    if (seals < 0 || fstatfs(fd, &status) != 0 || status.f_type != TMPFS_MAGIC)
        return hy_errno_fail(err, -EINVAL,
                             "the descriptor is neither a dma-buf nor anonymous memory");
    if (!(seals & F_SEAL_SHRINK))
        return hy_errno_fail(err, -EINVAL, "the memory is not sealed against shrinking");
    if (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE))
        *is_writable = false;
    return 0;
}

/* The size of a dma-buf is only available by seeking to its end. A file is not seeked, as its
 * offset is shared. */
static uint64_t size_of(int fd, bool is_dma_buf)
{
    struct stat status;

    if (!is_dma_buf)
        return fstat(fd, &status) == 0 ? (uint64_t)status.st_size : 0;
    const off_t end = lseek(fd, 0, SEEK_END);
    return end < 0 ? 0 : (uint64_t)end;
}

int hy_backing_adopt(int fd, uint64_t bytes, struct hy_backing *ret, struct hy_error *err)
{
    const int flags = fcntl(fd, F_GETFL);
    const bool is_dma_buf = flags >= 0 && hy_buffer_system()->is_dma_buf(fd);
    bool is_writable = (flags & O_ACCMODE) == O_RDWR;
    struct hy_backing backing;

    if (flags < 0)
        return hy_errno_fail(err, -EINVAL, "file descriptor %d is not open", fd);
    if (flags & O_PATH || (flags & O_ACCMODE) == O_WRONLY)
        return hy_errno_fail(err, -EINVAL, "the memory is not open for reading");
    int result = is_dma_buf ? 0 : check_anonymous(fd, &is_writable, err);
    if (result != 0)
        return result;
    const uint64_t size = size_of(fd, is_dma_buf);
    if (size < bytes)
        return hy_errno_fail(err, -EINVAL,
                             "the memory has %" PRIu64 " bytes, the description needs %" PRIu64,
                             size, bytes);
    result = describe(fd, is_dma_buf, &backing, err);
    if (result == 0) {
        backing.is_writable = is_writable;
        *ret = backing;
    }
    return result;
}

/* ---- Uses by the CPU ------------------------------------------------------------------------- */

static int sync_with(int fd, uint64_t flags, uint32_t access)
{
    struct dma_buf_sync sync = {.flags = flags | (access & HY_SYNC_READ ? DMA_BUF_SYNC_READ : 0) |
                                         (access & HY_SYNC_WRITE ? DMA_BUF_SYNC_WRITE : 0)};
    const int result = control(fd, DMA_BUF_IOCTL_SYNC, &sync);
    return result < 0 ? result : 0;
}

int hy_backing_sync_begin(int fd, uint32_t access)
{
    return sync_with(fd, DMA_BUF_SYNC_START, access);
}

int hy_backing_sync_end(int fd, uint32_t access)
{
    return sync_with(fd, DMA_BUF_SYNC_END, access);
}
