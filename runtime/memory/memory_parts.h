#ifndef HY_RUNTIME_MEMORY_PARTS_H
#define HY_RUNTIME_MEMORY_PARTS_H

/* The members of a memory object, for the files of memory objects. */
#include "memory_object.h"

#include <stdatomic.h>

struct hy_memory {
    atomic_uint references;
    uint32_t app_protection; /* HY_PROTECT_*: uses allowed by the app */
    struct hy_pool pool;     /* fd and address are owned */
    struct hy_image image;   /* of the pool */
    bool is_dma_buf;
    unsigned seals;           /* HY_SEALS_* at creation */
    struct hy_domain *domain; /* owned; NULL unless created from a descriptor */
    atomic_uint looks;        /* successful file checks of hy_memory_check_argument */
};

#endif
