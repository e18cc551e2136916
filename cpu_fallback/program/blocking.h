#ifndef HY_CPU_FALLBACK_PROGRAM_BLOCKING_H
#define HY_CPU_FALLBACK_PROGRAM_BLOCKING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Blocking: how the work of an operation is divided. Results are the same bits for every blocking;
 * only the order of computation and the threads differ.
 */
struct hy_cpu_blocking {
    uint32_t block; /* hy_conv_params.block */
    bool is_made;   /* false: the rule decides */
};

#define HY_CPU_BLOCKS 4u

/* The block sizes to choose from. The first is the rule's. */
struct hy_cpu_blockings {
    uint32_t selected;
    uint32_t count;
    uint32_t blocks[HY_CPU_BLOCKS];
};

#endif
