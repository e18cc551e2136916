#ifndef HY_CPU_FALLBACK_BUFFERS_BUFFER_COPY_H
#define HY_CPU_FALLBACK_BUFFERS_BUFFER_COPY_H

#include "cpu_fallback/buffers/cpu_buffer.h"

/*
 * Copy a whole pool into the buffer, or the contents of the buffer into a whole pool of exactly the
 * same size. The source may be another buffer of the same type. `dims`: the shape of the source;
 * rank 0 if the buffer's shape is known. After an error other than HY_BAD_DATA, the destination
 * buffer is empty. Errors: HY_BAD_DATA (shape, size or source do not fit the buffer), HY_FAILED (an
 * empty source), HY_UNMAPPABLE, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_buffer_copy_from(struct hy_cpu_buffer *buffer,
                                                   const struct hy_host *host,
                                                   const struct hy_pool *source,
                                                   const uint32_t *dims, uint32_t rank,
                                                   struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_cpu_buffer_copy_to(struct hy_cpu_buffer *buffer,
                                                 const struct hy_host *host,
                                                 const struct hy_pool *destination,
                                                 struct hy_error *err);

#endif
