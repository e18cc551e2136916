#ifndef HY_CPU_FALLBACK_BUFFERS_BUFFER_H
#define HY_CPU_FALLBACK_BUFFERS_BUFFER_H

#include "common/error.h"
#include "cpu_fallback/buffers/buffers.h"
#include "cpu_fallback/buffers/content.h"
#include "cpu_fallback/buffers/kept.h"
#include "cpu_fallback/buffers/rooms.h"
#include "halyard/driver.h"

struct hy_cpu_prepared;

/* One use that a buffer was made for. */
struct hy_cpu_buffer_role {
    const struct hy_cpu_prepared *prepared;
    uint32_t is_output;
    uint32_t index;
    struct hy_cpu_kept kept; /* of weights */
};

/*
 * Memory of the device for the roles given. Executions and copies may use it at once, from any
 * thread, without waiting for one another: concurrent users may see parts of a write, the address
 * never changes. Constant up to `content`.
 */
struct hy_cpu_buffer {
    struct hy_cpu_buffers *owner;
    uint32_t token;
    int32_t type;
    struct hy_shape shape; /* of all it may hold; an extent (or rank) of 0 is open */
    struct hy_cpu_content content;
    struct hy_cpu_rooms rooms;
    atomic_uint_least64_t writes; /* begun, and ended: as long as it stays, so does the content */
    uint32_t role_count;
    struct hy_cpu_buffer_role roles[]; /* sorted */
};

/* The memory of a buffer of known shape is made now, else by the first to write it. Errors:
 * HY_BAD_DATA (the description), HY_EXHAUSTED, HY_EXHAUSTED_FOR_GOOD, HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_cpu_buffer_create(struct hy_cpu_buffers *owner,
                                                const struct hy_buffer_desc *desc,
                                                struct hy_cpu_buffer **out, struct hy_error *err);

/* Its token names nothing from now on. Who holds the buffer still may use it. Takes NULL. */
void hy_cpu_buffer_destroy(struct hy_cpu_buffer *buffer);

/* Ends what hy_token_table_hold has begun. */
void hy_cpu_buffer_release(struct hy_cpu_buffer *buffer);

/* NULL: the buffer was not made for that. */
struct hy_cpu_buffer_role *hy_cpu_buffer_role(struct hy_cpu_buffer *buffer,
                                              const struct hy_cpu_prepared *prepared,
                                              bool is_output, uint32_t index);

/* Between the two, and only then, the content changes. `shape`: what has been written to `bytes`;
 * both NULL: nothing of use. */
void hy_cpu_buffer_begin_write(struct hy_cpu_buffer *buffer);
void hy_cpu_buffer_end_write(struct hy_cpu_buffer *buffer, const struct hy_shape *shape,
                             void *bytes);

/* Where to write that much. HY_OUT_OF_MEMORY; never where there was as much room before. */
HY_MUST_CHECK enum hy_code hy_cpu_buffer_make_room(struct hy_cpu_buffer *buffer, uint64_t size,
                                                   void **bytes, struct hy_error *err);

#endif
