#include "vector_model.h"

#include <android/NeuralNetworksTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/half.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"

static int32_t type_of_name(const char *name)
{
    for (int32_t code = 0; code <= ANEURALNETWORKS_MODEL; code++) {
        if (strcmp(hy_operand_type_name(code), name) == 0)
            return code;
    }
    return -1;
}

static void store(int32_t type, double value, uint8_t *at)
{
    float f32 = (float)value;
    uint16_t f16 = hy_half_from_float_soft(f32);
    int64_t integer = (int64_t)value;

    if (type == ANEURALNETWORKS_FLOAT32 || type == ANEURALNETWORKS_TENSOR_FLOAT32)
        memcpy(at, &f32, sizeof f32);
    else if (type == ANEURALNETWORKS_FLOAT16 || type == ANEURALNETWORKS_TENSOR_FLOAT16)
        memcpy(at, &f16, sizeof f16);
    else
        memcpy(at, &integer, hy_operand_type_bytes(type)); /* little endian */
}

static double load(int32_t type, const uint8_t *at)
{
    float f32;
    uint16_t u16;
    int16_t s16;
    int32_t s32;

    switch (type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
        memcpy(&f32, at, sizeof f32);
        return (double)f32;
    case ANEURALNETWORKS_TENSOR_FLOAT16:
        memcpy(&u16, at, sizeof u16);
        return (double)hy_half_to_float_soft(u16);
    case ANEURALNETWORKS_INT32:
    case ANEURALNETWORKS_TENSOR_INT32:
        memcpy(&s32, at, sizeof s32);
        return s32;
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
        memcpy(&s16, at, sizeof s16);
        return s16;
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
        memcpy(&u16, at, sizeof u16);
        return u16;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL:
        return *(const int8_t *)at;
    default:
        return *at;
    }
}

void *hy_vector_values(const json_t *array, int32_t type, uint64_t *length)
{
    size_t count = json_array_size(array), bytes = hy_operand_type_bytes(type);
    uint8_t *values = malloc(count * bytes + 8);

    *length = count * bytes;
    for (size_t i = 0; values && i < count; i++)
        store(type, json_number_value(json_array_get(array, i)), values + i * bytes);
    return values;
}

struct hy_builder_type hy_vector_type(const json_t *operand)
{
    const json_t *dims = json_object_get(operand, "dims");
    struct hy_builder_type type = {
        .type = type_of_name(json_string_value(json_object_get(operand, "type"))),
        .scale = (float)json_number_value(json_object_get(operand, "scale")),
        .zero_point = (int32_t)json_integer_value(json_object_get(operand, "zero_point")),
        .rank = (uint32_t)json_array_size(dims),
    };

    if (type.rank > HY_MAX_RANK) /* no vector has so many; the room is what counts */
        type.rank = HY_MAX_RANK;
    for (uint32_t i = 0; i < type.rank; i++)
        type.dims[i] = (uint32_t)json_integer_value(json_array_get(dims, i));
    return type;
}

static void add_constant(struct hy_builder *builder, const json_t *operand,
                         const struct hy_builder_type *type, bool in_pool)
{
    uint64_t length;
    void *values = hy_vector_values(json_object_get(operand, "value"), type->type, &length);

    if (in_pool)
        hy_builder_pool_constant(builder, type, values, length);
    else
        hy_builder_constant(builder, type, values, length);
    free(values);
}

static void add_channel_scales(struct hy_builder *builder, uint32_t index, const json_t *operand)
{
    const json_t *quant = json_object_get(operand, "channel_quant");
    uint64_t length;

    if (!quant)
        return;
    float *scales =
        hy_vector_values(json_object_get(quant, "scales"), ANEURALNETWORKS_FLOAT32, &length);
    hy_builder_channel_scales(builder, index,
                              (uint32_t)json_integer_value(json_object_get(quant, "channel_dim")),
                              (uint32_t)(length / sizeof *scales), scales);
    free(scales);
}

/* Operands keep their numbers; inputs and outputs are listed afterwards. */
static bool add_operand(struct hy_builder *builder, const json_t *operand, bool dynamic)
{
    const char *lifetime = json_string_value(json_object_get(operand, "lifetime"));
    struct hy_builder_type type = hy_vector_type(operand);
    uint32_t index = builder->operand_count;

    if (strcmp(lifetime, "SUBGRAPH_INPUT") == 0) {
        hy_builder_input(builder, &type);
    } else if (strcmp(lifetime, "SUBGRAPH_OUTPUT") == 0) {
        if (dynamic)
            memset(type.dims, 0, sizeof type.dims);
        hy_builder_output(builder, &type);
    } else if (strcmp(lifetime, "TEMPORARY_VARIABLE") == 0) {
        hy_builder_temporary(builder, &type);
    } else if (strcmp(lifetime, "NO_VALUE") == 0) {
        hy_builder_no_value(builder, &type);
    } else if (strcmp(lifetime, "SUBGRAPH") != 0) {
        add_constant(builder, operand, &type, strcmp(lifetime, "CONSTANT_REFERENCE") == 0);
    } else {
        return false;
    }
    add_channel_scales(builder, index, operand);
    return true;
}

static uint32_t read_indices(const json_t *array, uint32_t *indices, uint32_t capacity)
{
    uint32_t count = (uint32_t)json_array_size(array);

    for (uint32_t i = 0; i < count && i < capacity; i++)
        indices[i] = (uint32_t)json_integer_value(json_array_get(array, i));
    return count < capacity ? count : capacity;
}

bool hy_vector_build(const json_t *test, bool dynamic, struct hy_builder *builder)
{
    const json_t *main = json_object_get(test, "main");
    json_t *item;
    size_t i;

    json_array_foreach(json_object_get(main, "operands"), i, item)
    {
        if (!add_operand(builder, item, dynamic))
            return false;
    }
    json_array_foreach(json_object_get(main, "operations"), i, item)
    {
        const char *name = json_string_value(json_object_get(item, "op"));
        uint32_t inputs[64], outputs[16];
        uint32_t input_count = read_indices(json_object_get(item, "inputs"), inputs, 64);
        uint32_t output_count = read_indices(json_object_get(item, "outputs"), outputs, 16);
        hy_builder_operation(builder, hy_operation_find(name)->code, input_count, inputs,
                             output_count, outputs);
    }
    read_indices(json_object_get(main, "input_indexes"), builder->inputs, builder->input_count);
    read_indices(json_object_get(main, "output_indexes"), builder->outputs, builder->output_count);
    return true;
}

int64_t hy_vector_compare(const json_t *expected, int32_t type, bool relaxed, const void *data,
                          double *actual_value, double *expected_value)
{
    double atol = 1, rtol = 0;

    if (type == ANEURALNETWORKS_TENSOR_FLOAT16 ||
        (type == ANEURALNETWORKS_TENSOR_FLOAT32 && relaxed)) {
        atol = rtol = 5 * 0x1p-10;
    } else if (type == ANEURALNETWORKS_TENSOR_FLOAT32) {
        atol = (double)1e-5f;
        rtol = 5 * 0x1p-23;
    } else if (type == ANEURALNETWORKS_TENSOR_BOOL8) {
        atol = 0;
    }
    for (size_t i = 0; i < json_array_size(expected); i++) {
        double want = json_number_value(json_array_get(expected, i));
        double got = load(type, (const uint8_t *)data + i * hy_operand_type_bytes(type));
        if (fabs(got - want) <= atol + rtol * fabs(want))
            continue;
        *actual_value = got;
        *expected_value = want;
        return (int64_t)i;
    }
    return -1;
}
