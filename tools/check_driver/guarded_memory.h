#ifndef HY_TOOLS_CHECK_DRIVER_GUARDED_MEMORY_H
#define HY_TOOLS_CHECK_DRIVER_GUARDED_MEMORY_H

#include <halyard/driver.h>

#include "common/error.h"

/*
 * Memory for tests of a driver: a memfd, mapped between two inaccessible pages. For sizes up to a
 * page the bytes end exactly at the end of the mapping.
 */
struct hy_memory {
    uint8_t *bytes;
    size_t size;
    int fd;
    size_t skipped; /* bytes of the fd before the first mapped byte */
    void *mapping;  /* the mapping with the inaccessible pages */
    size_t mapping_size;
    void *former_mapping; /* the mapping before a move, or NULL */
};

/* Allocates memory of kind HY_POOL_HOST, _ASHMEM, _MMAP_FD (at an offset), _HARDWARE_BUFFER_BLOB or
 * _HARDWARE_BUFFER; for the last kind the caller manages the image. */
HY_MUST_CHECK enum hy_code hy_memory_create(uint32_t kind, size_t size, struct hy_memory *out,
                                            struct hy_error *err);
/* A zeroed struct is valid. */
void hy_memory_destroy(struct hy_memory *memory);

/* The handle of the memory for a driver. */
struct hy_pool hy_memory_pool(const struct hy_memory *memory, uint32_t kind, uint32_t protection);

/* Enables or disables write protection; a write to protected memory ends the process. */
void hy_memory_protect(const struct hy_memory *memory, int read_only);

/* Moves the mapping to another address, once; an access to the former address ends the process. */
HY_MUST_CHECK enum hy_code hy_memory_move(struct hy_memory *memory, struct hy_error *err);

/* The host that check-driver offers: quiet, one thread, a cache in memory (host_cache.h). The first
 * call comes before threads are started. */
const struct hy_host *hy_check_host(void);

#endif
