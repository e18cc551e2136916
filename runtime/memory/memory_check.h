#ifndef HY_RUNTIME_MEMORY_CHECK_H
#define HY_RUNTIME_MEMORY_CHECK_H

/* Checks of memory before a use: its protection, and its file, which other processes may truncate
 * at any time. */
#include "memory_object.h"

/* Checks that an image may be an argument with the given protection: offset and length must be 0.
 * Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_memory_check_image(const struct hy_memory *memory, uint64_t offset,
                                                 uint64_t length, uint32_t protection,
                                                 struct hy_error *err);

/*
 * Checks that [offset, offset + length) may be used with the given protection: inside the memory
 * and inside the file at its current size. An access behind the end of a truncated file would raise
 * SIGBUS. Refuses offset and length both 0, memory from a descriptor, and images. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_memory_check_range(const struct hy_memory *memory, uint64_t offset,
                                                 uint64_t length, uint32_t protection,
                                                 struct hy_error *err);

/*
 * Checks a range like hy_memory_check_range, for an argument of an execution. The file of a memory
 * is checked only for the first uses, to save a system call per execution. A later truncation stays
 * unnoticed, as with a reused execution.
 */
HY_MUST_CHECK enum hy_code hy_memory_check_argument(struct hy_memory *memory, uint64_t offset,
                                                    uint64_t length, uint32_t protection,
                                                    struct hy_error *err);

/* Checks only the file, for a range and a protection that were valid before. */
HY_MUST_CHECK enum hy_code hy_memory_check_again(struct hy_memory *memory, uint64_t offset,
                                                 uint64_t length, struct hy_error *err);

/* Checks that the whole memory can be accessed with the given protection. Errors: UNMAPPABLE. */
HY_MUST_CHECK enum hy_code hy_memory_check_mapped(const struct hy_memory *memory,
                                                  uint32_t protection, struct hy_error *err);

/*
 * Checks that bytes [offset, offset + length) of the file exist. Descriptors without a size, such
 * as dma-bufs and devices, pass. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_memory_check_file(int fd, uint64_t offset, uint64_t length,
                                                struct hy_error *err);

#endif
