#include "cpu_fallback/kernels/integer_svdf.h"

#include <string.h>

#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/stop.h"

static uint32_t feature(const struct hy_integer_svdf_params *p, const int8_t *weights,
                        const int8_t *in)
{
    const int16_t zero_point = (int16_t)p->in_zero_point;
    uint32_t sum = 0;

    for (size_t i = 0; i < p->inputs; i++)
        sum += (uint32_t)((int16_t)weights[i] * (int16_t)(in[i] - zero_point));
    return sum;
}

static uint32_t sum_over_time(size_t memory, const int16_t *times, const int16_t *state)
{
    uint32_t sum = 0;

    for (size_t t = 0; t < memory; t++)
        sum += (uint32_t)(times[t] * state[t]);
    return sum;
}

/* Appends the newest value of a filter and returns the sum over time. */
static uint32_t filter(const struct hy_integer_svdf_params *p, size_t number, const int8_t *in,
                       const int16_t *state, int16_t *new_state)
{
    const uint32_t sum = feature(p, p->weights + number * p->inputs, in);
    const int32_t newest = hy_scale_half_away((int32_t)sum, p->feature);

    memmove(new_state, state + 1, (p->memory - 1) * sizeof *state);
    new_state[p->memory - 1] = (int16_t)hy_clamp_int32(newest, INT16_MIN, INT16_MAX);
    return sum_over_time(p->memory, p->times + number * p->memory, new_state);
}

void hy_integer_svdf(const struct hy_integer_svdf_params *params, const int8_t *in,
                     const int16_t *state, int16_t *new_state, int8_t *out)
{
    const size_t units = params->filters / params->rank;

    for (size_t i = 0; i < params->batch * units; i++) {
        const int8_t *row = in + i / units * params->inputs;
        const size_t unit = i % units;
        uint32_t sum = params->bias ? (uint32_t)params->bias[unit] : 0;

        if (hy_stop_after(hy_stop_here(), params->rank * (params->inputs + params->memory)))
            return;
        for (size_t r = 0; r < params->rank; r++) {
            const size_t at = (i * params->rank + r) * params->memory;
            sum += filter(params, unit * params->rank + r, row, state + at, new_state + at);
        }
        const int64_t value =
            (int64_t)hy_scale_half_away((int32_t)sum, params->output) + params->out_zero_point;
        out[i] = (int8_t)hy_clamp_int32(value, INT8_MIN, INT8_MAX);
    }
}
