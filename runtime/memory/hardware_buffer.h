#ifndef HY_RUNTIME_MEMORY_HARDWARE_BUFFER_H
#define HY_RUNTIME_MEMORY_HARDWARE_BUFFER_H

#include "common/error.h"

#include <android/hardware_buffer.h>

struct hy_memory;

/*
 * Creates a memory object for a hardware buffer. A BLOB has bytes and may be used like memory of a
 * file. Any other format is an image, which may only be an input or output as a whole. The object
 * retains the underlying memory; the buffer may be released. Errors: UNMAPPABLE; FAILED (out of
 * descriptors); OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_memory_from_hardware_buffer(const AHardwareBuffer *buffer,
                                                          struct hy_memory **ret,
                                                          struct hy_error *err);

/*
 * Begins and ends CPU access to memory that devices share. Only dma-bufs need the calls; other
 * memory is unaffected. `protection`: HY_PROTECT_* of the access. After a failed begin do not call
 * end. Errors: FAILED.
 */
HY_MUST_CHECK enum hy_code hy_memory_access_begin(const struct hy_memory *memory,
                                                  uint32_t protection, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_memory_access_end(const struct hy_memory *memory, uint32_t protection,
                                                struct hy_error *err);

#endif
