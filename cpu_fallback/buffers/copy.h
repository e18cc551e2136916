#ifndef HY_CPU_FALLBACK_BUFFERS_COPY_H
#define HY_CPU_FALLBACK_BUFFERS_COPY_H

#include "cpu_fallback/buffers/buffer.h"

/*
 * All of a pool into the buffer, or of the buffer into a pool, which has exactly as many bytes; the
 * source may be another buffer of the same type. `dims`: what the source has for a shape; rank 0
 * where that is known. A copy that fails otherwise than with HY_BAD_DATA leaves the buffer empty
 * that it was to fill. Errors: HY_BAD_DATA (a shape, size or source that does not go with the
 * buffer), HY_FAILED (the source holds nothing), HY_UNMAPPABLE, HY_OUT_OF_MEMORY.
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
