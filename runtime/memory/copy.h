#ifndef HY_RUNTIME_MEMORY_COPY_H
#define HY_RUNTIME_MEMORY_COPY_H

#include "common/error.h"

struct hy_memory;

/*
 * Copies all of one memory into another. Memory from a descriptor is initialised by success, with
 * the shape of the source if its own is open, and no longer by failure; nothing happens if both are
 * the same. Memory of a device is copied by its driver: from and to shared memory, and between two
 * of one device where it can; all else goes through shared memory.
 * Errors, in this order: BAD_DATA (a source from a descriptor that holds nothing; sizes, or for two
 * from descriptors types or shapes, that do not go together), UNMAPPABLE (not made to be read or
 * written, or a file that has become too short), the driver's, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_memory_copy(struct hy_memory *source, struct hy_memory *destination,
                                          struct hy_error *err);

#endif
