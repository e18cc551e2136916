#ifndef HY_TESTS_XNNPACK_RANDOM_CASE_H
#define HY_TESTS_XNNPACK_RANDOM_CASE_H

#include "common/random.h"
#include "plugin.h"

#define RANDOM_CASE_INPUTS  3u
#define RANDOM_CASE_OUTPUTS 4u

/* A model of a single operation with random arguments, and the bytes of its inputs. Most cases are
 * valid. Output shapes are left unknown. */
struct random_case {
    struct hy_builder builder;
    struct hy_random numbers;
    int32_t operation;
    void *inputs[RANDOM_CASE_INPUTS];
    uint64_t lengths[RANDOM_CASE_INPUTS];
    int32_t output_types[RANDOM_CASE_OUTPUTS];
    uint32_t input_count, output_count;
};

/* Number of known operations; `operation` must be below. */
uint32_t random_case_operations(void);
void random_case_init(struct random_case *random, uint32_t operation, uint64_t seed);
void random_case_finish(struct random_case *random);

#endif
