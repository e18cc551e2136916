#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/lstm_gates.h"

/* Computes all gates of a row, from the sums to the new state, in registers. The function of the
 * new state follows in a second pass, because computing it here would wait for each vector's
 * state. */

HY_ALWAYS_INLINE void update(const struct hy_lstm_row *row, struct span span, float *state,
                             float *out)
{
    vf c = vf_load_part(state + span.at, span.part);

    c = new_state(row, span, opening_of(row, span, c), c);
    vf_store_part(state + span.at, c, span.part);
    vf_store_part(out + span.at, output_gate(row, span, c), span.part);
}

/* Multiplies the output gate, stored in `out`, by tanh of the state. */
HY_ALWAYS_INLINE void finish(struct span span, const float *state, float *out)
{
    const vf change = vf_tanh(vf_load_part(state + span.at, span.part));
    vf_store_part(out + span.at, vf_multiply(vf_load_part(out + span.at, span.part), change),
                  span.part);
}

void HY_SIMD_FN(lstm_row)(const struct hy_lstm_row *row, float *state, float *out)
{
    const size_t whole = row->units / HY_LANES * HY_LANES;
    const struct span last = {whole, row->units - whole};

    for (size_t u = 0; u < whole; u += HY_LANES)
        update(row, (struct span){u, HY_LANES}, state, out);
    if (last.part > 0)
        update(row, last, state, out);
    for (size_t u = 0; u < whole; u += HY_LANES)
        finish((struct span){u, HY_LANES}, state, out);
    if (last.part > 0)
        finish(last, state, out);
}
