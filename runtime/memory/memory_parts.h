#ifndef HY_RUNTIME_MEMORY_PARTS_H
#define HY_RUNTIME_MEMORY_PARTS_H

/* What a memory object consists of: for the files that make, end and check it. */
#include "memory.h"

#include <stdatomic.h>

struct hy_memory {
    atomic_uint references;
    uint32_t app_protection; /* HY_PROTECT_*: what the app may use it for */
    struct hy_pool pool;     /* fd and address are owned */
    struct hy_image image;   /* of the pool */
    bool is_dma_buf;
    unsigned seals;           /* HY_SEALS_*, when it was made */
    struct hy_domain *domain; /* owned; NULL unless it was made from a descriptor */
    atomic_uint looks;        /* of hy_memory_check_argument at the file, that found no fault */
};

#endif
