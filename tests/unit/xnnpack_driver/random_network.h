#ifndef HY_TESTS_XNNPACK_RANDOM_NETWORK_H
#define HY_TESTS_XNNPACK_RANDOM_NETWORK_H

#include "random_case.h"

#define NETWORK_TENSORS 64u

/*
 * A float network with splits, joins, reshapes and computations on images of one size, and with
 * outputs at many places. Tests the placement of tensors inside of other tensors.
 */
struct random_network {
    struct hy_builder builder;
    struct hy_random numbers;
    struct {
        uint32_t operand;
        struct hy_builder_type type;
        bool is_output;
    } tensors[NETWORK_TENSORS];
    uint32_t tensor_count;
    float *input;
    uint64_t input_length;
};

void random_network_init(struct random_network *network, uint64_t seed, uint32_t operations);
void random_network_finish(struct random_network *network);

/* Bytes of output number `index` of the model. */
uint64_t random_network_output_length(const struct random_network *network, uint32_t index);

#endif
