#include "driver_kit/model_reader.h"

#include <android/NeuralNetworks.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool hy_model_is_whole(const struct hy_model *model)
{
    return HY_REACHES(model, feature_level) && HY_REACHES(model->main, outputs);
}

/* ---- Reasons --------------------------------------------------------------------------------- */

bool hy_refuse(struct hy_model_reader *reader, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(reader->reason, sizeof reader->reason, format, args);
    va_end(args);
    return false;
}

bool hy_refuse_as(struct hy_model_reader *reader, const char *name)
{
    char reason[HY_REASON_SIZE];
    memcpy(reason, reader->reason, sizeof reason);
    return hy_refuse(reader, "%s: %s", name, reason);
}

bool hy_refuse_exhausted(struct hy_model_reader *reader)
{
    reader->is_exhausted = true;
    return hy_refuse(reader, "out of memory");
}

/* ---- Operands -------------------------------------------------------------------------------- */

static const struct hy_operand *find(struct hy_model_reader *reader, const char *side,
                                     uint32_t position, uint32_t index)
{
    const struct hy_subgraph *graph = reader->model->main;
    if (index < graph->operand_count)
        return &graph->operands[index];
    hy_refuse(reader, "%s %u is operand %u of %u", side, position, index, graph->operand_count);
    return NULL;
}

static const struct hy_operand *find_value(struct hy_model_reader *reader, const char *side,
                                           uint32_t position, uint32_t index)
{
    const struct hy_operand *operand = find(reader, side, position, index);
    if (!operand ||
        (operand->lifetime != HY_LIFETIME_NO_VALUE && operand->lifetime != HY_LIFETIME_SUBGRAPH))
        return operand;
    hy_refuse(reader, "%s %u is left out", side, position);
    return NULL;
}

const struct hy_operand *hy_read_input(struct hy_model_reader *reader,
                                       const struct hy_operation *operation, uint32_t position)
{
    return find_value(reader, "input", position, operation->inputs[position]);
}

const struct hy_operand *hy_read_output(struct hy_model_reader *reader,
                                        const struct hy_operation *operation, uint32_t position)
{
    return find_value(reader, "output", position, operation->outputs[position]);
}

bool hy_is_left_out(const struct hy_model_reader *reader, const struct hy_operation *operation,
                    uint32_t position)
{
    const struct hy_subgraph *graph = reader->model->main;
    const uint32_t index = operation->inputs[position];
    return index < graph->operand_count && graph->operands[index].lifetime == HY_LIFETIME_NO_VALUE;
}

static bool read_arguments(struct hy_model_reader *reader, uint32_t count, const uint32_t *from,
                           int32_t lifetime, uint32_t *to)
{
    const struct hy_subgraph *graph = reader->model->main;
    for (uint32_t i = 0; i < count; i++) {
        if (from[i] >= graph->operand_count || graph->operands[from[i]].lifetime != lifetime)
            return hy_refuse(
                reader,
                "%s of the model is operand %u, which does not exist or has another lifetime",
                lifetime == HY_LIFETIME_INPUT ? "an input" : "an output", from[i]);
        to[i] = from[i];
    }
    return true;
}

bool hy_read_model_arguments(struct hy_model_reader *reader, uint32_t *indices)
{
    const struct hy_subgraph *graph = reader->model->main;
    return read_arguments(reader, graph->input_count, graph->inputs, HY_LIFETIME_INPUT, indices) &&
           read_arguments(reader, graph->output_count, graph->outputs, HY_LIFETIME_OUTPUT,
                          indices + graph->input_count);
}

bool hy_check_extents(struct hy_model_reader *reader, const char *side, uint32_t position,
                      uint32_t rank, const uint32_t *dims, uint64_t *elements)
{
    const struct hy_extent_limits *limits = &reader->limits;
    if (rank < 1 || rank > limits->rank || !dims)
        return hy_refuse(reader, "%s %u has rank %u, needs 1 to %u", side, position, rank,
                         limits->rank);
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == 0)
            return hy_refuse(reader, "extent %u of %s %u is not known", i, side, position);
        count *= dims[i]; /* both factors are below 2^32 */
        if (count > limits->elements)
            return hy_refuse(reader, "%s %u has more than %llu elements", side, position,
                             (unsigned long long)limits->elements);
    }
    *elements = count;
    return true;
}

bool hy_check_quantisation(struct hy_model_reader *reader, const char *side, uint32_t position,
                           int32_t type, float scale, int32_t zero_point)
{
    const bool is_unsigned = type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
    const int32_t low = is_unsigned ? 0 : INT8_MIN, high = is_unsigned ? UINT8_MAX : INT8_MAX;
    if (!is_unsigned && type != ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED &&
        type != ANEURALNETWORKS_TENSOR_QUANT8_SYMM)
        return true;
    if (isfinite(scale) && scale > 0 && zero_point >= low && zero_point <= high)
        return true;
    return hy_refuse(reader, "%s %u has scale %g, zero point %d", side, position, (double)scale,
                     zero_point);
}

