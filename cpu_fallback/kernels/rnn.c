#include <math.h>
#include <string.h>

#include "cpu_fallback/kernels/recurrent.h"

/* The comparisons let NaN pass. */
static float activate(int32_t activation, float x)
{
    float least = activation == 2 ? -1.0f : 0.0f;
    float most = activation == 1 ? INFINITY : activation == 2 ? 1.0f : 6.0f;

    switch (activation) {
    case 1:
    case 2:
    case 3:
        return x < least ? least : x > most ? most : x;
    case 4:
        return tanhf(x);
    case 6:
        return 1 / (1 + expf(-x));
    default:
        return x;
    }
}

void hy_cell_activate(int32_t activation, size_t count, float *values)
{
    for (size_t i = 0; activation != 0 && i < count; i++)
        values[i] = activate(activation, values[i]);
}

void hy_rnn_step(const void *cell, const float *in, const float *aux, float *hidden, float *state)
{
    const struct hy_rnn_cell *rnn = cell;
    size_t units = rnn->units, count = rnn->batch * units;
    (void)state;

    for (size_t b = 0; b < rnn->batch; b++)
        memcpy(rnn->sums + b * units, rnn->bias, units * sizeof *rnn->bias);
    rnn->matvec(&(struct hy_matvec_shape){rnn->batch, units, rnn->inputs}, rnn->weights, in,
                rnn->sums);
    if (rnn->aux_weights)
        rnn->matvec(&(struct hy_matvec_shape){rnn->batch, units, rnn->aux_inputs}, rnn->aux_weights,
                    aux, rnn->sums);
    rnn->matvec(&(struct hy_matvec_shape){rnn->batch, units, units}, rnn->recurrent, hidden,
                rnn->sums);
    hy_cell_activate(rnn->activation, count, rnn->sums);
    memcpy(hidden, rnn->sums, count * sizeof *hidden);
}
