#include "cpu_fallback/kernels/element.h"

#include <math.h>

#include "cpu_fallback/kernels/fast/exponential.h"
#include "cpu_fallback/kernels/fast/fast.h"

/* The gates of a vector of units, from their sums to the new state, without a detour by memory.
 * What waits for the state of a vector comes for all of them at last, when none waits any more. */

/* Units `at` to `at + part`. */
struct span {
    size_t at, part;
};

/* What goes into gate `gate`; `state` is what its peephole sees. */
HY_ALWAYS_INLINE vf sum_of(const struct hy_lstm_row *row, int gate, struct span span, vf state)
{
    const float *peephole = row->peephole[gate];
    const vf sum = vf_add(vf_load_part(row->in[gate] + span.at, span.part),
                          vf_load_part(row->hidden[gate] + span.at, span.part));

    return peephole ? vf_multiply_add(vf_load_part(peephole + span.at, span.part), state, sum)
                    : sum;
}

HY_ALWAYS_INLINE void update(const struct hy_lstm_row *row, struct span span, float limit,
                             float *state, float *out)
{
    vf c = vf_load_part(state + span.at, span.part);
    const vf forget = vf_logistic(sum_of(row, HY_LSTM_FORGET, span, c));
    const vf input = row->in[HY_LSTM_INPUT] ? vf_logistic(sum_of(row, HY_LSTM_INPUT, span, c))
                                            : vf_sub(vf_set1(1), forget);
    const vf change = vf_multiply(input, vf_tanh(sum_of(row, HY_LSTM_CELL, span, c)));

    c = vf_clamp(vf_multiply_add(forget, c, change), vf_set1(-limit), vf_set1(limit));
    vf_store_part(state + span.at, c, span.part);
    vf_store_part(out + span.at, vf_logistic(sum_of(row, HY_LSTM_OUTPUT, span, c)), span.part);
}

/* From the output gate, which is in `out`, to the hidden state. */
HY_ALWAYS_INLINE void finish(struct span span, const float *state, float *out)
{
    const vf change = vf_tanh(vf_load_part(state + span.at, span.part));
    vf_store_part(out + span.at, vf_multiply(vf_load_part(out + span.at, span.part), change),
                  span.part);
}

void HY_SIMD_FN(lstm_row)(const struct hy_lstm_row *row, float *state, float *out)
{
    const float limit = row->cell_clip > 0 ? row->cell_clip : INFINITY;
    const size_t whole = row->units / HY_LANES * HY_LANES;
    const struct span last = {whole, row->units - whole};

    for (size_t u = 0; u < whole; u += HY_LANES)
        update(row, (struct span){u, HY_LANES}, limit, state, out);
    if (last.part > 0)
        update(row, last, limit, state, out);
    for (size_t u = 0; u < whole; u += HY_LANES)
        finish((struct span){u, HY_LANES}, state, out);
    if (last.part > 0)
        finish(last, state, out);
}
