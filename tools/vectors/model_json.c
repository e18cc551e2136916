#include "tools/vectors/model_json.h"

#include <android/NeuralNetworks.h>
#include <string.h>

#include "common/operations/operand_type.h"
#include "common/operations/operation.h"

static const struct {
    const char *name;
    enum hy_vector_lifetime lifetime;
} lifetimes[] = {
    {"SUBGRAPH_INPUT", HY_VECTOR_INPUT},
    {"SUBGRAPH_OUTPUT", HY_VECTOR_OUTPUT},
    {"TEMPORARY_VARIABLE", HY_VECTOR_TEMPORARY},
    {"CONSTANT_COPY", HY_VECTOR_CONSTANT_COPY},
    {"CONSTANT_REFERENCE", HY_VECTOR_CONSTANT_REFERENCE},
    {"NO_VALUE", HY_VECTOR_NO_VALUE},
    {"SUBGRAPH", HY_VECTOR_SUBGRAPH},
};

static enum hy_code read_lifetime(struct hy_reader *reader, const json_t *object,
                                  enum hy_vector_lifetime *out)
{
    const char *name = json_string_value(json_object_get(object, "lifetime"));
    for (size_t i = 0; name && i < sizeof lifetimes / sizeof *lifetimes; i++)
        if (strcmp(name, lifetimes[i].name) == 0) {
            *out = lifetimes[i].lifetime;
            return HY_OK;
        }
    return hy_fail(reader->err, HY_BAD_DATA, "unknown lifetime \"%s\"", name ? name : "");
}

static enum hy_code read_type(struct hy_reader *reader, const json_t *object, int32_t *out)
{
    const char *name = json_string_value(json_object_get(object, "type"));
    const struct hy_operand_type_info *info = name ? hy_operand_type_find(name) : NULL;

    if (info) {
        *out = info->code;
        return HY_OK;
    }
    return hy_fail(reader->err, HY_BAD_DATA, "unknown operand type \"%s\"", name ? name : "");
}

static enum hy_code read_channels(struct hy_reader *reader, const json_t *object,
                                  struct hy_vector_operand *out)
{
    const json_t *quant = json_object_get(object, "channel_quant");
    if (!quant)
        return HY_OK;

    json_t *scales = NULL;
    double channel_dim = 0;
    enum hy_code code = hy_read_member(reader, quant, "scales", JSON_ARRAY, &scales);
    if (code == HY_OK)
        code = hy_read_number(reader, quant, "channel_dim", &channel_dim);
    if (code != HY_OK)
        return code;
    if (channel_dim < 0 || channel_dim > UINT32_MAX)
        return hy_fail(reader->err, HY_BAD_DATA, "\"channel_dim\" %g is out of range", channel_dim);

    struct hy_vector_value value;
    code = hy_read_value(reader, scales, ANEURALNETWORKS_TENSOR_FLOAT32, &value);
    out->channel_dim = (uint32_t)channel_dim;
    out->channel_count = value.count;
    out->channel_scales = value.bytes;
    return code;
}

static enum hy_code read_quantisation(struct hy_reader *reader, const json_t *object,
                                      struct hy_vector_operand *out)
{
    double scale = 0, zero_point = 0;
    enum hy_code code = hy_read_number(reader, object, "scale", &scale);
    if (code == HY_OK)
        code = hy_read_number(reader, object, "zero_point", &zero_point);
    if (code != HY_OK)
        return code;
    if (!(zero_point >= INT32_MIN && zero_point <= INT32_MAX))
        return hy_fail(reader->err, HY_BAD_DATA, "\"zero_point\" %g is out of range", zero_point);
    out->scale = (float)scale;
    out->zero_point = (int32_t)zero_point;
    return read_channels(reader, object, out);
}

static enum hy_code read_constant(struct hy_reader *reader, const json_t *object,
                                  uint32_t referenced, struct hy_vector_operand *out)
{
    const json_t *value = json_object_get(object, "value");
    switch (out->lifetime) {
    case HY_VECTOR_CONSTANT_COPY:
    case HY_VECTOR_CONSTANT_REFERENCE:
        return hy_read_value(reader, value, out->type, &out->value);
    case HY_VECTOR_SUBGRAPH: {
        struct hy_vector_indices index;
        const enum hy_code code = hy_read_indices(reader, value, "value", referenced, &index);
        if (code == HY_OK && index.count != 1)
            return hy_fail(reader->err, HY_BAD_DATA, "a MODEL has %u values, needs 1", index.count);
        if (code == HY_OK)
            out->submodel = index.items[0] + 1; /* 0 is the main model */
        return code;
    }
    default:
        return HY_OK;
    }
}

