#include "libhalyard/lower/families.h"
#include "libhalyard/lower/recurrent/recurrent.h"

#include "common/operations/operand_type.h"

#include <math.h>

/* LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM of int8 and int16 with a cell state of int16. */

/* Operands of QUANTIZED_LSTM; operands before the states have the same indices as in the graph's
 * operator. */
enum {
    WEIGHTS = 1,
    PEEPHOLES = 9,
    BIASES = 12,
    PROJECTION = 16,
    PROJECTION_BIAS = 17,
    PREVIOUS_OUTPUT = 18,
    PREVIOUS_STATE = 19,
    LAYER_NORM = 20,
    CELL_CLIP = 24,
    PROJECTION_CLIP = 25,
    GATE_SCALES = 26,
    HIDDEN_ZERO_POINT = 30,
    HIDDEN_SCALE = 31,
    OPERANDS = 32,
};

static uint32_t int_operand(struct hy_lowering *lowering, int32_t value)
{
    const ANeuralNetworksOperandType type = {.type = ANEURALNETWORKS_INT32};
    return hy_constant_operand(lowering, &type, &value, sizeof value);
}

static uint32_t float_operand(struct hy_lowering *lowering, float value)
{
    const ANeuralNetworksOperandType type = {.type = ANEURALNETWORKS_FLOAT32};
    return hy_constant_operand(lowering, &type, &value, sizeof value);
}

/* Constants that may be left out, as an NNAPI type. */
static void make_constants(struct hy_lowering *lowering, uint32_t first, uint32_t end, int32_t type,
                           uint32_t rank, uint32_t operands[OPERANDS])
{
    for (uint32_t i = first; i < end; i++) {
        operands[i] = hy_has_input(lowering, i) ? hy_input_operand_as(lowering, i, type)
                                                : hy_left_out_operand_of(lowering, type, rank);
    }
}

/* The file counts the limit in steps of the output's scale, the operation in steps of the weights'
 * scale: half a step more keeps the number of steps through the division. */
static float projection_clip(struct hy_lowering *lowering)
{
    const float clip = lowering->node->attributes.lstm.projection_clip;
    const struct hy_graph_quantisation *weights = &hy_input(lowering, PROJECTION)->quantisation;
    const struct hy_graph_quantisation *output = &hy_output(lowering, 0)->quantisation;

    hy_expect(lowering, weights->count == 1 && output->count == 1, "a projection without a scale");
    if (lowering->code != HY_OK)
        return 0.0f;
    const bool is_short = hy_output(lowering, 0)->element == HY_ELEMENT_INT16;
    const float steps = floorf(fminf(clip / output->scales[0], is_short ? INT16_MAX : INT8_MAX));
    return steps > 0.0f ? (steps + 0.5f) * weights->scales[0] : 0.0f;
}

/* Without layer normalisation, gates are summed in units of 2^-12. */
static float gate_scale(const struct hy_attributes_lstm *attributes, uint32_t gate, bool normalised)
{
    return normalised ? attributes->intermediates.gate_scales[gate] : 0x1p-12f;
}

static void make_scalars(struct hy_lowering *lowering, uint32_t operands[OPERANDS])
{
    const struct hy_attributes_lstm *attributes = &lowering->node->attributes.lstm;
    const struct hy_lstm_intermediates *intermediates = &attributes->intermediates;
    float hidden_scale = intermediates->hidden_scale;
    int32_t hidden_zero_point = intermediates->hidden_zero_point;
    const bool normalised = hy_has_input(lowering, LAYER_NORM + HY_GATES - 1);
    const bool clips = hy_has_input(lowering, PROJECTION) && attributes->projection_clip > 0.0f;

    operands[CELL_CLIP] = float_operand(lowering, attributes->cell_clip);
    operands[PROJECTION_CLIP] = float_operand(lowering, clips ? projection_clip(lowering) : 0.0f);
    for (uint32_t gate = 0; gate < HY_GATES; gate++) {
        const bool used = gate > 0 || hy_has_input(lowering, WEIGHTS);
        const float scale = gate_scale(attributes, gate, normalised);
        hy_expect(lowering, scale > 0.0f || !used, "a normalised gate without a scale");
        operands[GATE_SCALES + gate] = float_operand(lowering, scale);
    }
    if (hy_output(lowering, 0)->element == HY_ELEMENT_INT16 &&
        !hy_has_input(lowering, PROJECTION)) { /* files of int16 lack these scales */
        hidden_scale = hy_scale_of(hy_output(lowering, 0));
        hidden_zero_point = 0;
    }
    hy_expect(lowering, hidden_scale > 0.0f, "an integer cell without a scale");
    operands[HIDDEN_ZERO_POINT] = int_operand(lowering, hidden_zero_point);
    operands[HIDDEN_SCALE] = float_operand(lowering, hidden_scale);
}

/* A power of two from 2^-15 to 2^-9, as files round it. */
static bool is_state_scale(float scale)
{
    const float exponent = log2f(scale);
    return fabsf(exponent - roundf(exponent)) <= 1e-3f && exponent > -15.5f && exponent < -8.5f;
}

