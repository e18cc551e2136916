#ifndef HY_CPU_FALLBACK_CHOICE_H
#define HY_CPU_FALLBACK_CHOICE_H

#include <stdint.h>

/*
 * How the work of an operation is cut. Whatever is chosen, results are the same to the bit: what
 * differs is the order in which outputs are computed, and by whom.
 */
struct hy_cpu_choice {
    uint32_t block; /* as in hy_conv_params */
    uint32_t tasks; /* that share the work, 1 or more; 0: nothing is chosen, a rule decides */
};

#define HY_CPU_BLOCKS 4u
#define HY_CPU_TASKS  3u

/* What an operation can be cut to: any block with any number of tasks, unless that are more than
 * it has work units. The rule's are the first. */
struct hy_cpu_choices {
    struct hy_cpu_choice taken;
    uint32_t block_count, task_count; /* 1 or more; not both 1 */
    uint32_t blocks[HY_CPU_BLOCKS];
    uint32_t tasks[HY_CPU_TASKS];
};

#endif