static enum hy_code read_operand(struct hy_reader *reader, const json_t *object,
                                 uint32_t referenced, struct hy_vector_operand *out)
{
    struct hy_vector_indices dims;
    enum hy_code code = read_type(reader, object, &out->type);
    if (code == HY_OK)
        code = read_lifetime(reader, object, &out->lifetime);
    if (code == HY_OK)
        code = hy_read_indices(reader, json_object_get(object, "dims"), "dims",
                               (uint64_t)UINT32_MAX + 1, &dims);
    if (code == HY_OK)
        code = read_quantisation(reader, object, out);
    if (code == HY_OK)
        code = read_constant(reader, object, referenced, out);
    if (code != HY_OK)
        return code;
    out->rank = dims.count;
    out->dims = dims.items;
    out->declared_dims = dims.items;
    out->ignored = json_is_true(json_object_get(object, "ignored"));
    return HY_OK;
}

static enum hy_code read_operation(struct hy_reader *reader, const json_t *object,
                                   uint32_t operands, struct hy_vector_operation *out)
{
    const char *name = json_string_value(json_object_get(object, "op"));
    const struct hy_operation_info *info = name ? hy_operation_find(name) : NULL;
    if (!info)
        return hy_fail(reader->err, HY_BAD_DATA, "unknown operation \"%s\"", name ? name : "");
    out->type = info->code;

    const enum hy_code code = hy_read_indices(reader, json_object_get(object, "inputs"), "inputs",
                                              operands, &out->inputs);
    if (code != HY_OK)
        return code;
    return hy_read_indices(reader, json_object_get(object, "outputs"), "outputs", operands,
                           &out->outputs);
}

static enum hy_code read_operands(struct hy_reader *reader, const json_t *array,
                                  uint32_t referenced, struct hy_vector_model *out)
{
    const size_t count = json_array_size(array);
    struct hy_vector_operand *operands = hy_read_alloc(reader, count, sizeof *operands);
    enum hy_code code = operands ? HY_OK : HY_OUT_OF_MEMORY;
    for (size_t i = 0; code == HY_OK && i < count; i++) {
        code = read_operand(reader, json_array_get(array, i), referenced, &operands[i]);
        if (code != HY_OK)
            hy_error_prefix(reader->err, code, "operand %zu", i);
    }
    out->operands = operands;
    out->operand_count = (uint32_t)count;
    return code;
}

static enum hy_code read_operations(struct hy_reader *reader, const json_t *array,
                                    struct hy_vector_model *out)
{
    const size_t count = json_array_size(array);
    struct hy_vector_operation *operations = hy_read_alloc(reader, count, sizeof *operations);
    enum hy_code code = operations ? HY_OK : HY_OUT_OF_MEMORY;
    for (size_t i = 0; code == HY_OK && i < count; i++) {
        code = read_operation(reader, json_array_get(array, i), out->operand_count, &operations[i]);
        if (code != HY_OK)
            hy_error_prefix(reader->err, code, "operation %zu", i);
    }
    out->operations = operations;
    out->operation_count = (uint32_t)count;
    return code;
}

enum hy_code hy_read_model(struct hy_reader *reader, const json_t *object, uint32_t referenced,
                           struct hy_vector_model *out)
{
    json_t *operands, *operations;
    enum hy_code code = hy_read_member(reader, object, "operands", JSON_ARRAY, &operands);
    if (code == HY_OK)
        code = hy_read_member(reader, object, "operations", JSON_ARRAY, &operations);
    if (code == HY_OK)
        code = read_operands(reader, operands, referenced, out);
    if (code == HY_OK)
        code = read_operations(reader, operations, out);
    if (code == HY_OK)
        code = hy_read_indices(reader, json_object_get(object, "input_indexes"), "input_indexes",
                               out->operand_count, &out->inputs);
    if (code == HY_OK)
        code = hy_read_indices(reader, json_object_get(object, "output_indexes"), "output_indexes",
                               out->operand_count, &out->outputs);
    return code;
}
