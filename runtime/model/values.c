#include "app_model.h"

#include "common/checked.h"
#include "common/operations/control_flow.h"
#include "runtime/extension/code_text.h"
#include "runtime/extension/type_info.h"
#include "runtime/memory/memory_check.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksOEM.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_ALIGNMENT         4u
#define INITIAL_VALUES_CAPACITY ((size_t)1024)

/* ---- Checking ------------------------------------------------------------------------------- */

/* A constant has known extents and exactly the bytes of its shape. */
static enum hy_code check_size(const struct hy_operand *operand, size_t length,
                               struct hy_error *err)
{
    const char *name = hy_operand_type_text(operand->type);
    struct hy_type_info type;

    if (!hy_type_info_find(operand->type, &type))
        return hy_fail(err, HY_BAD_DATA,
                       "%s has a type that is no longer known, and cannot have a value", name);
    uint64_t bytes = type.element_bytes;
    if (operand->type == ANEURALNETWORKS_OEM_SCALAR)
        return HY_OK; /* only the vendor knows the size */
    if (!type.is_scalar && operand->rank == 0)
        return hy_fail(err, HY_BAD_DATA, "%s of unknown rank cannot have a value", name);
    for (uint32_t i = 0; i < operand->rank; i++) {
        if (operand->dims[i] == 0)
            return hy_fail(err, HY_BAD_DATA, "%s with unknown dimension %u cannot have a value",
                           name, i);
        bytes *= operand->dims[i]; /* cannot overflow, see add_operand */
    }
    if (length != bytes)
        return hy_fail(err, HY_BAD_DATA, "%s has %" PRIu64 " bytes, the value has %zu", name, bytes,
                       length);
    return HY_OK;
}

/* For a type that was found when the operand was added. */
static uint32_t element_bytes(const struct hy_operand *operand)
{
    struct hy_type_info type;
    return hy_type_info_find(operand->type, &type) ? type.element_bytes : 0;
}

static enum hy_code check_alignment(const struct hy_operand *operand, size_t offset,
                                    struct hy_error *err)
{
    const uint32_t element = element_bytes(operand);

    if (element != 0 && offset % element != 0)
        return hy_fail(err, HY_BAD_DATA,
                       "offset %zu is not a multiple of the %u bytes of an element", offset,
                       element);
    return HY_OK;
}

/* ---- Setting -------------------------------------------------------------------------------- */

/* Replaces the value of the operand. */
static void assign(struct hy_app_model *model, uint32_t index, int32_t lifetime,
                   struct hy_location location, struct hy_value_source source)
{
    hy_memory_release(model->sources[index].memory);
    hy_app_model_release(model->sources[index].model);
    hy_app_model_note_change(model, index);
    source.is_used = model->sources[index].is_used;
    model->sources[index] = source;
    model->operands[index].lifetime = lifetime;
    model->operands[index].location = location;
}

/* Reserves `bytes` more, and grows by at least half. */
static enum hy_code reserve_values(struct hy_app_model *model, size_t bytes, struct hy_error *err)
{
    size_t needed, capacity;

    if (!hy_add_size(model->values_size, bytes, &needed) ||
        !hy_add_size(needed, needed / 2, &capacity))
        return hy_fail(err, HY_OUT_OF_MEMORY, "%zu bytes of copied values", model->values_size);
    if (needed <= model->values_capacity)
        return HY_OK;
    if (capacity < INITIAL_VALUES_CAPACITY)
        capacity = INITIAL_VALUES_CAPACITY;

    uint8_t *values = realloc(model->values, capacity);
    if (!values)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%zu bytes of copied values", capacity);
    model->values = values;
    model->values_capacity = capacity;
    return HY_OK;
}

/* Shape inference reads lists of int64 in place. */
static size_t padding_before(const struct hy_app_model *model, const struct hy_operand *operand)
{
    const uint32_t element = element_bytes(operand);

    return element > VALUE_ALIGNMENT ? (element - model->values_size % element) % element : 0;
}

/* A new value replaces the earlier copy. */
static enum hy_code copy_value(struct hy_app_model *model, uint32_t index, const void *buffer,
                               size_t length, struct hy_error *err)
{
    const struct hy_operand *operand = &model->operands[index];
    size_t position = operand->location.offset;

    if (operand->lifetime != HY_LIFETIME_CONSTANT_COPY || operand->location.length != length) {
        const size_t padding = padding_before(model, operand);
        const size_t bytes =
            padding + (length + VALUE_ALIGNMENT - 1) / VALUE_ALIGNMENT * VALUE_ALIGNMENT;
        enum hy_code code = reserve_values(model, bytes, err);
        if (code != HY_OK)
            return code;
        position = model->values_size + padding;
        memset(model->values + model->values_size, 0, bytes);
        model->values_size += bytes;
    }
    memcpy(model->values + position, buffer, length);
    assign(model, index, HY_LIFETIME_CONSTANT_COPY,
           (struct hy_location){.offset = position, .length = length}, (struct hy_value_source){0});
    return HY_OK;
}

