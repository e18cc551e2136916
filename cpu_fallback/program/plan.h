#ifndef HY_CPU_FALLBACK_PROGRAM_PLAN_H
#define HY_CPU_FALLBACK_PROGRAM_PLAN_H

#include <stdatomic.h>

#include "common/memory/span_layout.h"
#include "cpu_fallback/program/program.h"
#include "cpu_fallback/run/thread_policy.h"

#define HY_CPU_NO_OFFSET SIZE_MAX

/* Properties of an input of the model in a request. */
struct hy_cpu_input {
    struct hy_shape shape;
    bool is_known; /* false only at compile time */
    bool is_omitted;
};

struct hy_cpu_plan_step {
    uint32_t operation;
    bool is_dynamic; /* dynamic: resolved at run time */
    bool is_empty;   /* resolved, but no output has an element */
    bool is_joined;  /* runs inside the chain of a later step: chain.h */
    struct hy_cpu_step step;
    /* Output 0 may use the memory of this operand; HY_CPU_NO_OPERAND: none. */
    uint32_t replaces;
    /* Offset in the arena; HY_CPU_NO_OFFSET: in the scratch memory common to all steps. */
    size_t scratch_offset;
};

/*
 * A program resolved for one set of input shapes: all shapes, resolved steps, and an offset for
 * every temporary of known size. Constant after creation, so any number of executions share a plan.
 */
struct hy_cpu_plan {
    struct hy_cpu_plan *next; /* next in the list of the prepared model */
    /* The same plan with tuned blockings, or NULL; every new execution uses the successor. Set at
     * most once, owned by this plan, and no larger in the memory of an execution. */
    _Atomic(struct hy_cpu_plan *) successor;
    struct hy_arena memory;
    struct hy_cpu_input *inputs;    /* the inputs that the plan is for */
    struct hy_value *values;        /* per operand; only constants have data */
    struct hy_cpu_plan_step *steps; /* in execution order, without dropped operations */
    size_t *offsets;                /* per operand: offset in the arena, or HY_CPU_NO_OFFSET */
    struct hy_span_layout arena;
    size_t scratch_size; /* largest scratch outside the arena */
    uint32_t step_count;
    uint32_t dynamic_count;
    uint32_t blocking_count;                    /* steps with several blockings */
    struct hy_cpu_thread_policy *thread_policy; /* NULL: always one thread */
};

/*
 * Creates a plan for `inputs`, one per input of the model. `blockings`: a blocking per operation
 * (an empty one is ignored), or NULL. Errors: HY_FAILED (an operation does not accept the shapes or
 * the blocking), HY_OUT_OF_MEMORY, HY_MISSED_DEADLINE (checked before each operation).
 */
HY_MUST_CHECK enum hy_code hy_cpu_plan_create(const struct hy_cpu_program *program,
                                              const struct hy_cpu_input *inputs,
                                              const struct hy_cpu_blocking *blockings,
                                              struct hy_cpu_plan **out, struct hy_error *err);
void hy_cpu_plan_destroy(struct hy_cpu_plan *plan); /* with its successor; NULL is allowed */

/* The plan for a new execution: the successor of `plan`, or `plan` if it has no successor. */
const struct hy_cpu_plan *hy_cpu_plan_newest(const struct hy_cpu_plan *plan);

/* Bytes for the tensors and the scratch of an execution; 0 if the size is known only at run
 * time. */
uint64_t hy_cpu_plan_memory(const struct hy_cpu_plan *plan);

/* True if the plan is for these inputs. */
bool hy_cpu_plan_is_for(const struct hy_cpu_plan *plan, const struct hy_cpu_input *inputs,
                        uint32_t count);

#endif
