/*
 * The buffer group of hy_device: tensors in memory of the device, for a device whose prepared
 * models know all shapes. A buffer holds one tensor, in the order of bytes that the device computes
 * in. Executions read and write the tensor in place; copies convert from and to the order of the
 * API.
 *
 * All functions may be called from any thread. Nothing locks: an execution holds a buffer while it
 * runs, and the last holder frees a destroyed buffer.
 */
#ifndef HY_DRIVER_KIT_DEVICE_BUFFER_H
#define HY_DRIVER_KIT_DEVICE_BUFFER_H

#include "driver_kit/token_table.h"

#include <halyard/driver.h>

/* An argument of a prepared model. All extents are known. */
struct hy_buffer_tensor {
    int32_t type; /* OperandCode */
    float scale;
    int32_t zero_point;
    uint32_t rank;
    uint32_t dims[HY_MAX_RANK];
    uint64_t bytes;   /* in the order of the API; 0: no operation reads the argument */
    uint32_t layout;  /* 0: the order of the API; others are the driver's */
    bool is_read;     /* an output that operations read, too */
    bool is_optional; /* an input that a request may leave out */
};

/* What the driver knows of its tensors. */
struct hy_buffer_functions {
    /* The tensor of an input or output of a prepared model. False: the index is too large. */
    bool (*argument)(const void *prepared, bool is_output, uint32_t index,
                     struct hy_buffer_tensor *tensor);

    /* Bytes of memory that a tensor needs in its layout. */
    uint64_t (*stored_bytes)(const struct hy_buffer_tensor *tensor);

    /* Copies a tensor into another layout; `from` and `to` do not overlap. NULL: there is no layout
     * but 0. Not called for equal layouts: these are copied as `tensor->bytes` bytes of layout 0,
     * else as all stored bytes. */
    void (*convert)(const struct hy_buffer_tensor *tensor, uint32_t from_layout,
                    const uint8_t *from, uint32_t to_layout, uint8_t *to);
};

/* The buffers of a device. */
struct hy_device_buffers {
    const struct hy_host *host;
    const struct hy_buffer_functions *functions;
    struct hy_token_table tokens;
};

/* A use that a buffer was made for: input or output `index` of a prepared model. */
struct hy_buffer_use {
    const void *prepared;
    bool is_output;
    uint32_t index;
};

struct hy_device_buffer {
    struct hy_device_buffers *owner;
    uint32_t token;
    struct hy_buffer_tensor tensor; /* the tensor that all roles agree on */
    uint8_t *memory;                /* stored bytes, at a multiple of HY_QUOTA_ALIGNMENT */
    atomic_bool is_written;         /* by a success, and by no failure since */
    uint32_t role_count;
    struct hy_buffer_use roles[];
};

/* Of at most `capacity` buffers at once, up to HY_TOKEN_TABLE_LIMIT; 0: none. The host and the
 * functions outlive the buffers. False: out of memory. */
bool hy_device_buffers_init(struct hy_device_buffers *buffers, const struct hy_host *host,
                            const struct hy_buffer_functions *functions, uint32_t capacity);

/* All buffers are destroyed and released. */
void hy_device_buffers_finish(struct hy_device_buffers *buffers);

/*
 * hy_device.buffer_create, with the buffers of the device. The memory is all zeros. Where the roles
 * have different layouts, the buffer has layout 0. Errors: INVALID_ARGUMENT (a view of an older
 * version; a role that does not exist or stands there twice; roles that contradict each other or
 * the dimensions), GENERAL_FAILURE (an argument that no operation reads),
 * RESOURCE_EXHAUSTED_TRANSIENT (memory, tokens).
 */
int32_t hy_device_buffer_create(struct hy_device_buffers *buffers,
                                const struct hy_buffer_desc *desc, uint32_t *token, void **buffer);

/* hy_device.buffer_destroy. An execution that holds the buffer goes on. */
void hy_device_buffer_destroy(void *buffer);

/* hy_device.buffer_copy_from and buffer_copy_to: from and to mapped memory of exactly the tensor's
 * size, and from buffers of the same device. After a copy_from that fails the buffer holds nothing.
 * Errors: INVALID_ARGUMENT (size, dimensions, an unknown token), GENERAL_FAILURE (an image, a
 * buffer that holds nothing), those of hy_host.map. */
int32_t hy_device_buffer_copy_from(void *buffer, const struct hy_pool *source, const uint32_t *dims,
                                   uint32_t rank);
int32_t hy_device_buffer_copy_to(void *buffer, const struct hy_pool *destination);

/* The buffer that has the token and was made for the use, held until hy_device_buffer_release.
 * NULL: there is none. */
struct hy_device_buffer *hy_device_buffer_hold(struct hy_device_buffers *buffers, uint32_t token,
                                               struct hy_buffer_use use);
void hy_device_buffer_release(struct hy_device_buffer *buffer);

#endif
