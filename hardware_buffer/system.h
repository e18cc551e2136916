#ifndef HY_HARDWARE_BUFFER_SYSTEM_H
#define HY_HARDWARE_BUFFER_SYSTEM_H

#include <stdbool.h>

/*
 * The part of the system that not every machine has, and that tests replace: devices that make
 * dma-bufs, and what only dma-bufs can do.
 */
struct hy_buffer_system {
    int (*open_device)(const char *path); /* a descriptor, or the negative of an errno value */
    int (*control)(int fd, unsigned long request,
                   void *argument); /* ioctl; below 0: negative errno */
    bool (*is_dma_buf)(int fd);
};

const struct hy_buffer_system *hy_buffer_system(void);

/* Must stay; NULL: the real one. Not while buffers are in use elsewhere. */
void hy_buffer_system_set(const struct hy_buffer_system *system);

#endif
