#ifndef HY_TESTS_FUZZ_TFLITE_MUTATOR_H
#define HY_TESTS_FUZZ_TFLITE_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

/*
 * Changes the structure of a `.tflite` file: operators, tensors, shapes, types, quantisation,
 * indices, options, constants, buffers and their places, sub-graphs, signatures, sparsity. What
 * comes out is a FlatBuffer again, so that most files go far beyond the reader. Gives the new
 * length, at most `most`; 0 where the bytes are no such file, or the changed file does not fit.
 */
size_t hy_tflite_mutate(uint8_t *data, size_t size, size_t most, uint64_t seed);

#endif
