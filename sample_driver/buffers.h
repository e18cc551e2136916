/*
 * The buffers of a device by their tokens. A token is a place in a table and how often the place
 * has been taken, so that one that is out of date names nothing. Nobody waits for anybody: an
 * execution that uses a buffer counts itself in and out, and who comes last frees what has been
 * destroyed.
 */
#ifndef SAMPLE_BUFFERS_H
#define SAMPLE_BUFFERS_H

#include "program.h"

#define SAMPLE_MAX_BUFFERS 65535u

/* What a buffer is for: input or output number `index` of a prepared model. */
struct sample_role {
    const void *prepared;
    uint32_t is_output;
    uint32_t index;
};

/* Memory of the device for one tensor, in the layout of the device. */
struct sample_buffer {
    struct sample_buffers *home;
    const struct hy_host *host;
    uint32_t token;
    struct sample_tensor tensor; /* that all roles agree on */
    uint8_t *memory;             /* of sample_tensor_stored_bytes, aligned for floats */
    atomic_bool is_written;      /* by something that succeeded */
    uint32_t role_count;
    struct sample_role roles[];
};

/* One place of the table. */
struct sample_buffer_place {
    _Atomic uint64_t state; /* users << 32 | token; token 0: none, or destroyed while it was used */
    struct sample_buffer *buffer;
    uint32_t generation;
};

struct sample_buffers {
    uint32_t count;
    struct sample_buffer_place *places;
};

/* Room for `count` buffers that live at once. False: out of memory. */
bool sample_buffers_init(struct sample_buffers *buffers, uint32_t count);
void sample_buffers_finish(struct sample_buffers *buffers);

/* Gives the buffer a token and a home. False: there are too many. */
bool sample_buffers_add(struct sample_buffers *buffers, struct sample_buffer *buffer);

/* The token names nothing from now on; the buffer goes as soon as nobody uses it. */
void sample_buffers_remove(struct sample_buffer *buffer);

/* The buffer of a token, to be given back, or NULL. `buffers` may be NULL. */
struct sample_buffer *sample_buffers_take(struct sample_buffers *buffers, uint32_t token);
void sample_buffers_give_back(struct sample_buffer *buffer);

/* Frees one that has no token. Takes NULL. */
void sample_buffer_free(struct sample_buffer *buffer);

#endif
