#ifndef HY_HARDWARE_BUFFER_SYSTEM_H
#define HY_HARDWARE_BUFFER_SYSTEM_H

#include <stdbool.h>

/*
 * System functions with tests as a second implementation, because some machines lack them: devices
 * for making dma-bufs, and operations on dma-bufs.
 */
struct hy_buffer_system {
    int (*open_device)(const char *path); /* a descriptor, or a negative errno value */
    int (*control)(int fd, unsigned long request,
                   void *argument); /* ioctl; below 0: a negative errno value */
    bool (*is_dma_buf)(int fd);
};

const struct hy_buffer_system *hy_buffer_system(void);

/* Replaces the functions; NULL: the system's functions. `system` must have static lifetime. Do not
 * call while buffers are in use on other threads. */
void hy_buffer_system_set(const struct hy_buffer_system *system);

#endif
