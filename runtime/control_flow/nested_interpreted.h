#ifndef HY_RUNTIME_NESTED_INTERPRETED_H
#define HY_RUNTIME_NESTED_INTERPRETED_H

#include "runtime/control_flow/nested.h"

/* What nested_control_flow.c runs: an IF or WHILE, prepared, and the memory of its runs. */

#define HY_NOT_GIVEN UINT32_MAX

/* Runs at once that find their memory taken; more make their own. */
#define HY_FRAMES_KEPT 16u

/* Memory of one run: what a condition says, then the blocks of loop values. */
struct hy_nested_frame {
    atomic_bool is_taken;
    char *memory;                         /* NULL until it is needed */
    struct hy_nested_argument *arguments; /* given, inputs, outputs: see below */
};

/* An operand that a body gets. */
struct hy_nested_source {
    uint32_t input; /* of the step, or HY_NOT_GIVEN: `constant` */
    struct hy_nested_argument constant;
};

/* A prepared model. "Values" are what the operation passes on to bodies, "states" those that a
 * round of a loop makes anew. */
struct hy_interpreted {
    struct hy_arena arena;
    int32_t type;
    const struct hy_subgraph *graph;
    struct hy_compilation *bodies[2];
    struct hy_nested_source condition; /* of an IF */
    struct hy_nested_source *values;
    uint32_t *outputs; /* [output of the operation]: output of the step, or HY_NOT_GIVEN */
    uint64_t *offsets; /* [state]: in a block */
    uint64_t *lengths;
    uint64_t block_bytes;
    uint32_t value_count;
    uint32_t state_count;
    uint32_t output_count;
    struct hy_nested_frame frames[HY_FRAMES_KEPT];
};

/* What the step has given; what a body gets; what it gives. */
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

/* A frame that is kept, else `spare`, which is zeroed; for hy_nested_frame_leave. NULL: no memory.
 */
struct hy_nested_frame *hy_nested_frame_enter(struct hy_interpreted *own,
                                              struct hy_nested_frame *spare);
void hy_nested_frame_leave(struct hy_nested_frame *frame, struct hy_nested_frame *spare);

/* Frees a prepared model. */
void hy_interpreted_destroy(void *self);

#endif
