/*
 * The buffer functions of hy_device: tensors in device memory, for a device whose prepared models
 * have only known shapes. A buffer holds one tensor in the layout of the device. Executions read
 * and write the tensor in place. Copies convert between the device layout and the API layout.
 *
 * All functions may be called from any thread, and none takes a lock. An execution holds a
 * reference to each of its buffers. A destroyed buffer is freed with its last reference.
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
    uint64_t bytes;   /* in the API layout; 0: no operation reads the argument */
    uint32_t layout;  /* 0: the API layout; other values are defined by the driver */
    bool is_read;     /* an output that operations also read */
    bool is_optional; /* a request may omit this input */
};

/* Callbacks of the driver. */
struct hy_buffer_functions {
    /* Describes an input or output of a prepared model. False: the index is out of range. */
    bool (*argument)(const void *prepared, bool is_output, uint32_t index,
                     struct hy_buffer_tensor *tensor);

    /* The size in bytes of the tensor in its own layout. */
    uint64_t (*stored_bytes)(const struct hy_buffer_tensor *tensor);

    /* Copies a tensor into another layout; `from` and `to` do not overlap. NULL: layout 0 is the
     * only layout. Never called for equal layouts: a copy in layout 0 copies `tensor->bytes` bytes,
     * any other copy all stored bytes. */
    void (*convert)(const struct hy_buffer_tensor *tensor, uint32_t from_layout,
                    const uint8_t *from, uint32_t to_layout, uint8_t *to);
};

/* The buffers of one device. */
struct hy_device_buffers {
    const struct hy_host *host;
    const struct hy_buffer_functions *functions;
    struct hy_token_table tokens;
};

/* One role of a buffer: input or output `index` of a prepared model. */
struct hy_buffer_use {
    const void *prepared;
    bool is_output;
    uint32_t index;
};

struct hy_device_buffer {
    struct hy_device_buffers *owner;
    uint32_t token;
    struct hy_buffer_tensor tensor; /* common to all roles */
    uint8_t *memory;                /* stored bytes, at a multiple of HY_QUOTA_ALIGNMENT */
    atomic_bool is_written;         /* set by a successful write, cleared by a failed write */
    uint32_t role_count;
    struct hy_buffer_use roles[];
};

/* Initializes buffers with at most `capacity` live buffers, up to HY_TOKEN_TABLE_LIMIT; 0: none.
 * `host` and `functions` must outlive `buffers`. False: out of memory. */
bool hy_device_buffers_init(struct hy_device_buffers *buffers, const struct hy_host *host,
                            const struct hy_buffer_functions *functions, uint32_t capacity);

/* Precondition: all buffers are destroyed and released. */
void hy_device_buffers_finish(struct hy_device_buffers *buffers);

/*
 * Implements hy_device.buffer_create. The memory is zeroed. If the roles have different layouts,
 * the buffer uses layout 0. Errors: INVALID_ARGUMENT (a struct of an older version, an unknown or
 * duplicate role, or roles in conflict with each other or with the dimensions), GENERAL_FAILURE (no
 * operation reads the argument), RESOURCE_EXHAUSTED_TRANSIENT (memory, tokens).
 */
int32_t hy_device_buffer_create(struct hy_device_buffers *buffers,
                                const struct hy_buffer_desc *desc, uint32_t *token, void **buffer);

/* Implements hy_device.buffer_destroy. Running executions keep the buffer alive. */
void hy_device_buffer_destroy(void *buffer);

/*
 * Implement hy_device.buffer_copy_from and buffer_copy_to. The other side is mapped memory of
 * exactly the size of the tensor, or, as a source, a buffer of the same device. A failed copy_from
 * leaves the buffer without content. Errors: INVALID_ARGUMENT (size, dimensions, an unknown token),
 * GENERAL_FAILURE (an image, or a buffer without content), errors of hy_host.map.
 */
int32_t hy_device_buffer_copy_from(void *buffer, const struct hy_pool *source, const uint32_t *dims,
                                   uint32_t rank);
int32_t hy_device_buffer_copy_to(void *buffer, const struct hy_pool *destination);

/* Acquires the buffer of `token` for `use`. Release the buffer with hy_device_buffer_release. NULL:
 * no buffer has the token, or the buffer lacks the role. */
struct hy_device_buffer *hy_device_buffer_hold(struct hy_device_buffers *buffers, uint32_t token,
                                               struct hy_buffer_use use);
void hy_device_buffer_release(struct hy_device_buffer *buffer);

#endif
