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

void hy_tensor_info_fill(const struct hy_graph_tensor *tensor, const char *name, uint32_t rank,
                         const int32_t *extents, struct halyard_tensor_info *info)
{
    *info = (struct halyard_tensor_info){
        .struct_size = sizeof *info,
        .name = name,
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

void hy_tensor_info_add_metadata(const struct hy_tflite_tensor_metadata *metadata,
                                 struct halyard_tensor_info *info)
{
    info->description = metadata->description;
    info->mean_count = metadata->mean_count;
    info->means = metadata->mean_count > 0 ? metadata->means : NULL;
    info->stds = metadata->mean_count > 0 ? metadata->stds : NULL;
    info->label_count = metadata->labels.count;
    info->labels = metadata->labels.count > 0 ? metadata->labels.names : NULL;
    info->value_label_count = metadata->value_labels.count;
    info->value_labels = metadata->value_labels.count > 0 ? metadata->value_labels.names : NULL;
}
