#ifndef HY_RUNTIME_DEVICE_MEMORY_H
#define HY_RUNTIME_DEVICE_MEMORY_H

#include "common/error.h"
#include "common/shape.h"
#include "runtime/device/device.h"

#include <stdbool.h>

struct hy_compilation;

/*
 * A buffer of a driver's: memory that only it can reach, which requests name by a token. Copies
 * are for any thread, one after the other; executions use the token at any time.
 */
struct hy_device_memory;

/* Whether the device keeps memory of its own for tensors. */
bool hy_device_has_memory(const struct hy_runtime_device *device);

/*
 * Asks the device for memory. The prepared models of `desc` are those of `count` compilations,
 * which are kept as long as the memory. Errors: the driver's; FAILED (an answer that cannot be
 * right: no buffer, no token, or the token of other memory); OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_device_memory_create(const struct hy_runtime_device *device,
                                                   const struct hy_buffer_desc *desc,
                                                   struct hy_compilation *const *compilations,
                                                   uint32_t count, struct hy_device_memory **ret,
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
