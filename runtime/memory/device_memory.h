#ifndef HY_RUNTIME_DEVICE_MEMORY_H
#define HY_RUNTIME_DEVICE_MEMORY_H

#include "common/error.h"
#include "common/operations/shape.h"
#include "runtime/device/device.h"
#include "runtime/fork_guard.h"

#include <stdbool.h>

/*
 * A buffer of a driver's: memory that only it can reach, which requests name by a token. Copies
 * are for any thread, one after the other; executions use the token at any time.
 */
struct hy_device_memory;

/* Whether the device keeps memory of its own for tensors. */
bool hy_device_has_memory(const struct hy_runtime_device *device);

/* Counted objects to which the prepared models of a buffer belong. The list is owned, and one
 * reference to each object. */
struct hy_buffer_holds {
    void **objects;
    uint32_t count;
    void (*release)(void *object);
};

/*
 * Asks the device for memory. `holds` is taken over and given up with the memory, or at once on
 * failure; NULL: the prepared models of `desc` live longer than the memory. Errors: the driver's;
 * FAILED (an answer that cannot be right: no buffer, no token, or the token of other memory);
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_device_memory_create(const struct hy_runtime_device *device,
                                                   const struct hy_buffer_desc *desc,
                                                   const struct hy_buffer_holds *holds,
                                                   struct hy_device_memory **ret,
                                                   struct hy_error *err);
void hy_device_memory_destroy(struct hy_device_memory *memory); /* takes NULL */

const struct hy_runtime_device *hy_device_memory_device(const struct hy_device_memory *memory);
uint32_t hy_device_memory_token(const struct hy_device_memory *memory); /* > 0 */

/* Copies all of it from or to a pool of exactly its size. `shape`: of what is written. Errors: the
 * driver's. */
HY_MUST_CHECK enum hy_code hy_device_memory_write(struct hy_device_memory *memory,
                                                  const struct hy_pool *source,
                                                  const struct hy_shape *shape,
                                                  struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_device_memory_read(struct hy_device_memory *memory,
                                                 const struct hy_pool *destination,
                                                 struct hy_error *err);

void hy_device_memory_fork(enum hy_fork_phase phase); /* see fork_guard.h */

#endif
