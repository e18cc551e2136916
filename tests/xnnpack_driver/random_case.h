#ifndef HY_TESTS_XNNPACK_RANDOM_CASE_H
#define HY_TESTS_XNNPACK_RANDOM_CASE_H

#include "common/random.h"
#include "plugin.h"

#define RANDOM_CASE_INPUTS  3u
#define RANDOM_CASE_OUTPUTS 4u

/* A model of one operation with arguments drawn at random, and the bytes of its inputs. Nearly all
 * are valid; the shapes of the outputs are left open. */
struct random_case {
    struct hy_builder builder;
    struct hy_random numbers;
    int32_t operation;
    void *inputs[RANDOM_CASE_INPUTS];
    uint64_t lengths[RANDOM_CASE_INPUTS];
    int32_t output_types[RANDOM_CASE_OUTPUTS];
    uint32_t input_count, output_count;
};

/* How many operations it knows; `operation` below that is one of them. */
uint32_t random_case_operations(void);
void random_case_init(struct random_case *random, uint32_t operation, uint64_t seed);
void random_case_finish(struct random_case *random);

#endif
