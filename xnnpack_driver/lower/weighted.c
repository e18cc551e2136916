#include "weighted.h"

#include <math.h>
#include <string.h>

/* Factors from a sum to an output byte. Above HIGH XNNPACK makes no operator; below LOW it ends the
 * process, unless the factors are those of channels. */
#define LOW_RATIO  0x1p-32f
#define HIGH_RATIO 256.0f

static bool check_types(struct xd_build *build, const struct xd_weighted *w)
{
    const uint32_t allowed = XD_HAS(XD_F32, w->input)   ? XD_F32
                             : XD_HAS(XD_QU8, w->input) ? XD_QU8
                                                        : XD_QS8 | XD_QC8;
    if (!XD_HAS(allowed, w->weights))
        return hy_refuse(&build->reader,
                         "weights of type %d with input of type %d are not supported",
                         w->weights->type, w->input->type);
    if (XD_HAS(XD_F32, w->bias) != XD_HAS(XD_F32, w->input))
        return hy_refuse(&build->reader, "a bias of type %d with input of type %d is not supported",
                         w->bias->type, w->input->type);
    if (XD_HAS(XD_QS8, w->weights) && w->weights->quant.zero != 0)
        return hy_refuse(&build->reader, "signed weights have the zero point %d, XNNPACK needs 0",
                         w->weights->quant.zero);
    return true;
}

/* Sums have the scale input * weights; a bias with another one would be added wrongly. */
static bool check_bias_scale(struct xd_build *build, const struct xd_weighted *w)
{
    if (!XD_HAS(XD_Q8, w->weights))
        return true;
    const float sum = w->input->quant.scale * w->weights->quant.scale;
    if (fabsf(w->bias->quant.scale - sum) <= sum * 1e-5f)
        return true;
    return hy_refuse(&build->reader,
                     "the bias has scale %g, needs %g (scale of input * scale of weights)",
                     (double)w->bias->quant.scale, (double)sum);
}

bool xd_weighted_read(struct xd_build *build, const struct hy_operation *operation, uint32_t rank,
                      uint32_t units, struct xd_weighted *ret)
{
    struct xd_weighted w = {.input = xd_input(build, operation, 0, XD_MAIN)};
    if (!w.input)
        return false;
    w.weights = xd_weights(build, operation, 1, XD_MAIN | XD_QC8);
    if (!w.weights)
        return false;
    w.bias = xd_weights(build, operation, 2, XD_F32 | XD_I32);
    if (!w.bias || !check_types(build, &w) || !check_bias_scale(build, &w))
        return false;
    if (w.weights->rank != rank)
        return hy_refuse(&build->reader, "weights have rank %u, need %u", w.weights->rank, rank);
    if (w.bias->rank != 1 || w.bias->dims[0] != w.weights->dims[units])
        return hy_refuse(&build->reader, "a bias has %zu elements, needs %u",
                         xd_all_elements(w.bias), w.weights->dims[units]);

    const struct hy_operand *operand = &build->reader.model->main->operands[operation->inputs[1]];
    if (XD_HAS(XD_QC8, w.weights) &&
        (operand->channel_dim != units || operand->channel_count != w.weights->dims[units] ||
         !operand->channel_scales))
        return hy_refuse(&build->reader, "weights have %u scales along dimension %u",
                         operand->channel_count, operand->channel_dim);
    *ret = w;
    return true;
}

static bool scale_fits(struct xd_build *build, const struct xd_weighted *w, float scale,
                       const struct xd_tensor *output, float low)
{
    if (!isnormal(scale) || scale < 0)
        return hy_refuse(&build->reader, "weights have the scale %g", (double)scale);
    return xd_ratio_fits(build, "input * weights / output",
                         w->input->quant.scale * scale / output->quant.scale, low, HIGH_RATIO);
}

bool xd_weighted_fits(struct xd_build *build, const struct hy_operation *operation,
                      const struct xd_weighted *w, const struct xd_tensor *output)
{
    if (XD_HAS(XD_F32, w->weights))
        return true;
    if (!XD_HAS(XD_QC8, w->weights))
        return scale_fits(build, w, w->weights->quant.scale, output, LOW_RATIO);

    const struct hy_operand *operand = &build->reader.model->main->operands[operation->inputs[1]];
    for (uint32_t i = 0; i < operand->channel_count; i++) {
        if (!scale_fits(build, w, operand->channel_scales[i], output, 0))
            return false;
    }
    return true;
}

enum xd_kind xd_weighted_kind(const struct xd_weighted *w, enum xd_kind real,
                              enum xd_kind is_unsigned, enum xd_kind is_signed)
{
    return XD_HAS(XD_F32, w->input) ? real : XD_HAS(XD_QU8, w->input) ? is_unsigned : is_signed;
}

bool xd_weighted_fill(struct xd_build *build, const struct hy_operation *operation,
                      const struct xd_weighted *w, struct xd_node *node)
{
    node->weights = w->weights->constant;
    node->bias = w->bias->constant;
    node->weight = w->weights->quant;
    if (!XD_HAS(XD_QC8, w->weights))
        return true;

    const struct hy_operand *operand = &build->reader.model->main->operands[operation->inputs[1]];
    const size_t bytes = operand->channel_count * sizeof *operand->channel_scales;
    float *scales = xd_program_allocate(build->program, bytes);
    if (!scales)
        return hy_refuse_exhausted(&build->reader);
    memcpy(scales, operand->channel_scales, bytes);
    node->weight_scales = scales;
    return true;
}
