#ifndef HY_TESTS_FUZZ_MEMORY_MEMORY_CALLS_H
#define HY_TESTS_FUZZ_MEMORY_MEMORY_CALLS_H

#include <stdint.h>

/*
 * Makes `count` random memory calls, determined by the seed: descriptors, memory, copies, and
 * one-time and reusable executions. The devices are two fake devices with their own memory, a fake
 * device without memory, and halyard-cpu; the two with memory fail now and then. Compares each
 * result and the contents of memory with memory_model.h. A difference is printed with the seed and
 * ends the process.
 */
void hy_memory_calls(uint64_t seed, uint32_t count);

/*
 * Makes the same calls from several threads on shared memory. The result of a call is only checked
 * against its possible codes. Sanitizers check for leaks and data races.
 */
void hy_memory_calls_at_once(uint64_t seed, uint32_t count, unsigned threads);

#endif
