/*
 * Decides which operations the sample device supports, and converts operations to steps. The same
 * function serves supported_operations and prepare, so both always agree.
 */
#ifndef SAMPLE_OPERATIONS_H
#define SAMPLE_OPERATIONS_H

#include "kernels.h"

#include <halyard/driver.h>

#include <stdbool.h>

/* The default operations of a device, as bits 1 << SAMPLE_*. A manifest must name LSTM and the
 * extension explicitly. */
#define SAMPLE_STANDARD_OPERATIONS 15u

/* Limits of a tensor. The number of elements is small enough for 32-bit index arithmetic. */
#define SAMPLE_MAX_RANK     4u
#define SAMPLE_MAX_ELEMENTS (UINT64_C(1) << 28)

/* Bits of a set of tensor types. */
#define SAMPLE_FLOAT_TENSORS     1u
#define SAMPLE_QUANTISED_TENSORS 2u
#define SAMPLE_ALL_TENSORS       3u

/*
 * The extension of this driver. It has one operation and no operand types:
 * code 0, LEAKY_RELU: output = input < 0 ? slope * input : input
 *     input 0   tensor, float32, rank 1 to 4
 *     input 1   slope, constant float32 scalar
 *     output 0  tensor as input 0
 */
#define SAMPLE_EXTENSION            "org.halyard.sample"
#define SAMPLE_EXTENSION_LEAKY_RELU 0

/* A model and the settings of the device. */
struct sample_source {
    struct hy_model_reader reader;
    uint32_t operations; /* bits: the operations of the device; `types` is a set of tensor types */
    uint32_t types;
};

/* Names in the order of the bits, terminated by NULL. */
extern const char *const sample_operation_names[];
extern const char *const sample_type_names[];

/* Converts an operation to a step. False: not supported; `source->reader.reason` has the reason,
 * and `step` may have changed. */
bool sample_step_make(struct sample_source *source, const struct hy_operation *operation,
                      struct sample_step *step);

/* Runs a step with its kernel. sample_step_work_bytes is the size of the scratch memory in bytes.
 */
sample_kernel sample_step_run;
uint64_t sample_step_work_bytes(const struct sample_step *step);

/* Whether the inputs of a request are sufficient for the step; omitted inputs are NULL. */
bool sample_step_is_whole(const struct sample_step *step, const uint8_t *const *inputs);

#endif
