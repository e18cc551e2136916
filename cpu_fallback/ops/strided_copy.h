#ifndef HY_CPU_FALLBACK_OPS_STRIDED_COPY_H
#define HY_CPU_FALLBACK_OPS_STRIDED_COPY_H

#include <stdalign.h>

#include "common/inference/infer_pad.h"
#include "cpu_fallback/program/op.h"

/*
 * Lists of copies for operations that only move elements. Each copy goes from grid to grid. A list
 * is made once and then runs in order: a TRANSPOSE is one copy, a CONCATENATION a copy per input, a
 * PAD a copy of the tensor and a copy per edge.
 */

/* A location of elements: in a tensor of the call, in scratch, or the single value of the list. */
enum hy_cpu_side { HY_CPU_INPUT, HY_CPU_OUTPUT, HY_CPU_SCRATCH, HY_CPU_VALUE };

struct hy_cpu_copy_location {
    enum hy_cpu_side side;
    uint32_t index; /* index of the input or output */
    size_t offset;  /* in elements */
};

struct hy_cpu_copy {
    struct hy_cpu_copy_location from, to;
    struct hy_strided_copy_params grid;
    uint32_t cut; /* dimension of the grid that tasks divide */
};

struct hy_cpu_copies {
    hy_strided_copy_fn *kernel;
    uint32_t element_size;
    alignas(uint64_t) uint8_t value[8]; /* an element to repeat; zeros at first */
    bool is_ordered;                    /* a copy depends on earlier copies: one task only */
    uint32_t tasks;                     /* each task does a part of every copy */
    uint32_t count;
    struct hy_cpu_copy list[];
};

/* Creates an empty list for tensors of an operand type, with capacity for `most` copies, in
 * site->memory. NULL: out of memory. */
struct hy_cpu_copies *hy_cpu_copies_create(const struct hy_cpu_resolve_ctx *ctx, int32_t type,
                                           size_t most);

/* Appends a copy and returns its grid. The caller adds the dimensions with hy_strided_copy_add. */
struct hy_strided_copy_params *hy_cpu_copies_add(struct hy_cpu_copies *copies,
                                                 struct hy_cpu_copy_location from,
                                                 struct hy_cpu_copy_location to);

/* Sets the value of the list to the element that represents 0.0 in tensors like `like`. */
void hy_cpu_copies_set_zero(struct hy_cpu_copies *copies, const struct hy_value *like);

/* Appends the copies of input 0 into the padded tensor at `to`; HY_CPU_PAD_COPIES at most. Edges
 * that are not mirrored are filled with the element at `value`. */
#define HY_CPU_PAD_COPIES (1 + 2 * HY_MAX_RANK)
void hy_cpu_copies_add_pad(struct hy_cpu_copies *copies, const struct hy_pad *pad,
                           struct hy_cpu_copy_location value, struct hy_cpu_copy_location to);

/* Appends a fill of output 0 with the element at `value`. Later copies overwrite parts of it. */
void hy_cpu_copies_add_fill(struct hy_cpu_copies *copies, const struct hy_shape *out,
                            struct hy_cpu_copy_location value);

/* Completes the list and plans its tasks for a step. */
void hy_cpu_copies_finalize(struct hy_cpu_copies *copies, const struct hy_cpu_resolve_ctx *ctx,
                            struct hy_cpu_step *step);

/* Runs the list. */
void hy_cpu_copies_play(const struct hy_cpu_copies *copies, const struct hy_cpu_work *work);

/* The strides of a dense tensor, in elements; 0 beyond the rank. */
void hy_cpu_strides(const struct hy_shape *shape, ptrdiff_t strides[HY_MAX_RANK]);

/* The size of an element, as an index into kernel tables. */
enum hy_element_size hy_cpu_element_size(int32_t type);

#endif
