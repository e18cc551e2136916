#ifndef HY_TESTS_SERVICE_SUM_MODEL_H
#define HY_TESTS_SERVICE_SUM_MODEL_H

#include <android/NeuralNetworks.h>
#include <stdint.h>

/* z = x + y over so many floats, finished. NULL: some call has failed. */
ANeuralNetworksModel *sum_model(uint32_t count);

#endif
