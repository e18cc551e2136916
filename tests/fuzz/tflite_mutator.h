#ifndef HY_TESTS_FUZZ_TFLITE_MUTATOR_H
#define HY_TESTS_FUZZ_TFLITE_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

/*
 * Changes the structure of a `.tflite` file: operators, tensors, shapes, types, quantisation,
 * indices, options, constants, buffers and their offsets, sub-graphs, signatures, sparsity. The
 * result is a valid FlatBuffer, so most results pass the reader and exercise later stages. Returns
 * the new length, at most `most`. Returns 0 if the input is not a `.tflite` file or the result does
 * not fit.
 */
size_t hy_tflite_mutate(uint8_t *data, size_t size, size_t most, uint64_t seed);

#endif
