#ifndef HY_TESTS_RUNTIME_SMALL_MODEL_H
#define HY_TESTS_RUNTIME_SMALL_MODEL_H

#include <android/NeuralNetworks.h>
#include <stdbool.h>

/*
 * A model of two operations, y = RELU(x * 3 + 0.5), using only the public API. Records no test
 * failures, so any thread or process may call the functions. NULL or false means a failed call.
 */
#define SMALL_EXTENT 4u

/* A finished model. */
ANeuralNetworksModel *small_model(void);

/* A finished compilation with a priority, for all devices. */
ANeuralNetworksCompilation *small_compile(ANeuralNetworksModel *model, int priority);

/* An execution with its buffers. */
struct small_run {
    float in[SMALL_EXTENT], out[SMALL_EXTENT];
    ANeuralNetworksExecution *execution;
};

/* Input values are determined by `seed`. */
bool small_run_init(struct small_run *run, ANeuralNetworksCompilation *compilation, bool reusable);
void small_run_fill(struct small_run *run, unsigned seed);
bool small_run_is_right(const struct small_run *run);
void small_run_finish(struct small_run *run);

/* Three ways to run, including the wait for the result. */
bool small_run_compute(struct small_run *run);
bool small_run_burst(struct small_run *run, ANeuralNetworksBurst *burst);
bool small_run_start(struct small_run *run);

/* Creates everything from the model on, and runs once in each of the four ways. */
bool small_life(unsigned seed);

#endif
