#ifndef HY_RUNTIME_DEVICE_MEMORY_H
#define HY_RUNTIME_DEVICE_MEMORY_H

#include "common/error.h"
#include "common/operations/shape.h"
#include "runtime/device/runtime_device.h"
#include "runtime/fork_guard.h"

#include <stdbool.h>

/*
 * A buffer in the memory of a device. Requests name the buffer by its token; other devices cannot
 * access the buffer. Any thread may copy, and copies are serialized; executions may use the token
 * at any time.
 */
struct hy_device_memory;

/* True if the device can allocate buffers for tensors. */
bool hy_device_has_memory(const struct hy_runtime_device *device);

/* Reference-counted objects that own the prepared models of a buffer. The struct owns the list and
 * one reference to each object. */
struct hy_buffer_holds {
    void **objects;
    uint32_t count;
    void (*release)(void *object);
};

/*
 * Allocates a buffer on the device. Takes ownership of `holds`, and releases it with the memory or
 * at once after a failure. NULL: the prepared models of `desc` outlive the memory. Errors: those of
 * the driver; FAILED (an invalid result: no buffer, no token, or a token already in use);
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_device_memory_create(const struct hy_runtime_device *device,
                                                   const struct hy_buffer_desc *desc,
                                                   const struct hy_buffer_holds *holds,
                                                   struct hy_device_memory **ret,
                                                   struct hy_error *err);
void hy_device_memory_destroy(struct hy_device_memory *memory); /* NULL is allowed */

const struct hy_runtime_device *hy_device_memory_device(const struct hy_device_memory *memory);
uint32_t hy_device_memory_token(const struct hy_device_memory *memory); /* > 0 */

/* Copies the whole buffer from or to a pool of exactly the same size. `shape` is the shape of the
 * written data. Errors: those of the driver. */
HY_MUST_CHECK enum hy_code hy_device_memory_write(struct hy_device_memory *memory,
                                                  const struct hy_pool *source,
                                                  const struct hy_shape *shape,
                                                  struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_device_memory_read(struct hy_device_memory *memory,
                                                 const struct hy_pool *destination,
                                                 struct hy_error *err);

void hy_device_memory_fork(enum hy_fork_phase phase); /* see fork_guard.h */

#endif
