#ifndef HY_CPU_FALLBACK_BUFFERS_CPU_BUFFER_H
#define HY_CPU_FALLBACK_BUFFERS_CPU_BUFFER_H

#include "common/error.h"
#include "cpu_fallback/buffers/buffer_backing.h"
#include "cpu_fallback/buffers/buffers.h"
#include "cpu_fallback/buffers/cached_weights.h"
#include "cpu_fallback/buffers/content.h"
#include "halyard/driver.h"

struct hy_cpu_prepared;

/* A role of a buffer: an input or output of a prepared model. */
struct hy_cpu_buffer_role {
    const struct hy_cpu_prepared *prepared;
    uint32_t is_output;
    uint32_t index;
    struct hy_cpu_cached_weights cached_weights; /* packed weights of this role */
};

/*
 * Memory of the device for the given roles. Any number of threads may execute with a buffer and
 * copy it at once, and none waits. Concurrent users may see partial writes; the address never
 * changes. Members before `content` are constant.
 */
struct hy_cpu_buffer {
    struct hy_cpu_buffers *owner;
    uint32_t token;
    int32_t type;
    struct hy_shape shape; /* of any contents; 0 as rank or extent is unknown */
    struct hy_cpu_content content;
    struct hy_cpu_backing backing;
    /* Counts the begin and the end of each write; while the count stays equal, so do the
     * contents. */
    atomic_uint_least64_t writes;
    uint32_t role_count;
    struct hy_cpu_buffer_role roles[]; /* sorted */
};

/* Creates a buffer. If the shape is known, the memory is allocated now, else at the first write.
 * Errors: HY_BAD_DATA (the description), HY_FAILED (a type without elements), HY_EXHAUSTED,
 * HY_EXHAUSTED_FOR_GOOD, HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_cpu_buffer_create(struct hy_cpu_buffers *owner,
                                                const struct hy_buffer_desc *desc,
                                                struct hy_cpu_buffer **out, struct hy_error *err);

/* Invalidates the token of the buffer. The buffer lives until the last holder releases it. NULL is
 * allowed. */
void hy_cpu_buffer_destroy(struct hy_cpu_buffer *buffer);

/* Releases a buffer held by hy_token_table_hold. */
void hy_cpu_buffer_release(struct hy_cpu_buffer *buffer);

/* Finds a role of the buffer. NULL: the buffer has no such role. */
struct hy_cpu_buffer_role *hy_cpu_buffer_role(struct hy_cpu_buffer *buffer,
                                              const struct hy_cpu_prepared *prepared,
                                              bool is_output, uint32_t index);

/* Enclose a change of the contents. `shape`: the shape of the new contents at `bytes`; both NULL:
 * the buffer is empty. */
void hy_cpu_buffer_begin_write(struct hy_cpu_buffer *buffer);
void hy_cpu_buffer_end_write(struct hy_cpu_buffer *buffer, const struct hy_shape *shape,
                             void *bytes);

/* Gets memory for `size` bytes of contents. Errors: HY_OUT_OF_MEMORY, but never if the buffer
 * already has enough capacity. */
HY_MUST_CHECK enum hy_code hy_cpu_buffer_reserve(struct hy_cpu_buffer *buffer, uint64_t size,
                                                 void **bytes, struct hy_error *err);

#endif
