#ifndef HY_TESTS_XNNPACK_PLUGIN_H
#define HY_TESTS_XNNPACK_PLUGIN_H

#include "support/driver_runner.h"
#include "support/model_builder.h"

#include <android/NeuralNetworks.h>
#include <stdbool.h>

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define I32 ANEURALNETWORKS_TENSOR_INT32
#define QU8 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define QS8 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED
#define QC8 ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL

/* The driver as it is installed: a library, opened once and kept. NULL and a failed test if it
 * cannot be opened. */
const struct hy_driver *xnnpack_plugin(void);

/* Opens its device on the test host. */
bool xnnpack_open(struct hy_runner *runner);

/*
 * Asks about a model of one operation and prepares it, which has to agree. The reason of the
 * refusal, "" if there is none; it stays until the next call.
 */
const char *xnnpack_refusal(struct hy_runner *runner, const struct hy_model *model);

#endif
