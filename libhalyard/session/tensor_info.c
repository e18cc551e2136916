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

const char *hy_signature_tensor_name(const struct halyard_network *network, uint32_t signature,
                                     bool is_output, uint32_t tensor, const struct hy_graph *graph)
{
    const struct hy_tflite_signature *of = &network->source->signatures[signature];
    const char *name = is_output ? hy_tflite_signature_name(of->outputs, of->output_count, tensor)
                                 : hy_tflite_signature_name(of->inputs, of->input_count, tensor);

    return name ? name : graph->tensors[tensor].name;
}
