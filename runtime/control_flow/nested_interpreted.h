#ifndef HY_RUNTIME_NESTED_INTERPRETED_H
#define HY_RUNTIME_NESTED_INTERPRETED_H

#include "runtime/control_flow/nested.h"

/* The prepared model of an IF or WHILE for nested_control_flow.c, and the memory of its runs. */

#define HY_NOT_GIVEN UINT32_MAX

/* Number of pooled frames. Further concurrent runs allocate their own frame. */
#define HY_FRAMES_CACHED 16u

/* Memory of one run: the condition result, then the blocks of loop values. */
struct hy_nested_frame {
    atomic_bool is_used;
    char *memory;                         /* NULL until needed */
    struct hy_nested_argument *arguments; /* given, inputs, outputs: see below */
};

/* An operand passed to a body. */
struct hy_nested_source {
    uint32_t input; /* input of the step, or HY_NOT_GIVEN: use `constant` */
    struct hy_nested_argument constant;
};

/* A prepared model. "Values" are the operands passed to bodies. "States" are the values that each
 * iteration of a loop computes anew. */
struct hy_interpreted {
    struct hy_arena arena;
    int32_t type;
    const struct hy_subgraph *graph;
    struct hy_compilation *bodies[2];
    struct hy_nested_source condition; /* of an IF */
    struct hy_nested_source *values;
    uint32_t *outputs; /* [output of the operation]: output of the step, or HY_NOT_GIVEN */
    uint64_t *offsets; /* [state]: offset in a block */
    uint64_t *lengths;
    uint64_t block_bytes;
    uint32_t value_count;
    uint32_t state_count;
    uint32_t output_count;
    struct hy_nested_frame frames[HY_FRAMES_CACHED];
};

/* The arguments given with the step, the inputs of a body, and the outputs of a body. */
static inline struct hy_nested_argument *hy_nested_frame_given(const struct hy_nested_frame *frame)
{
    return frame->arguments;
}

static inline struct hy_nested_argument *hy_nested_frame_inputs(const struct hy_interpreted *own,
                                                                const struct hy_nested_frame *frame)
{
    return frame->arguments + own->value_count;
}

static inline struct hy_nested_argument *
hy_nested_frame_outputs(const struct hy_interpreted *own, const struct hy_nested_frame *frame)
{
    return frame->arguments + (size_t)2 * own->value_count;
}

/* Acquires a pooled frame, or `spare` if all frames are busy. The caller zeroes `spare`. Release
 * with hy_nested_frame_leave. NULL: out of memory. */
struct hy_nested_frame *hy_nested_frame_enter(struct hy_interpreted *own,
                                              struct hy_nested_frame *stack_frame);
void hy_nested_frame_leave(struct hy_nested_frame *frame, struct hy_nested_frame *stack_frame);

/* Frees a prepared model. */
void hy_interpreted_destroy(void *self);

#endif
