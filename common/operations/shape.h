#ifndef HY_COMMON_OPERATIONS_SHAPE_H
#define HY_COMMON_OPERATIONS_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "halyard/driver.h"

/*
 * The extents of a tensor; rank 0 is a scalar, or a tensor of unknown rank. An extent of 0 means
 * "unknown" in a declaration and "empty" in an existing tensor; the user of the struct decides.
 */
struct hy_shape {
    uint32_t rank;
    uint32_t dims[HY_MAX_RANK]; /* 0 beyond the rank */
};

#define HY_SHAPE_TEXT_SIZE (2 + HY_MAX_RANK * 12)

/* Copies `rank` extents; `dims` may be NULL with rank 0. False for a rank above HY_MAX_RANK. */
bool hy_shape_set(struct hy_shape *shape, uint32_t rank, const uint32_t *dims);

bool hy_shape_equal(const struct hy_shape *a, const struct hy_shape *b);

/* The number of elements, 1 for rank 0. False on overflow. */
bool hy_shape_elements(const struct hy_shape *shape, uint64_t *count);

/* The number of bytes. False on overflow. */
bool hy_shape_bytes(const struct hy_shape *shape, uint64_t element_size, uint64_t *bytes);

/* The product of the extents [from, to), 1 for an empty range. Both must be at most the rank. Count
 * the elements of the shape first: the product then only overflows if an extent is 0. */
uint64_t hy_shape_span(const struct hy_shape *shape, uint32_t from, uint32_t to);

/* True for a declaration with a rank and without an extent of 0. */
bool hy_shape_is_complete(const struct hy_shape *declared);

/* True if a tensor of shape `actual` matches the declaration `declared`. */
bool hy_shape_fits(const struct hy_shape *declared, const struct hy_shape *actual);

/* Merges two declarations; false for a contradiction. */
bool hy_shape_combine(const struct hy_shape *a, const struct hy_shape *b, struct hy_shape *out);

/* The broadcast shape of an element-wise operation on `a` and `b`: aligned at the last dimension,
 * with equal extents or an extent of 1. False for incompatible shapes. */
bool hy_shape_broadcast(const struct hy_shape *a, const struct hy_shape *b, struct hy_shape *out);

/* Writes "[1, 8, 8, 3]" and returns `text`, for messages. */
const char *hy_shape_text(const struct hy_shape *shape, char text[HY_SHAPE_TEXT_SIZE]);

#endif
