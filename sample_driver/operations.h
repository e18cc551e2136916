/*
 * Which operations the sample device takes, and how they become steps. One function answers both
 * "do you support this?" and "compile this", so the two answers cannot differ.
 */
#ifndef SAMPLE_OPERATIONS_H
#define SAMPLE_OPERATIONS_H

#include "kernels.h"

#include <halyard/driver.h>

#include <stdbool.h>

/* The operations of a device whose manifest names none, as bits 1 << SAMPLE_*. LSTM and the
 * extension are asked for by name alone. */
#define SAMPLE_STANDARD_OPERATIONS 15u

/* Of a tensor: few enough elements for index arithmetic in 32 bits. */
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

/* A model to take operations from. */
struct sample_source {
    struct hy_model_reader reader;
    uint32_t operations; /* bits: the operations of this device, `types` its tensors */
    uint32_t types;
};

/* Names in the order of the bits; NULL ends them. */
extern const char *const sample_operation_names[];
extern const char *const sample_type_names[];

/* Works an operation out. False: not supported, `source->reader.reason` says why; `step` may have
 * changed. */
bool sample_step_make(struct sample_source *source, const struct hy_operation *operation,
                      struct sample_step *step);

/* Runs a step, as its kernel does. */
sample_kernel sample_step_run;
uint64_t sample_step_work_bytes(const struct sample_step *step);

/* Whether what a request has not left out is enough for the step. */
bool sample_step_is_whole(const struct sample_step *step, const uint8_t *const *inputs);

#endif