/* Symmetric weights of int8, and a cell state of int16. */
static void check_quantisation(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *state = hy_input(lowering, PREVIOUS_STATE);

    for (uint32_t i = WEIGHTS; i <= PROJECTION; i++) {
        const bool is_matrix = i < PEEPHOLES || i == PROJECTION;
        if (!is_matrix || !hy_has_input(lowering, i))
            continue;
        const struct hy_graph_tensor *weights = hy_input(lowering, i);
        hy_expect(lowering,
                  weights->element == HY_ELEMENT_INT8 && weights->quantisation.count == 1 &&
                      weights->quantisation.zero_points[0] == 0,
                  "an integer cell whose weights are not symmetric int8");
    }
    hy_expect(lowering,
              state->element == HY_ELEMENT_INT16 && state->quantisation.count == 1 &&
                  is_state_scale(state->quantisation.scales[0]),
              "the type or scale of the cell state");
}

/* Whether the biases are int64, as files of int16 data have them. */
static bool has_wide_biases(struct hy_lowering *lowering)
{
    return hy_input(lowering, BIASES + HY_GATES - 1)->element == HY_ELEMENT_INT64;
}

static uint32_t wide_operand(struct hy_lowering *lowering, uint32_t input)
{
    if (!hy_has_input(lowering, input))
        return hy_left_out_operand_of(lowering, HY_TENSOR_INT64, 1);
    const struct hy_graph_tensor *bias = hy_input(lowering, input);
    const uint32_t extent = (uint32_t)bias->extents[0];
    const ANeuralNetworksOperandType type = {
        .type = HY_TENSOR_INT64, .dimensionCount = 1, .dimensions = &extent};

    if (!bias->data || bias->sparsity || bias->element != HY_ELEMENT_INT64 || bias->rank != 1) {
        hy_refuse_input(lowering, input, "not a constant vector of int64");
        return 0;
    }
    return hy_constant_operand(lowering, &type, bias->data, (size_t)bias->bytes);
}

static void make_biases(struct hy_lowering *lowering, uint32_t first, uint32_t end,
                        uint32_t operands[OPERANDS])
{
    if (!has_wide_biases(lowering)) {
        make_constants(lowering, first, end, ANEURALNETWORKS_TENSOR_INT32, 1, operands);
        return;
    }
    for (uint32_t i = first; i < end; i++)
        operands[i] = wide_operand(lowering, i);
}

static void make_cell(struct hy_lowering *lowering, uint32_t operands[OPERANDS])
{
    check_quantisation(lowering);
    make_constants(lowering, WEIGHTS, PEEPHOLES, ANEURALNETWORKS_TENSOR_QUANT8_SYMM, 2, operands);
    make_constants(lowering, PEEPHOLES, BIASES, ANEURALNETWORKS_TENSOR_QUANT16_SYMM, 1, operands);
    make_biases(lowering, BIASES, PROJECTION, operands);
    make_constants(lowering, PROJECTION, PROJECTION_BIAS, ANEURALNETWORKS_TENSOR_QUANT8_SYMM, 2,
                   operands);
    make_biases(lowering, PROJECTION_BIAS, PREVIOUS_OUTPUT, operands);
    make_constants(lowering, LAYER_NORM, CELL_CLIP, ANEURALNETWORKS_TENSOR_QUANT16_SYMM, 1,
                   operands);
    make_scalars(lowering, operands);
}

/* ---- Operations ------------------------------------------------------------------------------ */

void hy_lower_quantized_lstm(struct hy_lowering *lowering)
{
    static const uint32_t states[] = {PREVIOUS_OUTPUT, PREVIOUS_STATE};
    const bool is_sequence = lowering->node->operator_ != HY_OPERATOR_LSTM;
    const bool is_core = hy_input(lowering, 0)->element == HY_ELEMENT_INT8 && !is_sequence;
    const uint32_t state_out = is_sequence ? 1 : 0;
    uint32_t operands[OPERANDS], outputs[3];

    hy_expect(lowering, hy_input(lowering, 0)->rank == (is_sequence ? 3 : 2),
              "the rank of the input");
    operands[0] = hy_input_operand(lowering, 0);
    operands[PREVIOUS_OUTPUT] = hy_input_operand(lowering, PREVIOUS_OUTPUT);
    operands[PREVIOUS_STATE] = hy_input_operand(lowering, PREVIOUS_STATE);
    make_cell(lowering, operands);
    for (uint32_t i = 0; i < OPERANDS; i++)
        hy_push(lowering, operands[i]);
    if (is_sequence)
        hy_push_bool(lowering, lowering->node->attributes.lstm.time_major);
    outputs[is_sequence ? 0 : 2] = hy_output_operand(lowering, 0);
    hy_state_outputs(lowering, 1, 2, states, outputs + state_out);
    hy_emit_to_list(lowering,
                    is_core       ? ANEURALNETWORKS_QUANTIZED_LSTM
                    : is_sequence ? HY_EXT_UNIDIRECTIONAL_SEQUENCE_LSTM
                                  : HY_EXT_LSTM,
                    outputs, 3);
}
