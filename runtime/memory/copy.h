#ifndef HY_RUNTIME_MEMORY_COPY_H
#define HY_RUNTIME_MEMORY_COPY_H

#include "common/error.h"

struct hy_memory;

/*
 * Copies the whole contents of a memory to another memory. A success gives a destination from a
 * descriptor its contents, and the shape of the source if its own shape is open. A failure leaves
 * such a destination without contents. Copying a memory to itself does nothing. The driver copies
 * between device memory and shared memory, and between two buffers of one device if supported; all
 * other copies use shared memory in between. Errors, in this order: BAD_DATA (a source from a
 * descriptor without contents; incompatible sizes, or incompatible types or shapes of two memories
 * from descriptors), UNMAPPABLE (missing read or write protection, or a truncated file), those of
 * the driver, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_memory_copy(struct hy_memory *source, struct hy_memory *destination,
                                          struct hy_error *err);

#endif
