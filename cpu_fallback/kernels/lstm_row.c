#include <math.h>

#include "cpu_fallback/kernels/reference/reference.h"

static float logistic(float x)
{
    return 1 / (1 + expf(-x));
}

/* NaN passes. */
static float clip(float limit, float x)
{
    return limit <= 0 ? x : x < -limit ? -limit : x > limit ? limit : x;
}

static float sum_of(const struct hy_lstm_row *row, int gate, size_t u, float state)
{
    const float *peephole = row->peephole[gate];
    return row->in[gate][u] + row->hidden[gate][u] + (peephole ? peephole[u] * state : 0);
}

void hy_lstm_row(const struct hy_lstm_row *row, float *state, float *out)
{
    for (size_t u = 0; u < row->units; u++) {
        const float c = state[u];
        const float forget = logistic(sum_of(row, HY_LSTM_FORGET, u, c));
        const float input =
            row->in[HY_LSTM_INPUT] ? logistic(sum_of(row, HY_LSTM_INPUT, u, c)) : 1 - forget;
        const float update = tanhf(sum_of(row, HY_LSTM_CELL, u, c));

        state[u] = clip(row->cell_clip, forget * c + input * update);
        out[u] = logistic(sum_of(row, HY_LSTM_OUTPUT, u, state[u])) * tanhf(state[u]);
    }
}
