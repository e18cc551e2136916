#ifndef HY_TESTS_UNIT_LIBHALYARD_KIT_NETWORK_RUN_H
#define HY_TESTS_UNIT_LIBHALYARD_KIT_NETWORK_RUN_H

#include <android/NeuralNetworks.h>

#include "libhalyard/session/io_binding.h"
#include "tests/unit/tools/kit/tflite_builder.h"

enum { HY_NETWORK_RUN_TENSORS = 4, HY_NETWORK_RUN_BYTES = 4096 };

/* A network from a builder with a reusable execution for any number of runs. Failures to prepare
 * are recorded as test failures. */
struct hy_network_run {
    struct hy_network *network;
    struct hy_states *states;
    struct hy_io_binding *binding;
    ANeuralNetworksCompilation *compilation;
    ANeuralNetworksExecution *execution;
    uint8_t *bytes; /* of the `.tflite` file */
    _Alignas(16) uint8_t inputs[HY_NETWORK_RUN_TENSORS][HY_NETWORK_RUN_BYTES];
    _Alignas(16) uint8_t outputs[HY_NETWORK_RUN_TENSORS][HY_NETWORK_RUN_BYTES];
    struct hy_error err;
};

/* Opens the network and destroys the builder. No close is needed after a failure. */
bool hy_network_run_open(struct hy_network_run *run, struct hy_builder *builder);

/* Opens only the network. Returns the result of hy_network_open; `err` receives its text. */
enum hy_code hy_network_run_try(struct hy_network_run *run, struct hy_builder *builder);

enum hy_code hy_network_run(struct hy_network_run *run);
void hy_network_run_close(struct hy_network_run *run);

#endif
