#include "common/inference/infer_quantized_lstm.h"
#include "common/inference/infer_rules.h"

#include <math.h>

#include "common/operations/operand_type.h"

/* Inputs of QUANTIZED_16BIT_LSTM. */
enum { WEIGHTS = 1, RECURRENT = 5, BIAS = 9, CELL_STATE = 13, PREVIOUS_OUTPUT = 14 };

/* Compares scales with a tolerance, as clients compute them with different precision. */
static bool is_near(float a, float b)
{
    return fabsf(a - b) <= 1e-6f * fabsf(b);
}

static enum hy_code check_16bit_quant(const struct hy_call *call, struct hy_error *err)
{
    const struct hy_value *first = hy_call_input(call, WEIGHTS);

    for (uint32_t i = WEIGHTS; i < BIAS; i++) {
        const struct hy_value *weights = hy_call_input(call, i);
        if (weights->scale != first->scale || weights->zero_point != first->zero_point)
            return hy_fail(err, HY_FAILED,
                           "input %u has scale %g and zero point %d, needs %g and %d as input 1", i,
                           (double)weights->scale, weights->zero_point, (double)first->scale,
                           first->zero_point);
    }
    for (uint32_t i = BIAS; i < CELL_STATE; i++) {
        float scale = hy_call_input(call, i)->scale;
        if (!is_near(scale, first->scale / 128))
            return hy_fail(err, HY_FAILED, "input %u has scale %g, needs %g", i, (double)scale,
                           (double)(first->scale / 128));
    }
    return HY_OK;
}

static enum hy_code check_16bit_shapes(const struct hy_call *call,
                                       const struct hy_quantized_16bit_lstm *lstm,
                                       struct hy_error *err)
{
    uint32_t units = lstm->units;
    enum hy_code code = HY_OK;

    for (uint32_t gate = 0; gate < HY_GATE_COUNT && code == HY_OK; gate++) {
        code = hy_call_check_matrix(call, WEIGHTS + gate, true, units, lstm->inputs, err);
        if (code == HY_OK)
            code = hy_call_check_matrix(call, RECURRENT + gate, true, units, units, err);
        if (code == HY_OK)
            code = hy_call_check_vector(call, BIAS + gate, true, units, err);
    }
    if (code == HY_OK)
        code = hy_call_check_matrix(call, CELL_STATE, true, lstm->batch, units, err);
    if (code == HY_OK)
        code = hy_call_check_matrix(call, PREVIOUS_OUTPUT, true, lstm->batch, units, err);
    return code;
}

enum hy_code hy_quantized_16bit_lstm_read(const struct hy_call *call,
                                          struct hy_quantized_16bit_lstm *lstm,
                                          struct hy_error *err)
{
    const uint32_t *in = hy_call_input(call, 0)->shape.dims;
    const uint32_t *weights = hy_call_input(call, WEIGHTS)->shape.dims;

    enum hy_code code = hy_call_check_rank(call, 0, 2, 2, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, WEIGHTS, 2, 2, err);
    if (code != HY_OK)
        return code;
    struct hy_quantized_16bit_lstm read = {in[0], in[1], weights[0]};
    if (!read.batch || !read.inputs || !read.units)
        return hy_fail(err, HY_FAILED, "input of [%u, %u] for %u units is empty", read.batch,
                       read.inputs, read.units);
    code = check_16bit_shapes(call, &read, err);
    if (code == HY_OK)
        code = check_16bit_quant(call, err);
    if (code == HY_OK)
        *lstm = read;
    return code;
}

enum hy_code hy_infer_quantized_16bit_lstm(const struct hy_call *call, struct hy_shape *outputs,
                                           struct hy_error *err)
{
    struct hy_quantized_16bit_lstm lstm;
    enum hy_code code = hy_quantized_16bit_lstm_read(call, &lstm, err);

    if (code == HY_OK)
        outputs[0] = outputs[1] = (struct hy_shape){2, {lstm.batch, lstm.units}};
    return code;
}

/* The scale of the cell state must be a power of two supported by the fixed-point functions. Models
 * store the scale rounded to a few decimal digits. */
static enum hy_code read_cell_shift(const struct hy_call *call, int32_t *out, struct hy_error *err)
{
    float scale = hy_call_input(call, 19)->scale;
    double exponent = log2((double)scale), shift = round(exponent);

