#ifndef HY_CPU_FALLBACK_PROGRAM_CHOICE_H
#define HY_CPU_FALLBACK_PROGRAM_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How the work of an operation is cut. Whatever is chosen, results are the same to the bit: what
 * differs is the order in which outputs are computed, and by whom.
 */
struct hy_cpu_choice {
    uint32_t block; /* as in hy_conv_params */
    bool is_made;   /* or a rule decides */
};

#define HY_CPU_BLOCKS 4u

/* The blocks that an operation can be cut to. The rule's is the first. */
struct hy_cpu_choices {
    uint32_t taken;
    uint32_t count;
    uint32_t blocks[HY_CPU_BLOCKS];
};

#endif
