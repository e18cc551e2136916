#ifndef HY_TESTS_FUZZ_FUZZ_H
#define HY_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/*
 * A fuzzer is one file with LLVMFuzzerTestOneInput and hy_fuzz_seed. libFuzzer calls only the first
 * function. fuzz_main.c calls both, so every fuzzer is also a plain test with any compiler.
 */

/* The tested property: returns 0 for any input, or aborts with a line on stderr. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Optional: changes an input and returns its new size, at most `most`. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* The standard changes for a custom mutator, from libFuzzer or from fuzz_main.c. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* Seed number `index`, freed by the caller. Returns NULL behind the last seed. */
uint8_t *hy_fuzz_seed(unsigned index, size_t *length);

#endif
