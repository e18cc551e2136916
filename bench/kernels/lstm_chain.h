#ifndef HY_BENCH_KERNELS_LSTM_CHAIN_H
#define HY_BENCH_KERNELS_LSTM_CHAIN_H

#include <stdbool.h>

#include "bench/kernels/lstm_step.h"

#define HY_LSTM_CHAIN_STATES 2 /* output state and cell state */
#define HY_LSTM_CHAIN_SETS   2 /* of them: one is read, the other one written, in turn */

/* A recurrent network at work: one LSTM step again and again, each from the states of the one
 * before.
 */
struct hy_lstm_chain {
    const struct hy_lstm_step *step;
    ANeuralNetworksMemory *states[HY_LSTM_CHAIN_SETS][HY_LSTM_CHAIN_STATES];
    ANeuralNetworksMemory *zeros; /* what states on a device begin with; NULL: they are shared */
    float *input, *scratch, *output;
    ANeuralNetworksExecution
        *executions[HY_LSTM_CHAIN_SETS]; /* [i] reads set i, writes the other */
};

/* Bytes of one state. */
size_t hy_lstm_state_bytes(const struct hy_lstm_step *step);

/* States in memory made from descriptors, or in shared memory, where they are zero. The step
 * outlives the chain. Finish it in any case. Errors: OUT_OF_MEMORY, FAILED, those of the API. */
HY_MUST_CHECK enum hy_code hy_lstm_chain_init(const struct hy_lstm_step *step, bool on_device,
                                              struct hy_lstm_chain *chain, struct hy_error *err);
void hy_lstm_chain_finish(struct hy_lstm_chain *chain);

/* Zeroes states that are on a device, which hold nothing before. */
HY_MUST_CHECK enum hy_code hy_lstm_chain_start(struct hy_lstm_chain *chain, struct hy_error *err);

/* An even number of steps, so that set 0 is read again by the next run. */
HY_MUST_CHECK enum hy_code hy_lstm_chain_run(struct hy_lstm_chain *chain, uint32_t steps,
                                             struct hy_error *err);

/* Bytes that the runtime has copied in all executions of the step so far. */
HY_MUST_CHECK enum hy_code hy_lstm_step_copied(const struct hy_lstm_step *step, uint64_t *copied,
                                               struct hy_error *err);

#endif
