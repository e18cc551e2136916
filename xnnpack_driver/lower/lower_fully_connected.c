#include "lowerings.h"

#include "weighted.h"
#include "xnnpack_driver/emit.h"
#include "xnnpack_driver/range.h"

bool xd_lower_fully_connected(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_weighted w;
    if (!xd_weighted_read(build, operation, 2, 0, &w))
        return false;
    const uint32_t units = w.weights->dims[0], depth = w.weights->dims[1];
    const size_t elements = xd_all_elements(w.input);
    if (w.input->rank < 2 || elements % depth != 0)
        return hy_refuse(&build->reader,
                         "an input of rank %u with %zu elements does not match weights [%u, %u]",
                         w.input->rank, elements, units, depth);
    if (XD_HAS(XD_QC8, w.weights))
        return hy_refuse(&build->reader,
                         "XNNPACK does not support scales per channel for this operation");

    const uint32_t dims[] = {(uint32_t)(elements / depth), units};
    struct xd_tensor *output = xd_output(build, operation, 0, w.input->type, 2, dims);
    struct hy_value_range range;
    if (!output || !xd_activation(build, operation, 3, output, &range) ||
        !xd_weighted_fits(build, operation, &w, output))
        return false;

    struct xd_node *node =
        xd_emit(build,
                xd_weighted_kind(&w, XD_KIND_fully_connected_nc_f32, XD_KIND_fully_connected_nc_qu8,
                                 XD_KIND_fully_connected_nc_qs8),
                w.input, output);
    if (!node)
        return false;
    node->depth = node->input_stride = depth;
    node->range = range;
    node->work = elements * units;
    return xd_weighted_fill(build, operation, &w, node);
}
