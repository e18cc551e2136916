#ifndef HY_TESTS_RUNTIME_SMALL_MODEL_H
#define HY_TESTS_RUNTIME_SMALL_MODEL_H

#include <android/NeuralNetworks.h>
#include <stdbool.h>

/*
 * A model of two operations, made and run through the public API alone: y = RELU(x * 3 + 0.5).
 * Nothing here records failures, so that any thread and any process may use it: NULL or false says
 * that some call has failed.
 */
#define SMALL_EXTENT 4u

/* Finished. */
ANeuralNetworksModel *small_model(void);

/* Finished, with a priority, for all devices. */
ANeuralNetworksCompilation *small_compile(ANeuralNetworksModel *model, int priority);

/* An execution with its buffers. */
struct small_run {
    float in[SMALL_EXTENT], out[SMALL_EXTENT];
    ANeuralNetworksExecution *execution;
};

/* Inputs are numbers that follow from `seed`. */
bool small_run_init(struct small_run *run, ANeuralNetworksCompilation *compilation, bool reusable);
void small_run_fill(struct small_run *run, unsigned seed);
bool small_run_is_right(const struct small_run *run);
void small_run_finish(struct small_run *run);

/* The three ways to run what is filled, up to the result. */
bool small_run_compute(struct small_run *run);
bool small_run_burst(struct small_run *run, ANeuralNetworksBurst *burst);
bool small_run_start(struct small_run *run);

/* Everything from the model on, for one run in each of the four ways. */
bool small_life(unsigned seed);

#endif
