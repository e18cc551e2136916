#include "libhalyard/lower/families.h"
#include "libhalyard/lower/recurrent/recurrent.h"

#include <math.h>

/*
 * LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM of int8 with a cell state of int16, as one QUANTIZED_LSTM
 * per time step: both have the same arithmetic.
 *
 *     input -> RESHAPE, SPLIT -> [batch, features] per step -> QUANTIZED_LSTM
 *           -> [batch, units] per step -> CONCATENATION, RESHAPE -> output
 */

/* Operands of QUANTIZED_LSTM; those before the states stand where the graph's operator has them. */
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

enum { MAX_STEPS = 4096 }; /* the model has an operation per step */

/* ---- What all steps share -------------------------------------------------------------------- */

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
    const float steps = floorf(fminf(clip / output->scales[0], INT8_MAX));
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
    hy_expect(lowering, intermediates->hidden_scale > 0.0f, "an integer cell without a scale");
    operands[HIDDEN_ZERO_POINT] = int_operand(lowering, intermediates->hidden_zero_point);
    operands[HIDDEN_SCALE] = float_operand(lowering, intermediates->hidden_scale);
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
              "a cell state of this type or scale");
}

static void make_cell(struct hy_lowering *lowering, uint32_t operands[OPERANDS])
{
    check_quantisation(lowering);
    make_constants(lowering, WEIGHTS, PEEPHOLES, ANEURALNETWORKS_TENSOR_QUANT8_SYMM, 2, operands);
    make_constants(lowering, PEEPHOLES, BIASES, ANEURALNETWORKS_TENSOR_QUANT16_SYMM, 1, operands);
    make_constants(lowering, BIASES, PROJECTION, ANEURALNETWORKS_TENSOR_INT32, 1, operands);
    make_constants(lowering, PROJECTION, PROJECTION_BIAS, ANEURALNETWORKS_TENSOR_QUANT8_SYMM, 2,
                   operands);
    make_constants(lowering, PROJECTION_BIAS, PREVIOUS_OUTPUT, ANEURALNETWORKS_TENSOR_INT32, 1,
                   operands);
    make_constants(lowering, LAYER_NORM, CELL_CLIP, ANEURALNETWORKS_TENSOR_QUANT16_SYMM, 1,
                   operands);
    make_scalars(lowering, operands);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Steps lie side by side along `axis` of [batch, count * features] or [count * batch, features]. */
struct steps {
    uint32_t count, axis;
    uint32_t batch, features, units;
};

static struct steps read_steps(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const bool is_sequence = lowering->node->operator_ != HY_OPERATOR_LSTM;
    const bool time_major = is_sequence && lowering->node->attributes.lstm.time_major;
    uint64_t elements;

    hy_expect(lowering, input->rank == (is_sequence ? 3 : 2) && output->rank == input->rank,
              "an input of this rank");
    hy_expect(lowering,
              hy_graph_tensor_elements(input, &elements) && elements > 0 &&
                  hy_graph_tensor_elements(output, &elements) && elements > 0,
              "a sequence that is empty or known only at run time");
    if (lowering->code != HY_OK)
        return (struct steps){0};
    const struct steps steps = {
        .count = is_sequence ? (uint32_t)input->extents[time_major ? 0 : 1] : 1,
        .axis = time_major ? 0 : 1,
        .batch = (uint32_t)input->extents[time_major ? 1 : 0],
        .features = (uint32_t)input->extents[input->rank - 1],
        .units = (uint32_t)output->extents[output->rank - 1],
    };
    hy_expect(lowering, steps.count <= MAX_STEPS, "an integer sequence of more than 4096 steps");
    return steps;
}

static void step_extents(const struct steps *steps, uint32_t count, uint32_t last,
                         uint32_t extents[2])
{
    extents[0] = steps->batch;
    extents[1] = last;
    extents[steps->axis] *= count; /* no overflow: the tensor's bytes are checked */
}

/* The input of each step. */
static void split_input(struct hy_lowering *lowering, const struct steps *steps, uint32_t *inputs)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    uint32_t flat[2], one[2];

    if (input->rank == 2) {
        inputs[0] = hy_input_operand(lowering, 0);
        return;
    }
    step_extents(steps, steps->count, steps->features, flat);
    step_extents(steps, 1, steps->features, one);
    const uint32_t side_by_side = hy_temporary_operand_of(lowering, input, 2, flat);
    hy_push_input(lowering, 0);
    hy_push_ints(lowering, (const int32_t *)flat, 2);
    hy_emit_to(lowering, ANEURALNETWORKS_RESHAPE, side_by_side);
    if (steps->count == 1) {
        inputs[0] = side_by_side;
        return;
    }
    for (uint32_t i = 0; i < steps->count; i++)
        inputs[i] = hy_temporary_operand_of(lowering, input, 2, one);
    hy_push(lowering, side_by_side);
    hy_push_int(lowering, (int32_t)steps->axis);
    hy_push_int(lowering, (int32_t)steps->count);
    hy_emit_to_list(lowering, ANEURALNETWORKS_SPLIT, inputs, steps->count);
}

