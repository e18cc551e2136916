#ifndef HY_TESTS_CPU_FALLBACK_SAMPLES_H
#define HY_TESTS_CPU_FALLBACK_SAMPLES_H

#include "support/model_builder.h"

/*
 * A small network of all operations: CONV_2D with weights that a DEQUANTIZE makes,
 * DEPTHWISE_CONV_2D, ADD of both, AVERAGE_POOL_2D, RESHAPE, FULLY_CONNECTED, SOFTMAX.
 *   input   [batch, 8, 8, 3] float32
 *   output  [batch, 10] float32
 * With batch 0 neither is known: every shape has to come from the request.
 */
#define HY_SAMPLE_PIXELS  (8 * 8 * 3)
#define HY_SAMPLE_CLASSES 10

void hy_sample_network(struct hy_builder *builder, uint32_t batch);

/* `count` numbers in [-1, 1) that look random, always the same. */
void hy_sample_numbers(uint32_t seed, uint32_t count, float *out);

/* The next of a sequence of numbers that look random. */
uint32_t hy_sample_random(uint32_t *state);

#endif
