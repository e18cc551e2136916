#ifndef HY_CACHE_STORE_DIGEST_VERITY_H
#define HY_CACHE_STORE_DIGEST_VERITY_H

#include <stdbool.h>

/*
 * fs-verity: the file system makes a file immutable. The file can be neither written nor truncated,
 * and bytes changed on the disk are a read error.
 */

/* Enables fs-verity for a file opened for reading. The file must not be open for writing. False: no
 * support in the file system or the kernel, or an open writer; the file is unchanged. */
bool hy_verity_enable(int fd);

bool hy_verity_is_on(int fd);

#endif
