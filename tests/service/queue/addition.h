#ifndef HY_TESTS_ADDITION_H
#define HY_TESTS_ADDITION_H

#include <android/NeuralNetworks.h>

/* What the app of "queue-server" does: additions of so many floats. */
#define ADDITION_COUNT 4

/* Finished. Failures are recorded. */
ANeuralNetworksModel *addition_make(void);

/* For that device alone, so that nobody helps out. Failures are recorded. */
ANeuralNetworksCompilation *addition_compile(ANeuralNetworksModel *model);

/* One addition again and again, with its tensors. */
struct addition {
    float a[ADDITION_COUNT], b[ADDITION_COUNT], sum[ADDITION_COUNT];
    ANeuralNetworksExecution *execution;
};

/* Gives an ANEURALNETWORKS_ code. */
int addition_init(struct addition *addition, ANeuralNetworksCompilation *compilation);

#endif
