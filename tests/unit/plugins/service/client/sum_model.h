#ifndef HY_TESTS_SERVICE_SUM_MODEL_H
#define HY_TESTS_SERVICE_SUM_MODEL_H

#include <android/NeuralNetworks.h>
#include <stdint.h>

/* A finished model z = x + y over `count` floats. Returns NULL on failure. */
ANeuralNetworksModel *sum_model(uint32_t count);

#endif
