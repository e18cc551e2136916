#ifndef HY_RUNTIME_SEALS_H
#define HY_RUNTIME_SEALS_H

#include "common/error.h"

#include <stdbool.h>

/*
 * What the holder of a descriptor can do to the memory behind it. A driver in a process of its own
 * may be hostile, and opens a memfd again for writing however it was given (/proc/self/fd), so that
 * only seals of the memory keep anything from it.
 */

/* The size cannot change, and nobody adds a seal: for memory that a driver writes. */
#define HY_SEALS_SIZE 1u
/* The same, and only mappings that were made before can write: for memory that a driver reads. Not
 * F_SEAL_WRITE, which on kernels before 6.7 forbids the shared mapping for reading as well. */
#define HY_SEALS_CONTENTS 2u

/*
 * Seals a memfd that was made with MFD_ALLOW_SEALING. A seal that the kernel does not know is left
 * out, and the log says so once. Errors: FAILED.
 */
HY_MUST_CHECK enum hy_code hy_seals_add(int fd, unsigned seals, struct hy_error *err);

/* HY_SEALS_*, as a set: what is safe from the holder of a copy of this descriptor. Files that are
 * open for reading alone are safe wholly, as the sandbox opens no file again. */
unsigned hy_seals_of(int fd);

#endif
