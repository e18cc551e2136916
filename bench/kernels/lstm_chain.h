#ifndef HY_BENCH_KERNELS_LSTM_CHAIN_H
#define HY_BENCH_KERNELS_LSTM_CHAIN_H

#include <stdbool.h>

#include "bench/kernels/lstm_step.h"

#define HY_LSTM_CHAIN_STATES 2 /* output state and cell state */
/* sets of states: a step reads a set and writes the other set, alternately */
#define HY_LSTM_CHAIN_SETS 2

/* A running recurrent network: repeated LSTM steps, each from the states of the step before. */
struct hy_lstm_chain {
    const struct hy_lstm_step *step;
    ANeuralNetworksMemory *states[HY_LSTM_CHAIN_SETS][HY_LSTM_CHAIN_STATES];
    /* initial contents of states on a device; NULL: the states lie in shared memory */
    ANeuralNetworksMemory *zeros;
    float *input, *scratch, *output;
    ANeuralNetworksExecution
        *executions[HY_LSTM_CHAIN_SETS]; /* [i] reads set i, writes the other */
};

/* Bytes of one state. */
size_t hy_lstm_state_bytes(const struct hy_lstm_step *step);

/* Allocates states in memory made from descriptors, or in shared memory, which is initially zero.
 * The step outlives the chain. The caller must finish the chain also after a failure. Errors:
 * OUT_OF_MEMORY, FAILED, errors of the API. */
HY_MUST_CHECK enum hy_code hy_lstm_chain_init(const struct hy_lstm_step *step, bool on_device,
                                              struct hy_lstm_chain *chain, struct hy_error *err);
void hy_lstm_chain_finish(struct hy_lstm_chain *chain);

/* Zeroes states on a device, which have no contents before. */
HY_MUST_CHECK enum hy_code hy_lstm_chain_start(struct hy_lstm_chain *chain, struct hy_error *err);

/* Runs an even number of steps: the next run reads set 0 again. */
HY_MUST_CHECK enum hy_code hy_lstm_chain_run(struct hy_lstm_chain *chain, uint32_t steps,
                                             struct hy_error *err);

/* Bytes that the runtime has copied in all executions of the step so far. */
HY_MUST_CHECK enum hy_code hy_lstm_step_copied(const struct hy_lstm_step *step, uint64_t *copied,
                                               struct hy_error *err);

#endif
