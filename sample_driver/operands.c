#include "operands.h"

#include <android/NeuralNetworks.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_RANK     SAMPLE_MAX_RANK
#define MAX_ELEMENTS (UINT64_C(1) << 28) /* of a tensor; keeps all index arithmetic in 32 bits */

bool sample_refuse(struct sample_source *source, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(source->reason, sizeof source->reason, format, args);
    va_end(args);
    return false;
}

/* ---- Operands -------------------------------------------------------------------------------- */

bool sample_is_constant(const struct hy_operand *operand)
{
    return operand->lifetime == HY_LIFETIME_CONSTANT_COPY ||
           operand->lifetime == HY_LIFETIME_CONSTANT_POOL;
}

static const uint8_t *pool_constant(struct sample_source *source,
                                    const struct hy_location *location)
{
    if (location->pool >= source->model->pool_count) {
        sample_refuse(source, "a constant lies in pool %u of %u", location->pool,
                      source->model->pool_count);
        return NULL;
    }
    const struct hy_pool *pool = &source->model->pools[location->pool];
    if (location->offset > pool->size || location->length > pool->size - location->offset) {
        sample_refuse(source, "a constant of %llu bytes at %llu leaves its pool of %llu bytes",
                      (unsigned long long)location->length, (unsigned long long)location->offset,
                      (unsigned long long)pool->size);
        return NULL;
    }
    void *address = NULL;
    int32_t status = source->host->map(source->host->context, pool, HY_PROTECT_READ, &address);
    if (status != HY_STATUS_OK) {
        sample_refuse(source, "a constant lies in memory of kind %u that cannot be mapped",
                      pool->kind);
        return NULL;
    }
    return (const uint8_t *)address + location->offset;
}

const uint8_t *sample_constant(struct sample_source *source, const struct hy_operand *operand,
                               uint64_t length)
{
    const struct hy_location *location = &operand->location;
    if (!sample_is_constant(operand) || location->length != length) {
        sample_refuse(source, "a constant of %llu bytes is needed, not one of %llu",
                      (unsigned long long)length, (unsigned long long)location->length);
        return NULL;
    }
    if (operand->lifetime == HY_LIFETIME_CONSTANT_POOL)
        return pool_constant(source, location);

    const struct hy_model *model = source->model;
    if (location->offset > model->values_size || length > model->values_size - location->offset) {
        sample_refuse(source, "a constant lies outside the model's values");
        return NULL;
    }
    return model->values + location->offset;
}

uint64_t sample_element_count(const struct hy_operand *operand)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < operand->rank; i++)
        count *= operand->dims[i];
    return count;
}

static uint64_t tensor_bytes(const struct hy_operand *operand)
{
    bool is_byte = operand->type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    return sample_element_count(operand) * (is_byte ? 1 : 4);
}

static bool check_shape(struct sample_source *source, const char *name,
                        const struct hy_operand *operand)
{
    if (operand->rank < 1 || operand->rank > MAX_RANK || !operand->dims)
        return sample_refuse(source, "%s has rank %u, needs 1 to %u", name, operand->rank,
                             MAX_RANK);

    uint64_t count = 1;
    for (uint32_t i = 0; i < operand->rank; i++) {
        if (operand->dims[i] == 0)
            return sample_refuse(source, "extent %u of %s is unknown", i, name);
        count *= operand->dims[i]; /* both factors are below 2^32 */
        if (count > MAX_ELEMENTS)
            return sample_refuse(source, "%s has more than %llu elements", name,
                                 (unsigned long long)MAX_ELEMENTS);
    }
    return true;
}

static bool check_quantisation(struct sample_source *source, const char *name,
                               const struct hy_operand *operand)
{
    if (operand->type != ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED)
        return true;
    if (!isfinite(operand->scale) || !(operand->scale > 0) || operand->zero_point < INT8_MIN ||
        operand->zero_point > INT8_MAX)
        return sample_refuse(source, "%s has scale %g, zero point %d", name, (double)operand->scale,
                             operand->zero_point);
    return true;
}

const struct hy_operand *sample_tensor(struct sample_source *source, uint32_t index,
                                       const char *name, int32_t type)
{
    const struct hy_subgraph *graph = source->model->main;
    if (index >= graph->operand_count) {
        sample_refuse(source, "%s is operand %u of %u", name, index, graph->operand_count);
        return NULL;
    }
    const struct hy_operand *operand = &graph->operands[index];
    if (operand->type != type) {
        sample_refuse(source, "%s has type %d, needs %d", name, operand->type, type);
        return NULL;
    }
    if (operand->lifetime == HY_LIFETIME_NO_VALUE || operand->lifetime == HY_LIFETIME_SUBGRAPH) {
        sample_refuse(source, "%s is left out", name);
        return NULL;
    }
    if (!check_shape(source, name, operand) || !check_quantisation(source, name, operand))
        return NULL;
    if (sample_is_constant(operand) && !sample_constant(source, operand, tensor_bytes(operand)))
        return NULL;
    return operand;
}

