#ifndef HY_TESTS_ADDITION_H
#define HY_TESTS_ADDITION_H

#include <android/NeuralNetworks.h>

/* The app of "queue-server": additions of ADDITION_COUNT floats. */
#define ADDITION_COUNT 4

/* A finished model. Failures are recorded. */
ANeuralNetworksModel *addition_make(void);

/* Compiles for the queue device only, to exclude fallback devices. Failures are recorded. */
ANeuralNetworksCompilation *addition_compile(ANeuralNetworksModel *model);

/* A repeatable addition with its tensors. */
struct addition {
    float a[ADDITION_COUNT], b[ADDITION_COUNT], sum[ADDITION_COUNT];
    ANeuralNetworksExecution *execution;
};

/* Returns an ANEURALNETWORKS_ code. */
int addition_init(struct addition *addition, ANeuralNetworksCompilation *compilation);

#endif
