#ifndef HY_CPU_FALLBACK_BUFFERS_CONTENT_H
#define HY_CPU_FALLBACK_BUFFERS_CONTENT_H

#include "common/operations/shape_cell.h"

/*
 * The address and shape of the contents of a buffer. Any number of threads may read and set them at
 * once without waiting. All zero bytes is empty.
 */
struct hy_cpu_content {
    const struct hy_shape *fixed; /* the only possible shape, or NULL: any */
    struct hy_shape_cell
        held; /* mark: the address, or 0 if empty; the shape is unused if `fixed` */
};

/* Reads shape and address. False: the buffer is empty, or other threads change the contents all the
 * time. */
bool hy_cpu_content_look(const struct hy_cpu_content *content, struct hy_shape *shape,
                         void **bytes);

/* Sets the contents; `bytes` NULL: empty. Of two simultaneous calls, one takes effect. */
void hy_cpu_content_set(struct hy_cpu_content *content, const struct hy_shape *shape, void *bytes);

#endif
