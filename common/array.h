#ifndef HY_COMMON_ARRAY_H
#define HY_COMMON_ARRAY_H

#include <stdint.h>
#include <stdlib.h>

#define HY_ARRAY_INITIAL_CAPACITY 8u

/*
 * Reserves space for an element behind the `count` elements of an array; an empty array is NULL.
 * The capacity follows from the count: 8 elements, doubled whenever the count reaches a power of
 * two. Every addition to the array must use this function. Returns the array, possibly moved. NULL:
 * out of memory; the old array is unchanged.
 */
static inline void *hy_array_grow(void *elements, uint32_t count, size_t element_size)
{
    const uint32_t is_between = count < HY_ARRAY_INITIAL_CAPACITY ? count : count & (count - 1);
    const size_t capacity = count ? 2 * (size_t)count : HY_ARRAY_INITIAL_CAPACITY;

    if (is_between)
        return elements;
    return capacity <= SIZE_MAX / element_size ? realloc(elements, capacity * element_size) : NULL;
}

/* Gives back the room behind the `count` elements of an array, to which nothing is added any more.
 * Returns the array, which may have moved. */
static inline void *hy_array_trim(void *elements, uint32_t count, size_t element_size)
{
    void *trimmed = count > 0 ? realloc(elements, count * element_size) : NULL;

    return trimmed ? trimmed : elements;
}

#endif
