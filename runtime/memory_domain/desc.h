#ifndef HY_RUNTIME_DESC_H
#define HY_RUNTIME_DESC_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

struct hy_compilation;
struct hy_memory;

/*
 * A description of memory by its uses: arguments of compilations, all of one type, whose shapes go
 * together. Built by one thread; once finished it may make any number of memories, which do not
 * need it any more.
 */
struct hy_memory_desc;

HY_MUST_CHECK enum hy_code hy_memory_desc_create(struct hy_memory_desc **ret, struct hy_error *err);
void hy_memory_desc_destroy(struct hy_memory_desc *desc); /* takes NULL */

/*
 * Keeps the compilation. Checks, in this order: the descriptor is not finished (BAD_STATE); the
 * role is new, the compilation finished, the index in range, the type that of the other roles, the
 * shape compatible, the frequency in (0, 1] (all BAD_DATA). OUT_OF_MEMORY. On failure nothing has
 * changed.
 */
HY_MUST_CHECK enum hy_code hy_memory_desc_add_role(struct hy_memory_desc *desc,
                                                   struct hy_compilation *compilation,
                                                   bool is_output, uint32_t index, float frequency,
                                                   struct hy_error *err);

/* More of the shape; 0 = not known. Errors: BAD_STATE; BAD_DATA (a scalar, or a contradiction). */
HY_MUST_CHECK enum hy_code hy_memory_desc_set_dims(struct hy_memory_desc *desc, uint32_t rank,
                                                   const uint32_t *dims, struct hy_error *err);

/* Errors: BAD_STATE (finished already); BAD_DATA (no role). */
HY_MUST_CHECK enum hy_code hy_memory_desc_finish(struct hy_memory_desc *desc, struct hy_error *err);

/*
 * Makes memory for the roles; it holds nothing yet. If all of them lead to one device that has
 * memory of its own, it is there; its shape may be open then. Else it is shared memory of a known
 * size. Compilations whose devices the app has named do without a substitute: the device's failure
 * is that of the call, as is FAILED where the roles lead to several devices. Errors: BAD_STATE (not
 * finished); FAILED (the size is not known); the device's; OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_memory_from_desc(const struct hy_memory_desc *desc,
                                               struct hy_memory **ret, struct hy_error *err);

#endif
