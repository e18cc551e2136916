#ifndef HY_TESTS_UNIT_CPU_FALLBACK_KIT_SAMPLES_H
#define HY_TESTS_UNIT_CPU_FALLBACK_KIT_SAMPLES_H

#include <stdbool.h>

#include "tests/kit/model_builder.h"

/*
 * A small network with several operations: CONV_2D with dequantised weights, DEPTHWISE_CONV_2D, ADD
 * of both results, AVERAGE_POOL_2D, RESHAPE, FULLY_CONNECTED, SOFTMAX.
 *
 *   input   [batch, 8, 8, 3] float32
 *   output  [batch, 10] float32
 *
 * With batch 0 all shapes are unknown until the request.
 */
#define HY_SAMPLE_PIXELS  (8 * 8 * 3)
#define HY_SAMPLE_CLASSES 10

void hy_sample_network(struct hy_builder *builder, uint32_t batch);

/*
 * An 8-bit CONV_2D of one pixel, [1, 1, 1, 8] to [1, 1, 1, channels], with a scale per output
 * channel. With `is_shared` the model outputs the dequantised filter, too: [channels, 1, 1, 8].
 */
#define HY_SAMPLE_MOST_CHANNELS 96u

void hy_sample_per_channel(struct hy_builder *builder, uint32_t channels, bool is_shared);

/*
 * UNIDIRECTIONAL_SEQUENCE_LSTM with tanh: [steps, 1, inputs] to [steps, 1, units], float32.
 * Weights, biases and initial states are constant; other operands are omitted.
 */
#define HY_SAMPLE_MOST_WEIGHTS 4096u /* per matrix */

void hy_sample_lstm(struct hy_builder *builder, uint32_t steps, uint32_t inputs, uint32_t units);

/* `count` pseudorandom numbers in [-1, 1), determined by the seed. */
void hy_sample_numbers(uint32_t seed, uint32_t count, float *out);

/* The next number of a pseudorandom sequence. */
uint32_t hy_sample_random(uint32_t *state);

#endif
