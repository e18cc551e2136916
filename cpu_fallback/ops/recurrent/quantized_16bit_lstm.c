#include "cpu_fallback/kernels/quantized_lstm.h"

#include "common/inference/infer_quantized_lstm.h"
#include "cpu_fallback/ops/elements/floats.h"
#include "cpu_fallback/ops/ops.h"

struct lstm_step {
    struct hy_quantized_16bit_lstm_params params; /* without pointers */
    size_t gates;                                 /* offset in scratch */
};

enum hy_code hy_cpu_quantized_16bit_lstm_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                                 struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_quantized_16bit_lstm read;
    enum hy_code code = hy_quantized_16bit_lstm_read(ctx->call, &read, err);

    if (code != HY_OK)
        return code;
    struct lstm_step *lstm = hy_arena_alloc(ctx->memory, sizeof *lstm);
    if (!lstm)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    *lstm = (struct lstm_step){
        .params =
            {
                .batch = read.batch,
                .inputs = read.inputs,
                .units = read.units,
                .weight_zero_point = hy_call_input(ctx->call, 1)->zero_point,
                .multiplier =
                    hy_multiplier_from_double(4096 * (double)hy_call_input(ctx->call, 9)->scale),
            },
    };
    if (!hy_cpu_scratch_alloc_rows(&step->scratch, HY_LSTM_GATES, read.units, sizeof(int16_t),
                                   &lstm->gates))
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u units are too many", read.units);
    step->params = lstm;
    return HY_OK;
}

enum hy_code hy_cpu_quantized_16bit_lstm_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct lstm_step *lstm = work->params;
    struct hy_quantized_16bit_lstm_params params = lstm->params;

    (void)err;
    for (uint32_t gate = 0; gate < HY_LSTM_GATES; gate++) {
        params.weights[gate] = hy_call_input(work->call, 1 + gate)->data;
        params.recurrent[gate] = hy_call_input(work->call, 5 + gate)->data;
        params.bias[gate] = hy_call_input(work->call, 9 + gate)->data;
    }
    params.gates = (int16_t *)(void *)(work->scratch + lstm->gates);
    hy_quantized_16bit_lstm(
        &params, hy_call_input(work->call, 0)->data, hy_call_input(work->call, 14)->data,
        hy_call_input(work->call, 13)->data, hy_call_output(work->call, 0)->data,
        hy_call_output(work->call, 1)->data);
    return HY_OK;
}
