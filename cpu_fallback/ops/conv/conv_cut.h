#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_CUT_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_CUT_H

#include <stdbool.h>

#include "common/error.h"
#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/program/choice.h"

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
 * pixels (FULLY_CONNECTED), one panel at a time, so that threads find something to share.
 *
 * Takes the rule's block, and lists what else may pay behind it; *us is how long one thread takes,
 * roughly. The list has one block where nothing else pays, or too little to be measured.
 */
void hy_conv_cut(const struct hy_conv_work *work, struct hy_cpu_choices *choices, double *us);

/* Takes another block. False: it is not on the list. */
HY_MUST_CHECK bool hy_conv_cut_take(struct hy_cpu_choices *choices, uint32_t block);

/* The tasks that share work of `us` in such blocks: one for each thread if that keeps them at
 * HY_CPU_TASK_US, and no more than there are work units. */
uint32_t hy_conv_cut_tasks(const struct hy_conv_work *work, uint32_t block, double us);

/* The most that there are with any block. */
uint32_t hy_conv_cut_most_tasks(const struct hy_conv_work *work,
                                const struct hy_cpu_choices *choices, double us);

/*
 * How tasks part the units, `tiles` of them in each block: by the pixels of every block, so that a
 * thread finds what it computed in the operation before in its own cache, and reads all weights;
 * or, where there are few pixels, or tiles that tasks would have unevenly, in the order of units,
 * so that each has some of the weights.
 */
bool hy_conv_cut_is_by_pixels(size_t tiles, uint32_t tasks);

/* The least of `units` that are worth to be taken together, where all take one thread `us`. */
size_t hy_conv_cut_least(size_t units, uint32_t tasks, double us);

#endif
