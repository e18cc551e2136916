/*
 * QUANTIZE, DEQUANTIZE and CAST. DEQUANTIZE of a constant is done here and now: networks with byte
 * weights and float arithmetic have it in front of each filter, and XNNPACK packs filters
 * beforehand.
 */
#include "lowerings.h"

#include "xnnpack_driver/emit.h"

#include <string.h>

bool xd_lower_quantize(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, XD_F32);
    if (!input)
        return false;
    const uint32_t index = operation->outputs[0];
    const bool is_signed = index < build->reader.model->main->operand_count &&
                           XD_HAS(XD_QS8, &build->program->tensors[index]);
    struct xd_tensor *output = xd_output(build, operation, 0,
                                         is_signed ? ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED
                                                   : ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                                         input->rank, input->dims);
    return output && xd_emit_quantise(build, input, output);
}

/* ---- DEQUANTIZE ------------------------------------------------------------------------------ */

struct fold {
    const uint8_t *from;
    float *to;
    bool is_unsigned;
    int32_t zero;
};

static void fold_run(const struct fold *fold, size_t start, size_t count, float scale)
{
    for (size_t i = start; i < start + count; i++) {
        const int32_t step = fold->is_unsigned ? fold->from[i] : (int8_t)fold->from[i];
        fold->to[i] = scale * (float)(step - fold->zero);
    }
}

/* Each run of elements behind the channel dimension has one scale. */
static void fold_channels(const struct fold *fold, const struct xd_tensor *input,
                          const struct hy_operand *operand)
{
    const size_t run = xd_elements(input, operand->channel_dim + 1, input->rank);
    const size_t count = xd_all_elements(input);
    for (size_t i = 0; i < count; i += run)
        fold_run(fold, i, run, operand->channel_scales[i / run % operand->channel_count]);
}

static bool fold_constant(struct xd_build *build, const struct hy_operation *operation,
                          const struct xd_tensor *input, struct xd_tensor *output)
{
    const struct hy_operand *operand = &build->reader.model->main->operands[operation->inputs[0]];
    const bool per_channel = XD_HAS(XD_QC8, input);
    if (per_channel && (operand->channel_dim >= input->rank || !operand->channel_scales ||
                        operand->channel_count != input->dims[operand->channel_dim]))
        return hy_refuse(&build->reader, "input 0 has %u scales along dimension %u",
                         operand->channel_count, operand->channel_dim);
    const struct fold fold = {.from = input->constant,
                              .to = xd_program_allocate(build->program, output->bytes),
                              .is_unsigned = XD_HAS(XD_QU8, input),
                              .zero = per_channel ? 0 : input->quant.zero};
    if (!fold.to)
        return hy_refuse_exhausted(&build->reader);
    if (per_channel)
        fold_channels(&fold, input, operand);
    else
        fold_run(&fold, 0, xd_all_elements(input), input->quant.scale);
    output->constant = (const uint8_t *)fold.to;
    output->is_padded = true;
    return true;
}

bool xd_lower_dequantize(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, XD_Q8 | XD_QY8 | XD_QC8);
    struct xd_tensor *output = input
                                   ? xd_output(build, operation, 0, ANEURALNETWORKS_TENSOR_FLOAT32,
                                               input->rank, input->dims)
                                   : NULL;
    if (!output)
        return false;
    if (input->constant)
        return fold_constant(build, operation, input, output);
    if (XD_HAS(XD_QC8, input))
        return hy_refuse(&build->reader, "scales per channel, and input 0 is not constant");
    return xd_emit_dequantise(build, input, output) != NULL;
}

/* ---- CAST ------------------------------------------------------------------------------------ */

bool xd_lower_cast(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, XD_MAIN | XD_F16 | XD_I32);
    if (!input)
        return false;
    const uint32_t index = operation->outputs[0];
    const int32_t type = index < build->reader.model->main->operand_count
                             ? build->program->tensors[index].type
                             : input->type;
    struct xd_tensor *output = xd_output(build, operation, 0, type, input->rank, input->dims);
    if (!output)
        return false;
    if (type == input->type) {
        xd_same_bytes(build, input, output);
        return true;
    }
    if (XD_HAS(XD_F16, input) && XD_HAS(XD_F32, output))
        return xd_emit(build, XD_KIND_convert_nc_f16_f32, input, output) != NULL;
    if (XD_HAS(XD_F32, input) && XD_HAS(XD_F16, output))
        return xd_emit(build, XD_KIND_convert_nc_f32_f16, input, output) != NULL;
    return hy_refuse(&build->reader, "a conversion from type %d to type %d is not supported",
                     input->type, type);
}
