#include "cpu_fallback/kernels/reference/reduce.h"

bool hy_reduce_set_walks(struct hy_reduce_params *params, uint32_t rank, const uint32_t *dims,
                         uint32_t axes)
{
    struct hy_walk *walks[2] = {&params->retained, &params->reduced}; /* index 1: reduced */
    uint32_t loops[2] = {2, 2}; /* first used loop; 2: none yet */
    int last = -1;
    size_t stride = 1;

    params->retained = params->reduced = (struct hy_walk){.dims = {1, 1}};
    for (uint32_t i = rank; i-- > 0;) {
        bool is_reduced = axes >> i & 1;
        if (dims[i] == 1)
            continue;
        struct hy_walk *walk = walks[is_reduced];
        if (last != is_reduced) {
            if (loops[is_reduced] == 0)
                return false;
            walk->strides[--loops[is_reduced]] = stride;
        }
        walk->dims[loops[is_reduced]] *= dims[i];
        stride *= dims[i];
        last = is_reduced;
    }
    return true;
}
