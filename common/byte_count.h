#ifndef HY_COMMON_BYTE_COUNT_H
#define HY_COMMON_BYTE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads a number of bytes as people write it, in options and variables alike: digits, and K, M, G
 * or T for powers of 1024, also as KiB, MiB, GiB and TiB. False for anything else and for more than
 * 64 bits; `*out` is unchanged then.
 */
bool hy_byte_count_read(const char *text, uint64_t *out);

#endif