/* The node's output from the output of each step. */
static void join_outputs(struct hy_lowering *lowering, const struct steps *steps,
                         const uint32_t *outputs)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    uint32_t flat[2], side_by_side = outputs[0];

    if (output->rank == 2)
        return;
    step_extents(steps, steps->count, steps->units, flat);
    if (steps->count > 1) {
        side_by_side = hy_temporary_operand_of(lowering, output, 2, flat);
        for (uint32_t i = 0; i < steps->count; i++)
            hy_push(lowering, outputs[i]);
        hy_push_int(lowering, (int32_t)steps->axis);
        hy_emit_to(lowering, ANEURALNETWORKS_CONCATENATION, side_by_side);
    }
    hy_push(lowering, side_by_side);
    hy_push_shape(lowering, output);
    hy_emit_to(lowering, ANEURALNETWORKS_RESHAPE, hy_output_operand(lowering, 0));
}

static void run_steps(struct hy_lowering *lowering, const struct steps *steps,
                      uint32_t operands[OPERANDS], const uint32_t *inputs, uint32_t *outputs)
{
    static const uint32_t states[] = {PREVIOUS_OUTPUT, PREVIOUS_STATE};

    operands[PREVIOUS_OUTPUT] = hy_input_operand(lowering, PREVIOUS_OUTPUT);
    operands[PREVIOUS_STATE] = hy_input_operand(lowering, PREVIOUS_STATE);
    for (uint32_t i = 0; i < steps->count; i++) {
        uint32_t results[3] = {0, 0, outputs[i]};
        operands[0] = inputs[i];
        for (uint32_t j = 0; j < OPERANDS; j++)
            hy_push(lowering, operands[j]);
        if (i + 1 == steps->count) {
            hy_state_outputs(lowering, 1, 2, states, results);
        } else {
            for (uint32_t j = 0; j < 2; j++)
                results[j] = hy_temporary_operand(lowering, hy_input(lowering, states[j]));
        }
        hy_emit_to_list(lowering, ANEURALNETWORKS_QUANTIZED_LSTM, results, 3);
        operands[PREVIOUS_OUTPUT] = results[0];
        operands[PREVIOUS_STATE] = results[1];
    }
}

void hy_lower_quantized_lstm(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const struct steps steps = read_steps(lowering);
    uint32_t operands[OPERANDS], extents[2];

    if (lowering->code != HY_OK)
        return;
    uint32_t *inputs = hy_scratch_memory(lowering, steps.count, sizeof *inputs);
    uint32_t *outputs = hy_scratch_memory(lowering, steps.count, sizeof *outputs);
    if (!inputs || !outputs)
        return;
    make_cell(lowering, operands);
    split_input(lowering, &steps, inputs);
    step_extents(&steps, 1, steps.units, extents);
    for (uint32_t i = 0; i < steps.count; i++)
        outputs[i] = output->rank == 2 ? hy_output_operand(lowering, 0)
                                       : hy_temporary_operand_of(lowering, output, 2, extents);
    run_steps(lowering, &steps, operands, inputs, outputs);
    join_outputs(lowering, &steps, outputs);
}
