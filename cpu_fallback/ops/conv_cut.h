#ifndef HY_CPU_FALLBACK_OPS_CONV_CUT_H
#define HY_CPU_FALLBACK_OPS_CONV_CUT_H

#include <stdbool.h>

#include "cpu_fallback/choice.h"
#include "cpu_fallback/kernels/conv.h"

/* The work of a convolution of any kind, which is to be cut. */
struct hy_conv_work {
    const struct hy_conv_kernel *kernel;
    const struct hy_conv_params *params; /* the block does not count */
    int32_t operation;
    uint32_t element_size;
    uint32_t threads;  /* the most that may share it */
    uint64_t l2_bytes; /* of one processor's second cache */
    bool is_packed;    /* the weights are constant, and packed */
};

/*
 * The rule: weights that half of the second cache does not hold are taken in blocks of a quarter of
 * it at most, so that they are read once and not again for every few pixels; where there are few
 * pixels (FULLY_CONNECTED), one panel at a time, so that threads find something to share. A task
 * for each thread if that keeps them at HY_CPU_TASK_US.
 *
 * Sets the rule's choice as the one that is taken, and lists what else may pay; *us is how long one
 * thread takes, roughly. False: nothing else does, or too little to be worth a measurement; the
 * lists are empty then.
 */
bool hy_conv_cut(const struct hy_conv_work *work, struct hy_cpu_choices *choices, double *us);

/*
 * How the tasks of a choice part the units, `tiles` of them in each block: by the pixels of every
 * block, so that a thread finds what it computed in the operation before in its own cache, and
 * reads all weights; or, where there are few pixels, or tiles that tasks would have unevenly, in
 * the order of units, so that each has some of the weights.
 */
bool hy_conv_cut_is_by_pixels(size_t tiles, uint32_t tasks);

/* The least units that are worth to be taken together, of work that takes one thread `us`. */
size_t hy_conv_cut_least(const struct hy_conv_work *work, struct hy_cpu_choice choice, double us);

/* True when the choice is on the lists, and leaves a work unit for every task. */
bool hy_conv_cut_has(const struct hy_conv_work *work, const struct hy_cpu_choices *choices,
                     struct hy_cpu_choice choice);

/* The most tasks on the list, or in the rule. */
uint32_t hy_conv_cut_most_tasks(const struct hy_cpu_choices *choices);

#endif
