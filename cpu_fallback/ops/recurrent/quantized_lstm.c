#include "cpu_fallback/kernels/quantized_lstm.h"

#include <android/NeuralNetworks.h>
#include <math.h>
#include <string.h>

#include "common/inference/infer_quantized_lstm.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/elements/floats.h"
#include "cpu_fallback/ops/ops.h"

/* Indices of inputs. */
enum { IN = 0, BIAS = 15, HIDDEN = 18, STATE = 19 };

struct lstm_step {
    struct hy_quantized_lstm lstm;
    struct hy_quantized_lstm_params params; /* without pointers */
    hy_quantized_lstm_row_fn *row;
    size_t size;              /* bytes per element of input and output */
    size_t values, projected; /* offsets in scratch */
};

static float scale_of(const struct hy_call *call, uint32_t input)
{
    return hy_call_input(call, input)->scale;
}

/* Quotients of scales are float32, as in the reference. */
static struct hy_multiplier multiplier(float scale)
{
    return hy_multiplier_from_double((double)scale);
}

/* A clipping limit in steps of `scale`; 0: no clipping. */
static int32_t steps_of(float limit, float scale, int32_t most)
{
    float steps = limit / scale;
    return steps < (float)most ? (int32_t)steps : most;
}

/* For present operands; the scales of omitted operands are not read. */
static struct hy_quantized_gate gate_numbers(const struct hy_call *call,
                                             const struct hy_quantized_lstm *lstm, uint32_t gate)
{
    const struct hy_lstm_inputs *inputs = &lstm->inputs;
    uint32_t weights = inputs->weights + gate;
    float scale = lstm->gate_scales[gate], cell = ldexpf(1, lstm->cell_shift);
    struct hy_quantized_gate numbers = {
        .input = multiplier(scale_of(call, weights) * scale_of(call, IN) / scale),
        .hidden = multiplier(scale_of(call, weights + HY_LSTM_RECURRENT) * scale_of(call, HIDDEN) /
                             scale),
    };

    if (inputs->peephole && gate != HY_GATE_CELL) {
        uint32_t position = gate == HY_GATE_OUTPUT ? 2 : gate;
        float peephole = scale_of(call, inputs->weights + HY_LSTM_PEEPHOLE + position);
        numbers.cell = multiplier(cell * peephole / scale);
    }
    if (inputs->layer_norm) {
        float norm = scale_of(call, inputs->norm + gate);
        int32_t small = steps_of(10000 * norm, 1, 1);
        numbers.normalised = multiplier(norm);
        /* A left shift of 31 saturates every value; larger shifts do the same. */
        numbers.normalised.exponent =
            numbers.normalised.exponent < 19 ? numbers.normalised.exponent + 12 : 31;
        numbers.least_variance = small;
    }
    return numbers;
}

static struct hy_quantized_lstm_params cell_numbers(const struct hy_call *call,
                                                    const struct hy_quantized_lstm *lstm)
{
    const struct hy_value *in = hy_call_input(call, IN), *hidden = hy_call_input(call, HIDDEN);
    const bool is_short = in->type == ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
    struct hy_quantized_lstm_params params = {
        .inputs = lstm->sequence.directions[0].in_size,
        .units = lstm->inputs.units,
        .outputs = lstm->sequence.directions[0].sizes[0],
        .has_wide_bias = hy_call_input(call, BIAS)->type == HY_TENSOR_INT64,
        .in_zero_point = in->zero_point,
        .out_zero_point = hidden->zero_point,
        .unit_zero_point = lstm->hidden_zero_point,
        .cell_shift = lstm->cell_shift,
        .cell_clip = steps_of(lstm->cell_clip, scale_of(call, STATE), INT16_MAX),
        .unit_multiplier = multiplier(0x1p-15f / lstm->hidden_scale * 0x1p-15f),
    };

    for (uint32_t gate = 0; gate < HY_LSTM_GATES; gate++)
        if (gate != HY_GATE_INPUT || !lstm->inputs.cifg)
            params.gates[gate] = gate_numbers(call, lstm, gate);
    if (lstm->inputs.projection) {
        float scale = scale_of(call, lstm->inputs.weights + HY_LSTM_PROJECTION);
        params.projection_clip =
            steps_of(lstm->projection_clip, scale, is_short ? INT16_MAX : INT8_MAX);
        params.projection_multiplier = multiplier(scale * lstm->hidden_scale / hidden->scale);
    }
    return params;
}

enum hy_code hy_cpu_quantized_lstm_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                           struct hy_cpu_step *step, struct hy_error *err)
{
    struct lstm_step *lstm = hy_arena_alloc(ctx->memory, sizeof *lstm);