    if (!(fabs(exponent - shift) <= 1e-3 && shift >= -15 && shift <= -9))
        return hy_fail(
            err, HY_FAILED,
            "the cell state (input 19) has scale %g, needs a power of two in 2^-15..2^-9",
            (double)scale);
    *out = (int32_t)shift;
    return HY_OK;
}

/* Reads a scale passed as a value. */
static enum hy_code read_scale(const struct hy_call *call, uint32_t index, float *out,
                               struct hy_error *err)
{
    enum hy_code code = hy_call_float(call, index, out, err);

    if (code == HY_OK && !(*out > 0 && *out < INFINITY))
        return hy_fail(err, HY_FAILED, "input %u is %g, not a scale", index, (double)*out);
    return code;
}

/* The zero point of the output before the projection must be a value of the data type; the NNAPI
 * operation accepts any. */
static enum hy_code check_hidden_zero_point(const struct hy_call *call, int32_t zero_point,
                                            struct hy_error *err)
{
    const struct hy_operand_type_info *type = hy_operand_type_info(hy_call_input(call, 0)->type);

    if (call->operation == HY_OP_QUANTIZED_LSTM ||
        (zero_point >= type->zero_point_min && zero_point <= type->zero_point_max))
        return HY_OK;
    return hy_fail(err, HY_FAILED, "input 30 (hidden zero point) is %d, needs %d to %d", zero_point,
                   type->zero_point_min, type->zero_point_max);
}

static enum hy_code read_scalars(const struct hy_call *call, struct hy_quantized_lstm *lstm,
                                 struct hy_error *err)
{
    enum hy_code code = hy_lstm_read_clip(call, 24, &lstm->cell_clip, err);

    if (code == HY_OK)
        code = hy_lstm_read_clip(call, 25, &lstm->projection_clip, err);
    for (uint32_t gate = 0; gate < HY_GATE_COUNT && code == HY_OK; gate++)
        if (gate != HY_GATE_INPUT || !lstm->inputs.cifg)
            code = read_scale(call, 26 + gate, &lstm->gate_scales[gate], err);
    if (code == HY_OK)
        code = hy_call_int(call, 30, &lstm->hidden_zero_point, err);
    if (code == HY_OK)
        code = check_hidden_zero_point(call, lstm->hidden_zero_point, err);
    if (code == HY_OK)
        code = read_scale(call, 31, &lstm->hidden_scale, err);
    if (code == HY_OK)
        code = read_cell_shift(call, &lstm->cell_shift, err);
    return code;
}

enum hy_code hy_quantized_lstm_read(const struct hy_call *call, struct hy_quantized_lstm *lstm,
                                    struct hy_error *err)
{
    const bool is_sequence = call->operation == HY_EXT_UNIDIRECTIONAL_SEQUENCE_LSTM;
    struct hy_quantized_lstm read = {
        .sequence = {.rank = is_sequence ? 3 : 2, .count = 1, .gives_states = true},
        .inputs = {.weights = 1, .norm = 20},
    };
    struct hy_direction *way = &read.sequence.directions[0];
    enum hy_code code = HY_OK;

    if (is_sequence)
        code = hy_call_bool(call, 32, &read.sequence.time_major, err);
    if (code == HY_OK)
        code = hy_sequence_read_input(call, &read.sequence, err);
    if (code != HY_OK)
        return code;
    way->state = 18;
    way->out = is_sequence ? 0 : 2;
    way->state_out = is_sequence ? 1 : 0;
    code = hy_lstm_read_cell(call, read.sequence.batch, &read.inputs, way, err);
    way->out_size = way->sizes[0];
    if (code == HY_OK)
        code = read_scalars(call, &read, err);
    if (code == HY_OK)
        *lstm = read;
    return code;
}

enum hy_code hy_infer_quantized_lstm(const struct hy_call *call, struct hy_shape *outputs,
                                     struct hy_error *err)
{
    struct hy_quantized_lstm lstm;
    enum hy_code code = hy_quantized_lstm_read(call, &lstm, err);

    if (code == HY_OK)
        hy_sequence_shapes(&lstm.sequence, outputs);
    return code;
}
