#include "cpu_fallback/buffers/content.h"

bool hy_cpu_content_look(const struct hy_cpu_content *content, struct hy_shape *shape, void **bytes)
{
    uintptr_t address;

    if (content->fixed) {
        *shape = *content->fixed;
        address = atomic_load_explicit(&content->held.mark, memory_order_acquire);
    } else if (!hy_shape_cell_look(&content->held, shape, &address)) {
        return false;
    }
    *bytes = (void *)address;
    return address != 0;
}

void hy_cpu_content_set(struct hy_cpu_content *content, const struct hy_shape *shape, void *bytes)
{
    if (content->fixed)
        atomic_store_explicit(&content->held.mark, (uintptr_t)bytes, memory_order_release);
    else
        hy_shape_cell_set(&content->held, shape, (uintptr_t)bytes);
}
