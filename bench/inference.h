#ifndef HY_BENCH_INFERENCE_H
#define HY_BENCH_INFERENCE_H

#include <android/NeuralNetworks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "libhalyard/tflite/tflite_model.h"

/*
 * A `.tflite` model compiled once, with separate buffers for inputs and outputs, using the public
 * API alone like an app, for measurements and tests. A single thread at a time.
 */
struct hy_inference;
struct hy_network; /* libhalyard/session/network.h */

/* Options of the app. All zero: every device, and the default limits of the reader. */
struct hy_inference_options {
    const char *device;                    /* name of the only device, or NULL for the planner */
    const struct hy_tflite_limits *limits; /* NULL for the defaults */
    bool split_operations; /* each operation is a separate step of the plan, for measurements */
};

/* The capacity in bytes of an output whose shape is known only after a run. */
enum { HY_INFERENCE_OPEN_BYTES = 1 << 16 };

/* The call that starts an inference. */
enum hy_inference_mode {
    HY_INFERENCE_SYNC,   /* a new execution, compute */
    HY_INFERENCE_ASYNC,  /* a new execution, startCompute and the wait for its event */
    HY_INFERENCE_REUSED, /* one reusable execution for all calls, compute */
    HY_INFERENCE_BURST,  /* the same execution, burstCompute on one burst for all calls */
};

/*
 * Reads, converts and compiles. `bytes` must outlive the result. Errors: the errors of the reader
 * and the converter, else the code and the text of the failed API call; HY_BAD_DATA for an unknown
 * device.
 */
HY_MUST_CHECK enum hy_code hy_inference_create(const void *bytes, size_t length,
                                               const struct hy_inference_options *options,
                                               struct hy_inference **out, struct hy_error *err);

/* As hy_inference_create, from a file, which stays mapped until hy_inference_destroy. */
HY_MUST_CHECK enum hy_code hy_inference_open(const char *path,
                                             const struct hy_inference_options *options,
                                             struct hy_inference **out, struct hy_error *err);
/* NULL is ignored. */
void hy_inference_destroy(struct hy_inference *inference);

/* Tensors of the model and their buffers, which are initially zero and never move. */
uint32_t hy_inference_input_count(const struct hy_inference *inference);
uint32_t hy_inference_output_count(const struct hy_inference *inference);
const struct hy_tflite_tensor *hy_inference_input_tensor(const struct hy_inference *inference,
                                                         uint32_t index);
const struct hy_tflite_tensor *hy_inference_output_tensor(const struct hy_inference *inference,
                                                          uint32_t index);
/* The length in the shape derived from the inputs, which may differ from the shape of the file. For
 * a shape known only after a run: the length of the last run, or HY_INFERENCE_OPEN_BYTES before the
 * first run. */
size_t hy_inference_output_bytes(const struct hy_inference *inference, uint32_t index);
void *hy_inference_input(const struct hy_inference *inference, uint32_t index);
const void *hy_inference_output(const struct hy_inference *inference, uint32_t index);

/* Fills the inputs with noise, always the same: floats from -1 to 1, arbitrary bytes; other types
 * are zeros, because indices may be out of range. */
void hy_inference_fill_inputs(struct hy_inference *inference);

/* Runs once from the input buffers to the output buffers. */
HY_MUST_CHECK enum hy_code hy_inference_run(struct hy_inference *inference,
                                            enum hy_inference_mode mode, struct hy_error *err);

/* For queries about the plan and the network. */
ANeuralNetworksCompilation *hy_inference_compilation(const struct hy_inference *inference);
const struct hy_network *hy_inference_network(const struct hy_inference *inference);

#endif
