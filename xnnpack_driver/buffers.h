/*
 * The buffers of a device by their tokens. A token is a place in a table and how often the place
 * has been taken, so that one that is out of date names nothing. Nobody waits for anybody: who uses
 * a buffer counts itself in and out, and who comes last frees what has been destroyed.
 */
#ifndef XD_BUFFERS_H
#define XD_BUFFERS_H

#include "program.h"

#include <stdatomic.h>

#define XD_MAX_BUFFERS 4096u /* that live at once */

/* A use that a buffer was made for: input or output number `index` of a prepared model. */
struct xd_role {
    const void *prepared;
    bool is_output;
    uint32_t index;
};

/* Memory for one tensor, where executions read and write it in place. Constant up to the flag. */
struct xd_buffer {
    struct xd_buffers *home;
    uint32_t token;
    struct xd_tensor tensor; /* that all roles agree on */
    uint8_t *memory;         /* aligned to XD_ALIGNMENT; XNN_EXTRA_BYTES more than the tensor */
    atomic_bool is_written;  /* by something that succeeded, and by nothing that failed since */
    uint32_t role_count;
    struct xd_role roles[];
};

struct xd_buffers;

/* For a device on this host. NULL: out of memory. */
struct xd_buffers *xd_buffers_create(const struct hy_host *host);
void xd_buffers_destroy(struct xd_buffers *buffers); /* takes NULL; no buffer is left */

const struct hy_host *xd_buffers_host(const struct xd_buffers *buffers);

/* Gives the buffer a token and a home. False: there are too many. */
bool xd_buffers_add(struct xd_buffers *buffers, struct xd_buffer *buffer);

/* The token names nothing from now on; the buffer goes as soon as nobody uses it. */
void xd_buffers_remove(struct xd_buffer *buffer);

/* The buffer of a token, to be given back; or NULL. */
struct xd_buffer *xd_buffers_take(struct xd_buffers *buffers, uint32_t token);
void xd_buffers_give_back(struct xd_buffer *buffer);

/* Frees one that has no token. Takes NULL. */
void xd_buffer_free(struct xd_buffer *buffer);

#endif
