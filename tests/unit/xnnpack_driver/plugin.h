#ifndef HY_TESTS_XNNPACK_PLUGIN_H
#define HY_TESTS_XNNPACK_PLUGIN_H

#include "tests/kit/driver_runner.h"
#include "tests/kit/model_builder.h"

#include <android/NeuralNetworks.h>
#include <stdbool.h>

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define I32 ANEURALNETWORKS_TENSOR_INT32
#define QU8 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define QS8 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED
#define QC8 ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL

/* The installed driver library, opened once. On failure records a test failure and returns NULL. */
const struct hy_driver *xnnpack_plugin(void);

/* Opens the driver's device on the test host. */
bool xnnpack_open(struct hy_runner *runner);

/*
 * Asks for the support of a model with a single operation, and prepares the model. Both results
 * must agree. Returns the reason of the refusal, or "" if supported. Valid until the next call.
 */
const char *xnnpack_refusal(struct hy_runner *runner, const struct hy_model *model);

#endif
