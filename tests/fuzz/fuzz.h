#ifndef HY_TESTS_FUZZ_FUZZ_H
#define HY_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/*
 * A fuzzer is one file with these two functions. libFuzzer calls the first; fuzz_main.c calls both,
 * so that every fuzzer is also a plain test, with any compiler.
 */

/* The property: returns 0 for any input at all, or aborts with a line on stderr. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A fuzzer may bring this third one, which changes an input and gives its size, at most `most`. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* The usual changes, for such a function: libFuzzer's own, or those of fuzz_main.c. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* Seed number `index`, for the caller to free; NULL behind the last. */
uint8_t *hy_fuzz_seed(unsigned index, size_t *length);

#endif
