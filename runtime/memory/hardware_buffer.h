#ifndef HY_RUNTIME_MEMORY_HARDWARE_BUFFER_H
#define HY_RUNTIME_MEMORY_HARDWARE_BUFFER_H

#include "common/error.h"

#include <android/hardware_buffer.h>

struct hy_memory;

/*
 * The memory of a hardware buffer: bytes, if it is a BLOB, which serve for all that memory behind a
 * file descriptor does; else an image, which is an input or output as a whole and nothing more. It
 * keeps the memory itself, not the buffer, which may go. Errors: UNMAPPABLE; FAILED (no more
 * descriptors); OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_memory_from_hardware_buffer(const AHardwareBuffer *buffer,
                                                          struct hy_memory **ret,
                                                          struct hy_error *err);

/*
 * What this process does to memory between these is what devices see that share it: dma-bufs are
 * told, and nothing happens to other memory. `protection`: HY_PROTECT_* of what it does. A begin
 * that failed has no end. Errors: FAILED.
 */
HY_MUST_CHECK enum hy_code hy_memory_access_begin(const struct hy_memory *memory,
                                                  uint32_t protection, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_memory_access_end(const struct hy_memory *memory, uint32_t protection,
                                                struct hy_error *err);

#endif
