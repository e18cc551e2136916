#ifndef HY_COMMON_BYTE_COUNT_H
#define HY_COMMON_BYTE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads a number of bytes from an option or variable: digits with an optional K, M, G or T for
 * powers of 1024, also as KiB, MiB, GiB and TiB. False for all other texts and above 64 bits;
 * `*out` is unchanged after a failure.
 */
bool hy_byte_count_read(const char *text, uint64_t *out);

#endif