/* Large values stay in the app's memory, unless a kernel could not read them there. */
static enum hy_code refer_to_value(struct hy_app_model *model, uint32_t index, const void *buffer,
                                   size_t length, struct hy_error *err)
{
    const uint32_t element = element_bytes(&model->operands[index]);

    if (element != 0 && (uintptr_t)buffer % element != 0) {
        buffer = hy_arena_copy(&model->arena, buffer, length, 1);
        if (!buffer)
            return hy_fail(err, HY_OUT_OF_MEMORY, "aligned copy of %zu bytes", length);
    }
    assign(model, index, HY_LIFETIME_CONSTANT_POOL, (struct hy_location){.length = length},
           (struct hy_value_source){.host = buffer});
    return HY_OK;
}

static enum hy_code set_value(struct hy_app_model *model, uint32_t index, const void *buffer,
                              size_t length, struct hy_error *err)
{
    if ((buffer == NULL) != (length == 0))
        return hy_fail(err, HY_BAD_DATA, "buffer is %s, but length is %zu",
                       buffer ? "not NULL" : "NULL", length);
    if (!buffer) {
        assign(model, index, HY_LIFETIME_NO_VALUE, (struct hy_location){0},
               (struct hy_value_source){0});
        return HY_OK;
    }
    if (length > UINT32_MAX)
        return hy_fail(err, HY_BAD_DATA, "%zu bytes are above the limit of %" PRIu32, length,
                       UINT32_MAX);

    enum hy_code code = check_size(&model->operands[index], length, err);
    if (code != HY_OK)
        return code;
    if (length <= ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES)
        return copy_value(model, index, buffer, length, err);
    return refer_to_value(model, index, buffer, length, err);
}

enum hy_code hy_app_model_set_value(struct hy_app_model *model, uint32_t operand,
                                    const void *buffer, size_t length, struct hy_error *err)
{
    enum hy_code code = hy_app_model_check_building(model, err);
    if (code == HY_OK)
        code = hy_app_model_check_operand(model, operand, err);
    if (code != HY_OK)
        return code;

    code = set_value(model, operand, buffer, length, err);
    return code == HY_OK ? code : hy_error_prefix(err, code, "operand %u", operand);
}

static enum hy_code set_value_from_memory(struct hy_app_model *model, uint32_t index,
                                          struct hy_memory *memory, size_t offset, size_t length,
                                          struct hy_error *err)
{
    const struct hy_operand *operand = &model->operands[index];

    enum hy_code code = check_size(operand, length, err);
    if (code == HY_OK)
        code = hy_memory_check_range(memory, offset, length, HY_PROTECT_READ, err);
    if (code == HY_OK)
        code = check_alignment(operand, offset, err);
    if (code == HY_OK)
        assign(model, index, HY_LIFETIME_CONSTANT_POOL,
               (struct hy_location){.offset = offset, .length = length},
               (struct hy_value_source){.memory = hy_memory_retain(memory)});
    return code;
}

enum hy_code hy_app_model_set_value_from_memory(struct hy_app_model *model, uint32_t operand,
                                                struct hy_memory *memory, size_t offset,
                                                size_t length, struct hy_error *err)
{
    enum hy_code code = hy_app_model_check_building(model, err);
    if (code == HY_OK)
        code = hy_app_model_check_operand(model, operand, err);
    if (code != HY_OK)
        return code;

    code = set_value_from_memory(model, operand, memory, offset, length, err);
    return code == HY_OK ? code : hy_error_prefix(err, code, "operand %u", operand);
}

static enum hy_code set_value_from_model(struct hy_app_model *model, uint32_t index,
                                         struct hy_app_model *value, struct hy_error *err)
{
    if (model->operands[index].type != ANEURALNETWORKS_MODEL)
        return hy_fail(err, HY_BAD_DATA, "%s cannot refer to a model",
                       hy_operand_type_text(model->operands[index].type));
    if (value->depth >= HY_CONTROL_FLOW_DEPTH)
        return hy_fail(err, HY_BAD_DATA, "the model nests models to a depth of %u, the limit is %u",
                       value->depth + 1, HY_CONTROL_FLOW_DEPTH);
    assign(model, index, HY_LIFETIME_SUBGRAPH, (struct hy_location){0},
           (struct hy_value_source){.model = hy_app_model_retain(value)});
    return HY_OK;
}

enum hy_code hy_app_model_set_value_from_model(struct hy_app_model *model, uint32_t operand,
                                               struct hy_app_model *value, struct hy_error *err)
{
    enum hy_code code = hy_app_model_check_building(model, err);
    if (code == HY_OK && value->state != HY_MODEL_FINISHED)
        code = hy_fail(err, HY_BAD_STATE, "the model to refer to is %s",
                       value->state == HY_MODEL_INVALID ? "invalid" : "not finished");
    if (code == HY_OK)
        code = hy_app_model_check_operand(model, operand, err);
    if (code != HY_OK)
        return code;

    code = set_value_from_model(model, operand, value, err);
    return code == HY_OK ? code : hy_error_prefix(err, code, "operand %u", operand);
}
