#ifndef HY_CACHE_STORE_DIGEST_VERITY_H
#define HY_CACHE_STORE_DIGEST_VERITY_H

#include <stdbool.h>

/*
 * fs-verity: the file system keeps a file as it is for good. Nobody writes to such a file or cuts
 * it short, and bytes that have changed on the disk are an error of reading.
 */

/* Turns it on for a file that is open for reading, and that nobody has open for writing. False: the
 * file system or the kernel cannot do that, or somebody still writes; the file is as before. */
bool hy_verity_enable(int fd);

bool hy_verity_is_on(int fd);

#endif
