#ifndef HY_COMMON_OPERATIONS_SHAPE_H
#define HY_COMMON_OPERATIONS_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "halyard/driver.h"

/*
 * The extents of a tensor; rank 0 is a scalar, or a tensor of unknown rank. Whether an extent of 0
 * means "unknown" (a declaration) or "empty" (a tensor that exists) is for the holder to say.
 */
struct hy_shape {
    uint32_t rank;
    uint32_t dims[HY_MAX_RANK]; /* those past the rank are 0 */
};

#define HY_SHAPE_TEXT_SIZE (2 + HY_MAX_RANK * 12)

/* Copies `rank` extents; `dims` may be NULL with rank 0. False when the rank is above HY_MAX_RANK.
 */
bool hy_shape_set(struct hy_shape *shape, uint32_t rank, const uint32_t *dims);

bool hy_shape_equal(const struct hy_shape *a, const struct hy_shape *b);

/* The number of elements, 1 for rank 0. False when it does not fit. */
bool hy_shape_elements(const struct hy_shape *shape, uint64_t *count);

/* The number of bytes. False when it does not fit. */
bool hy_shape_bytes(const struct hy_shape *shape, uint64_t element_size, uint64_t *bytes);

/* The product of the extents [from, to), 1 when there are none. Both are at most the rank, and
 * the shape's elements have been counted before: it cannot overflow unless an extent is 0. */
uint64_t hy_shape_span(const struct hy_shape *shape, uint32_t from, uint32_t to);

/* A declaration of a tensor without unknown parts: a rank, and no extent of 0. */
bool hy_shape_is_complete(const struct hy_shape *declared);

/* True when a tensor of shape `actual` may stand where `declared` is declared. */
bool hy_shape_fits(const struct hy_shape *declared, const struct hy_shape *actual);

/* What both declarations say together; false when they contradict each other. */
bool hy_shape_combine(const struct hy_shape *a, const struct hy_shape *b, struct hy_shape *out);

/* The shape of an element-wise operation on `a` and `b`: aligned at the last dimension, extents
 * equal or one of them 1. False when they do not go together. */
bool hy_shape_broadcast(const struct hy_shape *a, const struct hy_shape *b, struct hy_shape *out);

/* Writes "[1, 8, 8, 3]" and returns `text`, for messages. */
const char *hy_shape_text(const struct hy_shape *shape, char text[HY_SHAPE_TEXT_SIZE]);

#endif
