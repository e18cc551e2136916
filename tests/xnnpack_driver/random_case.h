#ifndef HY_TESTS_XNNPACK_RANDOM_CASE_H
#define HY_TESTS_XNNPACK_RANDOM_CASE_H

#include "plugin.h"

#define RANDOM_CASE_INPUTS  3u
#define RANDOM_CASE_OUTPUTS 4u

struct random_numbers {
    uint64_t state;
};

/* Below `count`; a float in [low, high). */
uint32_t random_below(struct random_numbers *numbers, uint32_t count);
float random_float(struct random_numbers *numbers, float low, float high);

/* A model of one operation with arguments drawn at random, and the bytes of its inputs. Nearly all
 * are valid; the shapes of the outputs are left open. */
struct random_case {
    struct hy_builder builder;
    struct random_numbers numbers;
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