bool sample_scalar(struct sample_source *source, uint32_t index, const char *name, int32_t type,
                   void *value, size_t size)
{
    const struct hy_subgraph *graph = source->model->main;
    if (index >= graph->operand_count || graph->operands[index].type != type)
        return sample_refuse(source, "%s is not a scalar of type %d", name, type);
    const uint8_t *bytes = sample_constant(source, &graph->operands[index], size);
    if (!bytes)
        return false;
    memcpy(value, bytes, size);
    return true;
}

bool sample_scalar_i32(struct sample_source *source, uint32_t index, const char *name,
                       int32_t *value)
{
    return sample_scalar(source, index, name, ANEURALNETWORKS_INT32, value, sizeof *value);
}

const struct hy_operand *sample_first_input(struct sample_source *source,
                                            const struct hy_operation *operation)
{
    uint32_t index = operation->inputs[0];
    int32_t type = ANEURALNETWORKS_TENSOR_FLOAT32;
    if (index < source->model->main->operand_count &&
        source->model->main->operands[index].type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED)
        type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    const bool is_float = type == ANEURALNETWORKS_TENSOR_FLOAT32;
    if (!(source->types & (is_float ? SAMPLE_FLOAT_TENSORS : SAMPLE_QUANTISED_TENSORS))) {
        sample_refuse(source, "this device serves no %s tensors",
                      is_float ? "float32" : "signed quantised");
        return NULL;
    }
    return sample_tensor(source, index, "input 0", type);
}

const struct hy_operand *sample_output(struct sample_source *source,
                                       const struct hy_operation *operation, uint32_t number,
                                       int32_t type, uint32_t rank, const uint32_t *dims)
{
    char name[16];
    snprintf(name, sizeof name, "output %u", number);
    const struct hy_operand *output = sample_tensor(source, operation->outputs[number], name, type);
    if (!output)
        return NULL;
    if (output->lifetime != HY_LIFETIME_TEMPORARY && output->lifetime != HY_LIFETIME_OUTPUT) {
        sample_refuse(source, "%s cannot be written (lifetime %d)", name, output->lifetime);
        return NULL;
    }
    if (output->rank != rank) {
        sample_refuse(source, "%s has rank %u, needs %u", name, output->rank, rank);
        return NULL;
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (output->dims[i] != dims[i]) {
            sample_refuse(source, "extent %u of %s is %u, needs %u", i, name, output->dims[i],
                          dims[i]);
            return NULL;
        }
    }
    return output;
}

bool sample_is_quantised(const struct hy_operand *operand)
{
    return operand->type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
}

/* ---- Activations ----------------------------------------------------------------------------- */

static int32_t quantise(const struct hy_operand *output, float value)
{
    float steps = roundf(value / output->scale);
    return output->zero_point + (int32_t)fminf(fmaxf(steps, -65536), 65536);
}

static int32_t clamp_byte(int32_t value)
{
    return value < INT8_MIN ? INT8_MIN : value > INT8_MAX ? INT8_MAX : value;
}

bool sample_activation(struct sample_source *source, uint32_t index,
                       const struct hy_operand *output, struct sample_range *range)
{
    static const float bounds[][2] = {
        [ANEURALNETWORKS_FUSED_NONE] = {-INFINITY, INFINITY},
        [ANEURALNETWORKS_FUSED_RELU] = {0, INFINITY},
        [ANEURALNETWORKS_FUSED_RELU1] = {-1, 1},
        [ANEURALNETWORKS_FUSED_RELU6] = {0, 6},
    };
    int32_t code = 0;
    if (!sample_scalar_i32(source, index, "the activation", &code))
        return false;
    if (code < ANEURALNETWORKS_FUSED_NONE || code > ANEURALNETWORKS_FUSED_RELU6)
        return sample_refuse(source, "the activation is %d, needs 0 to 3", code);

    range->low = bounds[code][0];
    range->high = bounds[code][1];
    if (sample_is_quantised(output)) {
        range->quant_low = clamp_byte(quantise(output, range->low));
        range->quant_high = clamp_byte(quantise(output, range->high));
    }
    return true;
}
