#include "hardware_buffer/system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>

static int open_device(const char *path)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int control(int fd, unsigned long request, void *argument)
{
    const int result = ioctl(fd, request, argument);
    return result < 0 ? -errno : result;
}

static bool is_dma_buf(int fd)
{
    struct statfs status;
    return fstatfs(fd, &status) == 0 && status.f_type == DMA_BUF_MAGIC;
}

static const struct hy_buffer_system real = {
    .open_device = open_device,
    .control = control,
    .is_dma_buf = is_dma_buf,
};

static _Atomic(const struct hy_buffer_system *) current = &real;

const struct hy_buffer_system *hy_buffer_system(void)
{
    return atomic_load_explicit(&current, memory_order_acquire);
}

void hy_buffer_system_set(const struct hy_buffer_system *system)
{
    atomic_store_explicit(&current, system ? system : &real, memory_order_release);
}
