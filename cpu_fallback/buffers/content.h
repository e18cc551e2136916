#ifndef HY_CPU_FALLBACK_BUFFERS_CONTENT_H
#define HY_CPU_FALLBACK_BUFFERS_CONTENT_H

#include "common/operations/shape_cell.h"

/*
 * Where the contents of a buffer lie, and in what shape. Several threads may look and change at
 * once; nobody waits. All zero bytes holds nothing.
 */
struct hy_cpu_content {
    const struct hy_shape *fixed; /* the only shape there can be, or NULL: any */
    struct hy_shape_cell held;    /* its mark is the address; 0: nothing. The shape: unless fixed */
};

/* False: it holds nothing, or changes all the time. */
bool hy_cpu_content_look(const struct hy_cpu_content *content, struct hy_shape *shape,
                         void **bytes);

/* `bytes` NULL: from now on it holds nothing. Of two that set it at once, one wins. */
void hy_cpu_content_set(struct hy_cpu_content *content, const struct hy_shape *shape, void *bytes);

#endif