/* ---- Constants ------------------------------------------------------------------------------- */

bool hy_is_constant(const struct hy_operand *operand)
{
    return operand->lifetime == HY_LIFETIME_CONSTANT_COPY ||
           operand->lifetime == HY_LIFETIME_CONSTANT_POOL;
}

static const uint8_t *pool_constant(struct hy_model_reader *reader,
                                    const struct hy_location *location)
{
    const struct hy_model *model = reader->model;
    if (location->pool >= model->pool_count) {
        hy_refuse(reader, "a constant lies in pool %u of %u", location->pool, model->pool_count);
        return NULL;
    }
    const struct hy_pool *pool = &model->pools[location->pool];
    if (location->offset > pool->size || location->length > pool->size - location->offset) {
        hy_refuse(reader,
                  "a constant of %llu bytes at offset %llu does not fit its pool of %llu bytes",
                  (unsigned long long)location->length, (unsigned long long)location->offset,
                  (unsigned long long)pool->size);
        return NULL;
    }
    void *address = NULL;
    if (reader->host->map(reader->host->context, pool, HY_PROTECT_READ, &address) != HY_STATUS_OK) {
        hy_refuse(reader, "a constant lies in memory of kind %u, which cannot be mapped",
                  pool->kind);
        return NULL;
    }
    return (const uint8_t *)address + location->offset;
}

const uint8_t *hy_read_constant(struct hy_model_reader *reader, const struct hy_operand *operand,
                                uint64_t length)
{
    const struct hy_location *location = &operand->location;
    if (!hy_is_constant(operand) || location->length != length) {
        hy_refuse(reader, "a constant needs %llu bytes, has %llu", (unsigned long long)length,
                  (unsigned long long)location->length);
        return NULL;
    }
    if (operand->lifetime == HY_LIFETIME_CONSTANT_POOL)
        return pool_constant(reader, location);

    const uint64_t size = reader->model->values_size;
    if (location->offset > size || length > size - location->offset) {
        hy_refuse(reader, "a constant of %llu bytes at offset %llu lies outside the model's values",
                  (unsigned long long)length, (unsigned long long)location->offset);
        return NULL;
    }
    return reader->values + location->offset;
}

/* Reads the bytes once, because the app may change the bytes at any time. */
static bool read_scalar(struct hy_model_reader *reader, const struct hy_operation *operation,
                        uint32_t position, int32_t type, void *value, size_t size)
{
    const struct hy_operand *operand = find(reader, "input", position, operation->inputs[position]);
    if (!operand)
        return false;
    if (operand->type != type)
        return hy_refuse(reader, "input %u has type %d, needs the scalar type %d", position,
                         operand->type, type);
    if (!hy_is_constant(operand))
        return hy_refuse(reader, "input %u is not constant", position);
    const uint8_t *bytes = hy_read_constant(reader, operand, size);
    if (bytes)
        memcpy(value, bytes, size);
    return bytes != NULL;
}

bool hy_read_i32(struct hy_model_reader *reader, const struct hy_operation *operation,
                 uint32_t position, int32_t *value)
{
    return read_scalar(reader, operation, position, ANEURALNETWORKS_INT32, value, sizeof *value);
}

bool hy_read_f32(struct hy_model_reader *reader, const struct hy_operation *operation,
                 uint32_t position, float *value)
{
    return read_scalar(reader, operation, position, ANEURALNETWORKS_FLOAT32, value, sizeof *value);
}

bool hy_read_bool(struct hy_model_reader *reader, const struct hy_operation *operation,
                  uint32_t position, bool *value)
{
    uint8_t byte = 0;
    if (!read_scalar(reader, operation, position, ANEURALNETWORKS_BOOL, &byte, sizeof byte))
        return false;
    *value = byte != 0;
    return true;
}

bool hy_check_nhwc(struct hy_model_reader *reader, const struct hy_operation *operation,
                   uint32_t position)
{
    bool channels_first = false;
    if (position >= operation->input_count)
        return true;
    if (!hy_read_bool(reader, operation, position, &channels_first))
        return false;
    return !channels_first || hy_refuse(reader, "channels first (NCHW) is not supported");
}

bool hy_resolve_axis(struct hy_model_reader *reader, int32_t value, uint32_t rank, uint32_t *axis)
{
    const int64_t resolved = value < 0 ? (int64_t)value + rank : value;
    if (resolved < 0 || resolved >= rank)
        return hy_refuse(reader, "the axis is %d at rank %u", value, rank);
    *axis = (uint32_t)resolved;
    return true;
}