    if (!lstm)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    enum hy_code code = hy_quantized_lstm_read(ctx->call, &lstm->lstm, err);
    if (code != HY_OK)
        return code;
    lstm->params = cell_numbers(ctx->call, &lstm->lstm);
    lstm->size = hy_operand_type_bytes(hy_call_input(ctx->call, IN)->type);
    lstm->row = lstm->size == 1 ? hy_quantized_lstm_row_s8 : hy_quantized_lstm_row_s16;
    uint64_t units = lstm->lstm.inputs.units;
    if (!hy_cpu_scratch_alloc_rows(&step->scratch, HY_LSTM_GATES, units, sizeof(int16_t),
                                   &lstm->values) ||
        !hy_cpu_scratch_alloc_rows(&step->scratch, 1, units, lstm->size, &lstm->projected))
        return hy_fail(err, HY_OUT_OF_MEMORY, "%llu units are too many", (unsigned long long)units);
    step->params = lstm;
    return HY_OK;
}

/* The data of input `index`; NULL: omitted. */
static const void *data_of(const struct hy_call *call, uint32_t index)
{
    return hy_call_has_input(call, index) ? hy_call_input(call, index)->data : NULL;
}

static void set_operands(const struct hy_call *call, const struct hy_lstm_inputs *inputs,
                         uint32_t gate, struct hy_quantized_gate *out)
{
    uint32_t weights = inputs->weights;

    out->weights = data_of(call, weights + gate);
    out->recurrent = data_of(call, weights + HY_LSTM_RECURRENT + gate);
    out->norm = data_of(call, inputs->norm + gate);
    out->bias = data_of(call, weights + HY_LSTM_BIAS + gate);
    if (gate != HY_GATE_CELL)
        out->peephole =
            data_of(call, weights + HY_LSTM_PEEPHOLE + (gate == HY_GATE_OUTPUT ? 2 : gate));
}

/* The row of the input and output tensors for step `step` of batch row `row`. */
static size_t position(const struct hy_sequence *sequence, uint32_t step, uint32_t row)
{
    return sequence->time_major ? (size_t)step * sequence->batch + row
                                : (size_t)row * sequence->steps + step;
}

/* Runs all steps. The output of a step is the hidden input of the next; the cell state is updated
 * in place. */
static void run_steps(const struct hy_cpu_work *work, const struct hy_quantized_lstm_params *params)
{
    const struct lstm_step *lstm = work->params;
    const struct hy_sequence *sequence = &lstm->lstm.sequence;
    const struct hy_direction *way = &sequence->directions[0];
    const size_t in_row = params->inputs * lstm->size, out_row = params->outputs * lstm->size;
    const uint8_t *in = hy_call_input(work->call, IN)->data;
    const int16_t *first_state = hy_call_input(work->call, STATE)->data;
    int16_t *last_state = hy_call_output(work->call, way->state_out + 1)->data;
    uint8_t *out = hy_call_output(work->call, way->out)->data;
    uint8_t *last = hy_call_output(work->call, way->state_out)->data;

    for (uint32_t row = 0; row < sequence->batch; row++) {
        const uint8_t *hidden = hy_call_input(work->call, HIDDEN)->data;
        const int16_t *state = first_state + row * params->units;
        int16_t *new_state = last_state + row * params->units;
        hidden += row * out_row;
        for (uint32_t t = 0; t < sequence->steps && !hy_stop_after(hy_stop_here(), 1); t++) {
            uint8_t *to = out + position(sequence, t, row) * out_row;
            lstm->row(params, in + position(sequence, t, row) * in_row, hidden, state, new_state,
                      to);
            hidden = to;
            state = new_state;
        }
        memcpy(last + row * out_row, hidden, out_row);
    }
}

enum hy_code hy_cpu_quantized_lstm_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct lstm_step *lstm = work->params;
    const struct hy_call *call = work->call;
    struct hy_quantized_lstm_params params = lstm->params;
    uint32_t weights = lstm->lstm.inputs.weights;

    (void)err;
    for (uint32_t gate = 0; gate < HY_LSTM_GATES; gate++)
        set_operands(call, &lstm->lstm.inputs, gate, &params.gates[gate]);
    params.projection = data_of(call, weights + HY_LSTM_PROJECTION);
    params.projection_bias = data_of(call, weights + HY_LSTM_PROJECTION_BIAS);
    params.values = (int16_t *)(void *)(work->scratch + lstm->values);
    params.projected = work->scratch + lstm->projected;
    run_steps(work, &params);
    return HY_OK;
}
