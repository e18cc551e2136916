#ifndef HY_SERVICE_WIRE_BUFFERS_H
#define HY_SERVICE_WIRE_BUFFERS_H

#include "halyard/driver.h"
#include "plugins/service/wire/fields.h"

/*
 * Driver-managed memory:
 *
 *   BUFFER_CREATE     object = index of the device; reply: object = the buffer, token
 *   BUFFER_COPY_FROM  object = the buffer; pool, shape
 *   BUFFER_COPY_TO    object = the buffer; pool
 *   BUFFER_DESTROY    object = the buffer; no body
 */

/* A buffer description with the ids of its prepared models. */
struct hy_named_buffer_desc {
    struct hy_buffer_desc desc;
    const uint64_t *ids; /* of desc.prepared */
    void **prepared;     /* desc.prepared */
};

HY_FIELDS(named_buffer_desc);

/* `ids` are the wire ids of desc->prepared, desc->prepared_count elements. */
void hy_buffer_desc_pack(struct hy_pack *out, const struct hy_buffer_desc *desc,
                         const uint64_t *ids);

/* Unpacks a description and checks that each role names a prepared model in range. `*prepared` is
 * the array behind desc->prepared, all NULL; the caller fills in the models of `ids`. */
void hy_buffer_desc_unpack(struct hy_unpack *in, struct hy_buffer_desc *desc, const uint64_t **ids,
                           void ***prepared);

/* The reply to BUFFER_CREATE. */
struct hy_created_buffer {
    uint32_t token; /* not 0 */
};

HY_STRUCT(created_buffer);

/* A copy: a pool, and for BUFFER_COPY_FROM the shape; otherwise rank is 0. */
struct hy_buffer_copy {
    struct hy_pool pool;
    const uint32_t *dims;
    uint32_t rank;
};

HY_STRUCT(buffer_copy);

#endif
