#ifndef HY_TESTS_UNIT_TOOLS_KIT_TFLITE_SAMPLES_H
#define HY_TESTS_UNIT_TOOLS_KIT_TFLITE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

/* Small complete models for tests and fuzzer seeds. The caller frees the bytes. */

/* int8 CONV_2D with per-channel weights, then RESHAPE, FULLY_CONNECTED, SOFTMAX. */
uint8_t *hy_sample_convolution(size_t *length);

/* IF over two sub-graphs, a custom operator, a dynamic dimension. */
uint8_t *hy_sample_branches(size_t *length);

/* A WHILE with additions to a variable, initialised by a CALL_ONCE; two signatures. */
uint8_t *hy_sample_loop(size_t *length);

/* A box around landmarks, the image in the box, and landmarks of the box: custom operators. */
uint8_t *hy_sample_landmarks(size_t *length);

#endif
