#ifndef HY_TESTS_LIBHALYARD_KIT_NETWORK_RUN_H
#define HY_TESTS_LIBHALYARD_KIT_NETWORK_RUN_H

#include <android/NeuralNetworks.h>

#include "libhalyard/session/io_binding.h"
#include "tests/tools/kit/tflite_builder.h"

enum { HY_NETWORK_RUN_TENSORS = 4, HY_NETWORK_RUN_BYTES = 4096 };

/* A network of a builder that runs as often as a test wants, with one reusable execution. A failure
 * to make one is a failure of the test. */
struct hy_network_run {
    struct hy_network *network;
    struct hy_states *states;
    struct hy_io_binding *binding;
    ANeuralNetworksCompilation *compilation;
    ANeuralNetworksExecution *execution;
    uint8_t *bytes; /* of the file */
    _Alignas(16) uint8_t inputs[HY_NETWORK_RUN_TENSORS][HY_NETWORK_RUN_BYTES];
    _Alignas(16) uint8_t outputs[HY_NETWORK_RUN_TENSORS][HY_NETWORK_RUN_BYTES];
    struct hy_error err;
};

/* Destroys the builder. On failure there is nothing to close. */
bool hy_network_run_open(struct hy_network_run *run, struct hy_builder *builder);

/* The same up to the network; the result is that of hy_network_open, and `err` has its words. */
enum hy_code hy_network_run_try(struct hy_network_run *run, struct hy_builder *builder);

enum hy_code hy_network_run(struct hy_network_run *run);
void hy_network_run_close(struct hy_network_run *run);

#endif
