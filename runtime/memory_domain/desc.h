#ifndef HY_RUNTIME_DESC_H
#define HY_RUNTIME_DESC_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

struct hy_compilation;
struct hy_memory;

/*
 * A memory descriptor: memory defined by its uses as arguments of compilations, all with one type
 * and compatible shapes. Built by one thread. A finished descriptor can create any number of
 * memories, which do not depend on the descriptor afterwards.
 */
struct hy_memory_desc;

HY_MUST_CHECK enum hy_code hy_memory_desc_create(struct hy_memory_desc **ret, struct hy_error *err);
void hy_memory_desc_destroy(struct hy_memory_desc *desc); /* NULL is allowed */

/*
 * Adds a role and retains the compilation. Checks, in this order: the descriptor is not finished
 * (BAD_STATE); the role is new, the compilation finished, the index in range, the type equal to the
 * other roles, the shape compatible, the frequency in (0, 1] (all BAD_DATA). OUT_OF_MEMORY. After a
 * failure nothing has changed.
 */
HY_MUST_CHECK enum hy_code hy_memory_desc_add_role(struct hy_memory_desc *desc,
                                                   struct hy_compilation *compilation,
                                                   bool is_output, uint32_t index, float frequency,
                                                   struct hy_error *err);

/* Adds known extents of the shape; 0 = unknown. Errors: BAD_STATE; BAD_DATA (a scalar, or a
 * contradiction). */
HY_MUST_CHECK enum hy_code hy_memory_desc_set_dims(struct hy_memory_desc *desc, uint32_t rank,
                                                   const uint32_t *dims, struct hy_error *err);

/* Errors: BAD_STATE (finished already); BAD_DATA (no role). */
HY_MUST_CHECK enum hy_code hy_memory_desc_finish(struct hy_memory_desc *desc, struct hy_error *err);

/*
 * Creates memory for the roles, without contents. If all roles lead to one device with buffers, the
 * memory is a device buffer and may have an open shape; otherwise the memory is shared memory of a
 * known size. If the app named the devices of a compilation, shared memory is no substitute: the
 * call fails with the device's failure, or with FAILED if the roles lead to several devices.
 * Errors: BAD_STATE (not finished); FAILED (unknown size); those of the device; OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_memory_from_desc(const struct hy_memory_desc *desc,
                                               struct hy_memory **ret, struct hy_error *err);

#endif
