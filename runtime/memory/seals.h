#ifndef HY_RUNTIME_SEALS_H
#define HY_RUNTIME_SEALS_H

#include "common/error.h"

#include <stdbool.h>

/*
 * Protection of memory against the holder of its descriptor. A driver in a service process may be
 * hostile. A hostile driver can reopen a memfd for writing through /proc/self/fd: only seals
 * protect the memory.
 */

/* The size is fixed, and no seal can be added: for memory that a driver writes. */
#define HY_SEALS_SIZE 1u
/* HY_SEALS_SIZE, and only existing mappings can write: for memory that a driver reads. Not
 * F_SEAL_WRITE, because kernels before 6.7 then refuse shared mappings for reading, too. */
#define HY_SEALS_CONTENTS 2u

/*
 * Seals a memfd created with MFD_ALLOW_SEALING. Seals unknown to the kernel are skipped, with one
 * line in the log. Errors: FAILED.
 */
HY_MUST_CHECK enum hy_code hy_seals_add(int fd, unsigned seals, struct hy_error *err);

/* Returns the set of HY_SEALS_* effective against the holder of a copy of the descriptor. A file
 * opened only for reading is fully protected, as the sandbox does not reopen files. */
unsigned hy_seals_of(int fd);

#endif
