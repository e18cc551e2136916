#ifndef HY_RUNTIME_MEMORY_CHECK_H
#define HY_RUNTIME_MEMORY_CHECK_H

/* Whether memory may be used in some way: by what it was made for, and by its file, which others
 * may make smaller at any time. */
#include "memory.h"

/* Whether an image may be an argument that is used so: offset and length are 0. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_memory_check_image(const struct hy_memory *memory, uint64_t offset,
                                                 uint64_t length, uint32_t protection,
                                                 struct hy_error *err);

/*
 * Whether [offset, offset + length) may be used with this protection now: inside the memory, and
 * inside the file as it is at this moment (a file that shrank would kill the process later).
 * Both 0 is refused, and so are memory from a descriptor and images. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_memory_check_range(const struct hy_memory *memory, uint64_t offset,
                                                 uint64_t length, uint32_t protection,
                                                 struct hy_error *err);

/*
 * The same for an argument of an execution. The file of memory that is used again and again is
 * looked at the first times only: an execution for each inference costs no system call then, and a
 * file that shrinks later is no more noticed than under an execution that is reused.
 */
HY_MUST_CHECK enum hy_code hy_memory_check_argument(struct hy_memory *memory, uint64_t offset,
                                                    uint64_t length, uint32_t protection,
                                                    struct hy_error *err);

/* The same for a range and a protection that were fine before: only the file may be another. */
HY_MUST_CHECK enum hy_code hy_memory_check_again(struct hy_memory *memory, uint64_t offset,
                                                 uint64_t length, struct hy_error *err);

/* Whether all of it can be reached with this protection now. Errors: UNMAPPABLE. */
HY_MUST_CHECK enum hy_code hy_memory_check_mapped(const struct hy_memory *memory,
                                                  uint32_t protection, struct hy_error *err);

/*
 * Whether bytes [offset, offset + length) of the file exist now. Descriptors without a size, such
 * as dma-bufs and devices, pass. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_memory_check_file(int fd, uint64_t offset, uint64_t length,
                                                struct hy_error *err);

#endif
