#ifndef HY_COMMON_CHECKED_H
#define HY_COMMON_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size arithmetic with overflow checks. `*out` is only written if the result is true. */

static inline bool hy_add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    uint64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out = sum;
    return true;
}

static inline bool hy_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out = product;
    return true;
}

static inline bool hy_add_size(size_t a, size_t b, size_t *out)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out = sum;
    return true;
}

static inline bool hy_mul_size(size_t a, size_t b, size_t *out)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out = product;
    return true;
}

/* True if [offset, offset + length) lies inside [0, size), without overflow. */
static inline bool hy_range_inside(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

/* Rounds up to a power of two; false on overflow. */
static inline bool hy_round_up_size(size_t value, size_t alignment, size_t *out)
{
    size_t sum;
    if (__builtin_add_overflow(value, alignment - 1, &sum))
        return false;
    *out = sum & ~(alignment - 1);
    return true;
}

#endif
