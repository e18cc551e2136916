#ifndef HY_TESTS_FUZZ_SPOILED_VECTOR_H
#define HY_TESTS_FUZZ_SPOILED_VECTOR_H

#include "common/random.h"
#include "tools/vectors/vector.h"

/*
 * A copy of a test with a few wrong numbers in one of its models or the first example: other
 * extents, ranks, scales, parameters, values that are no numbers. Every value still has the bytes
 * that its operand's extents ask for. Mostly the model does not say what extents outputs have. The
 * same chance gives the same copy, whatever the compiler. Out of memory ends the program.
 */
void hy_vector_spoil(const struct hy_vector *vector, struct hy_random *chance,
                     struct hy_arena *arena, struct hy_vector *out);

#endif
