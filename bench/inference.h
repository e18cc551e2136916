#ifndef HY_BENCH_INFERENCE_H
#define HY_BENCH_INFERENCE_H

#include <android/NeuralNetworks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "libhalyard/tflite/tflite_model.h"

/*
 * A `.tflite` model compiled once, with buffers of its own for inputs and outputs, through the
 * public API alone: what an app does, for measurements and tests. One thread at a time.
 */
struct hy_inference;
struct hy_network; /* libhalyard/session/network.h */

/* What the app asks for. All zeroed: every device, the reader's own limits. */
struct hy_inference_options {
    const char *device;                    /* name of the one device, or NULL for the planner */
    const struct hy_tflite_limits *limits; /* NULL for the defaults */
    bool split_operations; /* each operation is a step of the plan, to be measured alone */
};

/* What an output has room for whose shape only a run can tell. */
enum { HY_INFERENCE_OPEN_BYTES = 1 << 16 };

/* How one inference is started. */
enum hy_inference_mode {
    HY_INFERENCE_SYNC,   /* a new execution, compute */
    HY_INFERENCE_ASYNC,  /* a new execution, startCompute and the wait for its event */
    HY_INFERENCE_REUSED, /* one reusable execution for all calls, compute */
    HY_INFERENCE_BURST,  /* the same execution, burstCompute on one burst for all calls */
};

/*
 * Reads, converts and compiles. `bytes` must outlive the result. Errors: those of the reader and
 * the converter, else the code and words of the API call that failed; HY_BAD_DATA for a device
 * that is not there.
 */
HY_MUST_CHECK enum hy_code hy_inference_create(const void *bytes, size_t length,
                                               const struct hy_inference_options *options,
                                               struct hy_inference **out, struct hy_error *err);

/* The same from a file, which stays mapped until the end. */
HY_MUST_CHECK enum hy_code hy_inference_open(const char *path,
                                             const struct hy_inference_options *options,
                                             struct hy_inference **out, struct hy_error *err);
void hy_inference_destroy(struct hy_inference *inference); /* takes NULL */

/* Tensors of the model and their buffers, which are zeroed at first and stay where they are. */
uint32_t hy_inference_input_count(const struct hy_inference *inference);
uint32_t hy_inference_output_count(const struct hy_inference *inference);
const struct hy_tflite_tensor *hy_inference_input_tensor(const struct hy_inference *inference,
                                                         uint32_t index);
const struct hy_tflite_tensor *hy_inference_output_tensor(const struct hy_inference *inference,
                                                          uint32_t index);
/* In the shape that follows from the inputs, where the file's may be another; where only a run can
 * tell the shape, that of the last run, or room for HY_INFERENCE_OPEN_BYTES before the first. */
size_t hy_inference_output_bytes(const struct hy_inference *inference, uint32_t index);
void *hy_inference_input(const struct hy_inference *inference, uint32_t index);
const void *hy_inference_output(const struct hy_inference *inference, uint32_t index);

/* With noise, always the same: floats from -1 to 1, any bytes; other types are zeros, since indices
 * may be out of range. */
void hy_inference_fill_inputs(struct hy_inference *inference);

/* From the input buffers to the output buffers, once. */
HY_MUST_CHECK enum hy_code hy_inference_run(struct hy_inference *inference,
                                            enum hy_inference_mode mode, struct hy_error *err);

/* For questions about the plan, and about the network. */
ANeuralNetworksCompilation *hy_inference_compilation(const struct hy_inference *inference);
const struct hy_network *hy_inference_network(const struct hy_inference *inference);

#endif
