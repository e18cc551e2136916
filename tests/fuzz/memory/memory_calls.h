#ifndef HY_TESTS_FUZZ_MEMORY_MEMORY_CALLS_H
#define HY_TESTS_FUZZ_MEMORY_MEMORY_CALLS_H

#include <stdint.h>

/*
 * `count` memory calls in random order, the same for a seed: descriptors, memory, copies,
 * executions that run once or again and again, on two devices with memory of their own and one
 * without, which fail now and then, and on halyard-cpu. Each answer, and what memory holds, is
 * compared with memory_model.h; a difference is told with the seed, and ends the process.
 */
void hy_memory_calls(uint64_t seed, uint32_t count);

/*
 * The same calls by several threads on memory that they share. What a call answers is then open
 * within the codes that it can have; that nothing is lost or torn is for sanitizers to see.
 */
void hy_memory_calls_at_once(uint64_t seed, uint32_t count, unsigned threads);

#endif
