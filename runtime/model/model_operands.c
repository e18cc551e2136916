#include "app_model.h"

#include "common/array.h"
#include "common/checked.h"
#include "common/operations/operand_type.h"
#include "runtime/extension/code_text.h"
#include "runtime/extension/extension.h"
#include "runtime/extension/type_info.h"

#include <android/NeuralNetworks.h>
#include <inttypes.h>
#include <math.h>

/* ---- Adding --------------------------------------------------------------------------------- */

static enum hy_code check_rank(const struct hy_operand_spec *spec, const struct hy_type_info *type,
                               struct hy_error *err)
{
    const char *name = hy_operand_type_text(spec->type);

    if ((spec->rank == 0) != (spec->dims == NULL))
        return hy_fail(err, HY_BAD_DATA, "%s: dimensionCount is %u, but dimensions is %s", name,
                       spec->rank, spec->dims ? "not NULL" : "NULL");
    if (type->is_scalar && spec->rank != 0)
        return hy_fail(err, HY_BAD_DATA, "%s is a scalar, but has %u dimensions", name, spec->rank);
    if (spec->rank > HY_MAX_RANK)
        return hy_fail(err, HY_BAD_DATA, "%s: rank %u is above the limit of %u", name, spec->rank,
                       HY_MAX_RANK);
    return HY_OK;
}

/* The known part of the size must fit in 32 bits. */
static enum hy_code check_extents(const struct hy_operand_spec *spec,
                                  const struct hy_type_info *type, struct hy_error *err)
{
    uint64_t bytes = type->element_bytes;

    for (uint32_t i = 0; i < spec->rank; i++) {
        if (spec->dims[i] == 0)
            continue;
        if (!hy_mul_u64(bytes, spec->dims[i], &bytes) || bytes > UINT32_MAX)
            return hy_fail(err, HY_BAD_DATA,
                           "%s: dimension %u of %u brings the size above %" PRIu32 " bytes",
                           hy_operand_type_text(spec->type), i, spec->dims[i], UINT32_MAX);
    }
    return HY_OK;
}

static enum hy_code fail_unknown(int32_t type, struct hy_error *err)
{
    const char *text = hy_extension_code_text(type);

    if (text)
        return hy_fail(err, HY_BAD_DATA, "type %s does not exist on any device", text);
    return hy_fail(err, HY_BAD_DATA, "type %d does not exist", type);
}

/* The scale of a TENSOR_INT32 is checked when the model is finished, for compatibility. */
static enum hy_code check_quant(const struct hy_operand_spec *spec, struct hy_error *err)
{
    if (spec->type == ANEURALNETWORKS_TENSOR_INT32)
        return HY_OK;
    enum hy_code code = hy_operand_type_check_quant(spec->type, spec->scale, spec->zero_point, err);
    if (code == HY_OK || hy_operand_type_info(spec->type))
        return code;
    return hy_error_prefix(err, code, "%s", hy_operand_type_text(spec->type));
}

enum hy_code hy_operand_spec_check(const struct hy_operand_spec *spec, struct hy_error *err)
{
    struct hy_type_info type;

    if (!hy_type_info_find(spec->type, &type))
        return fail_unknown(spec->type, err);

    enum hy_code code = check_rank(spec, &type, err);
    if (code == HY_OK)
        code = check_extents(spec, &type, err);
    if (code == HY_OK)
        code = check_quant(spec, err);
    return code;
}

static enum hy_code reserve(struct hy_app_model *model, struct hy_error *err)
{
    if (model->operand_count >= HY_MODEL_MAX_ENTRIES)
        return hy_fail(err, HY_BAD_DATA, "the model has %u operands, the limit is %u",
                       model->operand_count, HY_MODEL_MAX_ENTRIES);

    struct hy_operand *operands =
        hy_array_grow(model->operands, model->operand_count, sizeof *operands);
    if (operands)
        model->operands = operands;
    struct hy_value_source *sources =
        hy_array_grow(model->sources, model->operand_count, sizeof *sources);
    if (sources)
        model->sources = sources;
    if (!operands || !sources)
        return hy_fail(err, HY_OUT_OF_MEMORY, "operand %u", model->operand_count);
    return HY_OK;
}

