#include "cpu_fallback/kernels/quantized_lstm.h"

#include <math.h>
#include <string.h>

#include "common/inference/infer_quantized_lstm.h"
#include "cpu_fallback/ops/elements/floats.h"
#include "cpu_fallback/ops/ops.h"

/* Numbers of inputs. */
enum { IN = 0, HIDDEN = 18, STATE = 19 };

struct lstm_step {
    struct hy_quantized_lstm lstm;
    struct hy_quantized_lstm_params params; /* without pointers */
    size_t values, projected;               /* offsets in scratch */
};

static float scale_of(const struct hy_call *call, uint32_t input)
{
    return hy_call_input(call, input)->scale;
}

/* As the reference has it, quotients of scales are float32 ones. */
static struct hy_multiplier multiplier(float scale)
{
    return hy_multiplier_from_double((double)scale);
}

/* A limit in steps of `scale`; 0 stays 0, which does not clip. */
static int32_t steps_of(float limit, float scale, int32_t most)
{
    float steps = limit / scale;
    return steps < (float)most ? (int32_t)steps : most;
}

/* For operands that are there; the scales of others are not looked at. */
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
        uint32_t place = gate == HY_GATE_OUTPUT ? 2 : gate;
        float peephole = scale_of(call, inputs->weights + HY_LSTM_PEEPHOLE + place);
        numbers.cell = multiplier(cell * peephole / scale);
    }
    if (inputs->layer_norm) {
        float norm = scale_of(call, inputs->norm + gate);
        int32_t small = steps_of(10000 * norm, 1, 1);
        numbers.normalised = multiplier(norm);
        /* A left shift of 31 saturates all there is: more would do no more. */
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
    struct hy_quantized_lstm_params params = {
        .batch = lstm->batch,
        .inputs = lstm->way.in_size,
        .units = lstm->inputs.units,
        .outputs = lstm->way.sizes[0],
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
        params.projection_clip = steps_of(lstm->projection_clip, scale, INT8_MAX);
        params.projection_multiplier = multiplier(scale * lstm->hidden_scale / hidden->scale);
    }
    return params;
}

enum hy_code hy_cpu_quantized_lstm_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                           struct hy_error *err)
{
    struct lstm_step *lstm = hy_arena_alloc(site->memory, sizeof *lstm);

    if (!lstm)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    enum hy_code code = hy_quantized_lstm_read(site->call, &lstm->lstm, err);
    if (code != HY_OK)
        return code;
    lstm->params = cell_numbers(site->call, &lstm->lstm);
    uint64_t units = lstm->lstm.inputs.units;
    if (!hy_cpu_scratch_take_rows(&step->scratch, HY_LSTM_GATES, units, sizeof(int16_t),
                                  &lstm->values) ||
        !hy_cpu_scratch_take_rows(&step->scratch, 1, units, sizeof(int8_t), &lstm->projected))
        return hy_fail(err, HY_OUT_OF_MEMORY, "its %llu units are too many",
                       (unsigned long long)units);
    step->params = lstm;
    return HY_OK;
}

/* The data of input `index`; NULL where it was left out. */
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

enum hy_code hy_cpu_quantized_lstm_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct lstm_step *lstm = work->params;
    const struct hy_call *call = work->call;
    struct hy_quantized_lstm_params params = lstm->params;
    uint32_t weights = lstm->lstm.inputs.weights;
    int8_t *state = hy_call_output(call, 0)->data, *out = hy_call_output(call, 2)->data;

    (void)err;
    for (uint32_t gate = 0; gate < HY_LSTM_GATES; gate++)
        set_operands(call, &lstm->lstm.inputs, gate, &params.gates[gate]);
    params.projection = data_of(call, weights + HY_LSTM_PROJECTION);
    params.projection_bias = data_of(call, weights + HY_LSTM_PROJECTION_BIAS);
    params.values = (int16_t *)(void *)(work->scratch + lstm->values);
    params.projected = (int8_t *)(work->scratch + lstm->projected);
    hy_quantized_lstm(&params, hy_call_input(call, IN)->data, hy_call_input(call, HIDDEN)->data,
                      hy_call_input(call, STATE)->data, hy_call_output(call, 1)->data, out);
    memcpy(state, out, params.batch * params.outputs);
    return HY_OK;
}
