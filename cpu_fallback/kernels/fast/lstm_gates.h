#ifndef HY_CPU_FALLBACK_KERNELS_FAST_LSTM_GATES_H
#define HY_CPU_FALLBACK_KERNELS_FAST_LSTM_GATES_H

#include <math.h>

#include "cpu_fallback/kernels/fast/simd/exponential.h"
#include "cpu_fallback/kernels/recurrent.h"

/* The gates of a vector of units, in the order of their dependencies. */

/* The units `at` to `at + part`. */
struct span {
    size_t at, part;
};

static inline float clip_of(const struct hy_lstm_row *row)
{
    return row->cell_clip > 0 ? row->cell_clip : INFINITY;
}

/* The input of gate `gate`; `state` is the state seen by the peephole of the gate. */
HY_ALWAYS_INLINE vf sum_of(const struct hy_lstm_row *row, int gate, struct span span, vf state)
{
    const float *peephole = row->peephole[gate];
    const vf sum = vf_add(vf_load_part(row->in[gate] + span.at, span.part),
                          vf_load_part(row->hidden[gate] + span.at, span.part));

    return peephole ? vf_multiply_add(vf_load_part(peephole + span.at, span.part), state, sum)
                    : sum;
}

/* The factor of the old state, and the change added to the state. */
struct opening {
    vf forget, input;
};

HY_ALWAYS_INLINE struct opening opening_of(const struct hy_lstm_row *row, struct span span,
                                           vf state)
{
    const vf forget = vf_logistic(sum_of(row, HY_LSTM_FORGET, span, state));

    return (struct opening){forget, row->in[HY_LSTM_INPUT]
                                        ? vf_logistic(sum_of(row, HY_LSTM_INPUT, span, state))
                                        : vf_sub(vf_set1(1), forget)};
}

HY_ALWAYS_INLINE vf new_state(const struct hy_lstm_row *row, struct span span,
                              struct opening opening, vf state)
{
    const float limit = clip_of(row);
    const vf change = vf_multiply(opening.input, vf_tanh(sum_of(row, HY_LSTM_CELL, span, state)));

    return vf_clamp(vf_multiply_add(opening.forget, state, change), vf_set1(-limit),
                    vf_set1(limit));
}

/* `state` is the new state. */
HY_ALWAYS_INLINE vf output_gate(const struct hy_lstm_row *row, struct span span, vf state)
{
    return vf_logistic(sum_of(row, HY_LSTM_OUTPUT, span, state));
}

#endif
