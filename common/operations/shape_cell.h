#ifndef HY_COMMON_OPERATIONS_SHAPE_CELL_H
#define HY_COMMON_OPERATIONS_SHAPE_CELL_H

#include "common/operations/shape.h"

#include <stdatomic.h>

/*
 * A shape, and a mark that goes with it, for several threads that look and change at once: nobody
 * waits, and nobody sees a mixture of two. All zero bytes is rank 0 with the mark 0. Whoever asks
 * for the mark alone may load it.
 */
struct hy_shape_cell {
    atomic_uintptr_t mark;
    atomic_uint turn; /* odd while the rest changes */
    atomic_uint rank;
    atomic_uint dims[HY_MAX_RANK];
};

/* False: it changes all the time; nothing is written then. */
bool hy_shape_cell_look(const struct hy_shape_cell *cell, struct hy_shape *shape, uintptr_t *mark);

/* `shape` NULL: it stays. Of several at once one wins. */
void hy_shape_cell_set(struct hy_shape_cell *cell, const struct hy_shape *shape, uintptr_t mark);

#endif
