#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_CUT_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_CUT_H

#include <stdbool.h>

#include "common/error.h"
#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/program/blocking.h"

/* The work of a convolution, for the choice of its blocking. */
struct hy_conv_work {
    const struct hy_conv_kernel *kernel;
    const struct hy_conv_params *params; /* `block` is ignored */
    int32_t operation;
    uint32_t element_size;
    uint32_t threads;  /* maximum */
    uint64_t l2_bytes; /* L2 cache of one core */
    bool is_packed;    /* the weights are constant and packed */
};

/*
 * Sets the rule's block, and lists other blocks that may pay; *us is the estimated time of one
 * thread in microseconds. The list has only the rule's block if other blocks cannot pay, or pay too
 * little to measure.
 *
 * The rule: if packed weights exceed half of the L2 cache, a block holds at most a quarter of the
 * cache, so that its weights are loaded once instead of once per few pixels. With few pixels
 * (FULLY_CONNECTED), a block is a panel, so that several threads have work.
 */
void hy_conv_cut(const struct hy_conv_work *work, struct hy_cpu_blockings *blockings, double *us);

/* Selects another block. False: the block is not in the list. */
HY_MUST_CHECK bool hy_conv_cut_select(struct hy_cpu_blockings *blockings, uint32_t block);

/* The number of tasks for work of `us` microseconds in blocks of `block`: one per thread, if each
 * task has at least HY_CPU_TASK_US and a work unit. */
uint32_t hy_conv_cut_tasks(const struct hy_conv_work *work, uint32_t block, double us);

/* The largest number of tasks of any block in the list. */
uint32_t hy_conv_cut_most_tasks(const struct hy_conv_work *work,
                                const struct hy_cpu_blockings *blockings, double us);

/*
 * How tasks divide the units; a block has `tiles` units. True: by the pixels of every block. A
 * thread then finds the output of the previous operation in its own cache, and reads all weights.
 * False: in the order of units, for few pixels or unevenly divisible tiles. A thread then reads
 * only a part of the weights.
 */
bool hy_conv_cut_is_by_pixels(size_t tiles, uint32_t tasks);

/* The least number of units to claim at once. All `units` together take one thread `us`
 * microseconds. */
size_t hy_conv_cut_least(size_t units, uint32_t tasks, double us);

#endif
