/* halyard/session.h: what inputs and outputs are. */
#include "libhalyard/session/session.h"

static const int32_t types[HY_ELEMENT_COUNT] = {
#define ELEMENT(NAME, name, bits) [HY_ELEMENT_##NAME] = HALYARD_TYPE_##NAME,
#include "libhalyard/graph/element.def"
#undef ELEMENT
};

const char *halyard_network_type_name(int32_t type)
{
    for (int i = 0; i < HY_ELEMENT_COUNT; i++) {
        if (types[i] == type)
            return hy_element_name((enum hy_element)i);
    }
    return NULL;
}

void hy_tensor_info_fill(const struct hy_graph_tensor *tensor, uint32_t rank,
                         const int32_t *extents, struct halyard_tensor_info *info)
{
    *info = (struct halyard_tensor_info){
        .struct_size = sizeof *info,
        .name = tensor->name,
        .type = types[tensor->element],
        .rank = rank,
        .extents = extents,
        .scale_count = tensor->quantisation.count,
        .scale_axis = tensor->quantisation.axis,
        .scales = tensor->quantisation.scales,
        .zero_points = tensor->quantisation.zero_points,
        .description = "",
    };
}
