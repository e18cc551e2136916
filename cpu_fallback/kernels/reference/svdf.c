#include <string.h>

#include "cpu_fallback/kernels/recurrent.h"
#include "cpu_fallback/kernels/stop.h"

/* Appends the newest value, returns the sum weighted by time, and drops the oldest value. */
static float filter(size_t memory, float newest, const float *times, float *state)
{
    float sum = 0;

    state[memory - 1] = newest;
    for (size_t t = 0; t < memory; t++)
        sum += state[t] * times[t];
    memmove(state, state + 1, (memory - 1) * sizeof *state);
    state[memory - 1] = 0;
    return sum;
}

void hy_svdf(const struct hy_svdf_params *params, const float *in, float *state, float *out)
{
    size_t filters = params->filters, memory = params->memory, units = filters / params->rank;
    struct hy_stop_watch *watch = hy_stop_here();

    memset(params->newest, 0, params->batch * filters * sizeof *params->newest);
    params->kernels.matvec(&(struct hy_matvec_shape){params->batch, filters, params->inputs},
                           params->weights, in, params->newest);
    for (size_t i = 0; i < params->batch * units; i++)
        out[i] = params->bias ? params->bias[i % units] : 0;
    for (size_t i = 0; i < params->batch * filters && !hy_stop_after(watch, memory); i++)
        out[i / params->rank] += filter(memory, params->newest[i],
                                        params->times + i % filters * memory, state + i * memory);
    hy_cell_activate(&params->kernels, params->activation, params->batch * units, out);
}
