#include "common/operations/shape_cell.h"

/* A change takes some nanoseconds, unless its thread is preempted. */
#define ATTEMPTS 100

/* Values stored after `turn` are loaded with acquire, so a reader that sees a new value also sees
 * the changed turn. */
static bool look_once(const struct hy_shape_cell *cell, struct hy_shape *shape, uintptr_t *mark)
{
    const unsigned sequence = atomic_load_explicit(&cell->sequence, memory_order_acquire);

    if (sequence % 2 != 0)
        return false;
    *mark = atomic_load_explicit(&cell->mark, memory_order_acquire);
    *shape = (struct hy_shape){.rank = atomic_load_explicit(&cell->rank, memory_order_acquire)};
    for (uint32_t i = 0; i < shape->rank; i++)
        shape->dims[i] = atomic_load_explicit(&cell->dims[i], memory_order_acquire);
    return atomic_load_explicit(&cell->sequence, memory_order_relaxed) == sequence;
}

bool hy_shape_cell_look(const struct hy_shape_cell *cell, struct hy_shape *shape, uintptr_t *mark)
{
    struct hy_shape seen_shape;
    uintptr_t seen_mark;

    for (int i = 0; i < ATTEMPTS; i++) {
        if (look_once(cell, &seen_shape, &seen_mark)) {
            *shape = seen_shape;
            *mark = seen_mark;
            return true;
        }
    }
    return false;
}

void hy_shape_cell_set(struct hy_shape_cell *cell, const struct hy_shape *shape, uintptr_t mark)
{
    unsigned sequence = atomic_load_explicit(&cell->sequence, memory_order_relaxed);

    if (sequence % 2 != 0 ||
        !atomic_compare_exchange_strong_explicit(&cell->sequence, &sequence, sequence + 1,
                                                 memory_order_acq_rel, memory_order_relaxed))
        return; /* another writer is active */
    atomic_store_explicit(&cell->mark, mark, memory_order_release);
    if (shape) {
        atomic_store_explicit(&cell->rank, shape->rank, memory_order_release);
        for (uint32_t i = 0; i < shape->rank; i++)
            atomic_store_explicit(&cell->dims[i], shape->dims[i], memory_order_release);
    }
    atomic_store_explicit(&cell->sequence, sequence + 2, memory_order_release);
}
