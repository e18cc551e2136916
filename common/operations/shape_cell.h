#ifndef HY_COMMON_OPERATIONS_SHAPE_CELL_H
#define HY_COMMON_OPERATIONS_SHAPE_CELL_H

#include "common/operations/shape.h"

#include <stdatomic.h>

/*
 * A shape with a mark, for concurrent reads and writes. No call waits, and a reader never sees a
 * mixture of two values. A zeroed cell has rank 0 and mark 0. A reader of only the mark may load
 * the mark directly.
 */
struct hy_shape_cell {
    atomic_uintptr_t mark;
    atomic_uint sequence; /* odd during a change */
    atomic_uint rank;
    atomic_uint dims[HY_MAX_RANK];
};

/* Reads the cell. False: the cell changes too often; the results are not written. */
bool hy_shape_cell_look(const struct hy_shape_cell *cell, struct hy_shape *shape, uintptr_t *mark);

/* Writes the cell. `shape` NULL: keeps the shape. Of several concurrent writers only one
 * succeeds. */
void hy_shape_cell_set(struct hy_shape_cell *cell, const struct hy_shape *shape, uintptr_t mark);

#endif
