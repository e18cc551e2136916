#ifndef HY_CPU_FALLBACK_OPS_MOVE_H
#define HY_CPU_FALLBACK_OPS_MOVE_H

#include <stdalign.h>

#include "common/inference/infer_pad.h"
#include "cpu_fallback/program/op.h"

/*
 * Operations that only move elements are lists of moves from grid to grid, made once and then run
 * in order: a TRANSPOSE is one move, a CONCATENATION one per input, a PAD one for the tensor and
 * one per edge.
 */

/* A place of elements: in a tensor of the call, in scratch, or the one value of the list. */
enum hy_cpu_side { HY_CPU_INPUT, HY_CPU_OUTPUT, HY_CPU_SCRATCH, HY_CPU_VALUE };

struct hy_cpu_place {
    enum hy_cpu_side side;
    uint32_t index; /* of the input or output */
    size_t offset;  /* in elements */
};

struct hy_cpu_move {
    struct hy_cpu_place from, to;
    struct hy_move_params grid;
    uint32_t cut; /* the dimension of the grid that tasks share */
};

struct hy_cpu_moves {
    hy_move_fn *kernel;
    uint32_t element_size;
    alignas(uint64_t) uint8_t value[8]; /* one element, to be repeated; zero bytes at first */
    bool is_ordered;                    /* a move reads what those before it have written */
    uint32_t tasks;                     /* each does a part of every move */
    uint32_t count;
    struct hy_cpu_move list[];
};

/* An empty list for tensors of an operand type, with room for `most` moves. NULL: out of memory. */
struct hy_cpu_moves *hy_cpu_moves_create(const struct hy_cpu_site *site, int32_t type, size_t most);

/* Appends a move. The grid is still without dimensions: hy_move_add them. */
struct hy_move_params *hy_cpu_moves_add(struct hy_cpu_moves *moves, struct hy_cpu_place from,
                                        struct hy_cpu_place to);

/* Makes the value of the list the element that stands for 0.0 in tensors like `like`. */
void hy_cpu_moves_set_zero(struct hy_cpu_moves *moves, const struct hy_value *like);

/* Appends what puts input 0 into the padded tensor that begins at `to`: at most HY_CPU_PAD_MOVES.
 * What is not mirrored becomes the one element at `value`. */
#define HY_CPU_PAD_MOVES (1 + 2 * HY_MAX_RANK)
void hy_cpu_moves_add_pad(struct hy_cpu_moves *moves, const struct hy_pad *pad,
                          struct hy_cpu_place value, struct hy_cpu_place to);

/* Appends what fills all of output 0 with the one element at `value`. The moves behind overwrite
 * what it has written. */
void hy_cpu_moves_add_fill(struct hy_cpu_moves *moves, const struct hy_shape *out,
                           struct hy_cpu_place value);

/* Makes the list the work of a step. */
void hy_cpu_moves_settle(struct hy_cpu_moves *moves, const struct hy_cpu_site *site,
                         struct hy_cpu_step *step);

/* Runs the list. */
void hy_cpu_moves_play(const struct hy_cpu_moves *moves, const struct hy_cpu_work *work);

/* The strides of a dense tensor, in elements; those past the rank are 0. */
void hy_cpu_strides(const struct hy_shape *shape, ptrdiff_t strides[HY_MAX_RANK]);

/* The size of an element as an index of kernel slots. */
enum hy_element_size hy_cpu_element_size(int32_t type);

#endif
