#ifndef HY_TESTS_FUZZ_CORRUPTED_VECTOR_H
#define HY_TESTS_FUZZ_CORRUPTED_VECTOR_H

#include "common/random.h"
#include "tools/vectors/vector.h"

/*
 * Copies a test with a few wrong numbers in one of its models or in its first example: extents,
 * ranks, scales, parameters, NaN or infinite values. Every value keeps the size required by its
 * operand's extents. Most copies have no output extents in the model. The same random state gives
 * the same copy with any compiler. Ends the program if out of memory.
 */
void hy_vector_corrupt(const struct hy_vector *vector, struct hy_random *chance,
                       struct hy_arena *arena, struct hy_vector *out);

#endif
