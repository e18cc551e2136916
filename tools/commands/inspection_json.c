#include "tools/commands/inspection.h"

#include "tools/print_json.h"

static json_t *shape_array(const struct halyard_tensor_info *info)
{
    json_t *shape = json_array();
    for (uint32_t i = 0; i < info->rank; i++)
        json_array_append_new(shape, json_integer(info->extents[i]));
    return shape;
}

/* One scale and zero point; of several, the arrays. */
static void add_quantisation(json_t *object, const struct halyard_tensor_info *info)
{
    json_t *scales = json_array(), *zero_points = json_array();

    for (uint32_t i = 0; i < info->scale_count; i++) {
        json_array_append_new(scales, json_real((double)info->scales[i]));
        json_array_append_new(zero_points, json_integer(info->zero_points[i]));
    }
    json_object_set_new(object, "scales", scales);
    json_object_set_new(object, "zero_points", zero_points);
    if (info->scale_count > 1)
        json_object_set_new(object, "scale_axis", json_integer(info->scale_axis));
}

static json_t *tensor_array(const struct hy_inspection *inspection, uint32_t count,
                            int (*get)(const struct halyard_network *network, uint32_t signature,
                                       uint32_t index, struct halyard_tensor_info *info))
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < count; i++) {
        struct halyard_tensor_info info = {.struct_size = sizeof info};
        if (get(inspection->network, inspection->signature, i, &info) != ANEURALNETWORKS_NO_ERROR)
            continue;
        json_t *object =
            json_pack("{s:o, s:s, s:o}", "name", hy_json_text(info.name), "type",
                      halyard_network_type_name(info.type), "shape", shape_array(&info));
        if (object && info.scale_count > 0)
            add_quantisation(object, &info);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *operator_array(const struct hy_inspection *inspection)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < inspection->operator_count; i++) {
        const struct halyard_network_operator *operator_ = &inspection->operators[i];
        json_array_append_new(
            array,
            json_pack("{s:o, s:I, s:I, s:I, s:I, s:s, s:s, s:o}", "name",
                      hy_json_text(operator_->name), "subgraph", (json_int_t)operator_->subgraph,
                      "index", (json_int_t)operator_->index, "parameter_count",
                      (json_int_t)operator_->parameter_count, "parameter_bytes",
                      (json_int_t)operator_->parameter_bytes, "types", operator_->types, "lowering",
                      operator_->lowering, "obstacle", hy_json_text(operator_->obstacle)));
    }
    return array;
}

static json_t *signature_array(const struct halyard_network *network)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < halyard_network_signature_count(network); i++)
        json_array_append_new(array, hy_json_text(halyard_network_signature_name(network, i)));
    return array;
}

/* JSON's integers are signed here; a peak beyond them cannot run anywhere. */
static json_int_t bytes(uint64_t count)
{
    return count < INT64_MAX ? (json_int_t)count : INT64_MAX;
}

static json_t *memory_object(const struct halyard_network_memory *memory)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "mapped", bytes(memory->mapped), "made",
                     bytes(memory->made), "io", bytes(memory->io), "peak", bytes(memory->peak));
}

enum hy_code hy_inspection_print_json(const struct hy_inspection *inspection, struct hy_error *err)
{
    const struct halyard_network *network = inspection->network;
    const uint32_t signature = inspection->signature;
    json_t *report = json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:I, s:I}, s:o, s:b, s:o}", "path",
        hy_json_text(inspection->path), "format", halyard_network_format(network), "description",
        hy_json_text(halyard_network_description(network)), "signatures", signature_array(network),
        "signature", hy_json_text(halyard_network_signature_name(network, signature)), "inputs",
        tensor_array(inspection, halyard_network_input_count(network, signature),
                     halyard_network_get_input),
        "outputs",
        tensor_array(inspection, halyard_network_output_count(network, signature),
                     halyard_network_get_output),
        "operators", operator_array(inspection), "parameters", "count",
        (json_int_t)inspection->parameter_count, "bytes", (json_int_t)inspection->parameter_bytes,
        "memory", memory_object(&inspection->memory), "can_run", inspection->can_run, "obstacle",
        hy_json_text(inspection->can_run ? "" : inspection->other.text));

    return hy_json_print(report, err);
}