static enum hy_code append(struct hy_app_model *model, const struct hy_operand_spec *spec,
                           struct hy_error *err)
{
    enum hy_code code = reserve(model, err);
    if (code != HY_OK)
        return code;

    struct hy_operand operand = {
        .type = spec->type,
        .lifetime = HY_LIFETIME_TEMPORARY,
        .rank = spec->rank,
        .scale = spec->scale,
        .zero_point = spec->zero_point,
    };
    if (spec->rank > 0) {
        operand.dims = hy_arena_copy(&model->arena, spec->dims, spec->rank, sizeof *spec->dims);
        if (!operand.dims)
            return hy_fail(err, HY_OUT_OF_MEMORY, "%u dimensions", spec->rank);
    }
    model->operands[model->operand_count] = operand;
    model->sources[model->operand_count] = (struct hy_value_source){0};
    model->operand_count++;
    return HY_OK;
}

enum hy_code hy_app_model_add_operand(struct hy_app_model *model,
                                      const struct hy_operand_spec *spec, struct hy_error *err)
{
    enum hy_code code = hy_app_model_check_building(model, err);
    if (code != HY_OK)
        return code;

    code = hy_operand_spec_check(spec, err);
    if (code == HY_OK)
        code = append(model, spec, err);
    return code == HY_OK ? code : hy_error_prefix(err, code, "operand %u", model->operand_count);
}

/* ---- Scales per channel --------------------------------------------------------------------- */

static enum hy_code check_scales(uint32_t scale_count, const float *scales, struct hy_error *err)
{
    for (uint32_t i = 0; i < scale_count; i++) {
        if (!(scales[i] > 0.0f) || !isfinite(scales[i]))
            return hy_fail(err, HY_BAD_DATA, "scale %u is %g, must be above 0", i,
                           (double)scales[i]);
    }
    return HY_OK;
}

static enum hy_code check_channel_quant(const struct hy_operand *operand, uint32_t channel_dim,
                                        uint32_t scale_count, const float *scales,
                                        struct hy_error *err)
{
    if ((scales == NULL) != (scale_count == 0))
        return hy_fail(err, HY_BAD_DATA, "scaleCount is %u, but scales is %s", scale_count,
                       scales ? "not NULL" : "NULL");
    if (operand->type != ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)
        return hy_fail(err, HY_BAD_DATA, "type %s cannot have scales per channel",
                       hy_operand_type_text(operand->type));
    if (channel_dim >= operand->rank)
        return hy_fail(err, HY_BAD_DATA, "channelDim %u is not below the rank %u", channel_dim,
                       operand->rank);
    if (scale_count == 0 || scale_count != operand->dims[channel_dim])
        return hy_fail(err, HY_BAD_DATA, "%u scales for dimension %u of %u", scale_count,
                       channel_dim, operand->dims[channel_dim]);
    return check_scales(scale_count, scales, err);
}

static enum hy_code set_channel_quant(struct hy_app_model *model, uint32_t index,
                                      uint32_t channel_dim, uint32_t scale_count,
                                      const float *scales, struct hy_error *err)
{
    struct hy_operand *operand = &model->operands[index];
    enum hy_code code = check_channel_quant(operand, channel_dim, scale_count, scales, err);
    if (code != HY_OK)
        return code;

    const float *own = hy_arena_copy(&model->arena, scales, scale_count, sizeof *scales);
    if (!own)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u scales", scale_count);
    operand->channel_dim = channel_dim;
    operand->channel_count = scale_count;
    operand->channel_scales = own;
    hy_app_model_note_change(model, index);
    return HY_OK;
}

enum hy_code hy_app_model_set_channel_quant(struct hy_app_model *model, uint32_t operand,
                                            uint32_t channel_dim, uint32_t scale_count,
                                            const float *scales, struct hy_error *err)
{
    enum hy_code code = hy_app_model_check_building(model, err);
    if (code == HY_OK)
        code = hy_app_model_check_operand(model, operand, err);
    if (code != HY_OK)
        return code;

    code = set_channel_quant(model, operand, channel_dim, scale_count, scales, err);
    return code == HY_OK ? code : hy_error_prefix(err, code, "operand %u", operand);
}
