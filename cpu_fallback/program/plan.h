#ifndef HY_CPU_FALLBACK_PROGRAM_PLAN_H
#define HY_CPU_FALLBACK_PROGRAM_PLAN_H

#include <stdatomic.h>

#include "common/memory/placement.h"
#include "cpu_fallback/program/program.h"
#include "cpu_fallback/run/company.h"

#define HY_CPU_NO_PLACE SIZE_MAX

/* What a request says about one input of the model. */
struct hy_cpu_input {
    struct hy_shape shape;
    bool is_known; /* false only while compiling */
    bool is_omitted;
};

struct hy_cpu_plan_step {
    uint32_t operation;
    bool is_late;   /* resolved while running: its shapes depend on values that are computed */
    bool is_empty;  /* settled, but there is nothing to compute */
    bool is_joined; /* the next step that is not joined computes this one as well: chain.h */
    struct hy_cpu_step step;
    uint32_t replaces;    /* an operand whose place output 0 may have; HY_CPU_NO_OPERAND: none */
    size_t scratch_place; /* offset in the arena, or HY_CPU_NO_PLACE: where all small scratch is */
};

/*
 * A program resolved for one set of input shapes: every shape, every step ready to run, a place for
 * every temporary. Constant once made, so any number of executions share it.
 */
struct hy_cpu_plan {
    struct hy_cpu_plan *next; /* in the list of the prepared model */
    /* The same plan with other choices, which every execution that starts uses instead, or NULL.
     * Set at most once; it belongs to this plan, and needs no more memory. */
    _Atomic(struct hy_cpu_plan *) successor;
    struct hy_arena memory;
    struct hy_cpu_input *inputs;    /* what it was made for */
    struct hy_value *values;        /* one per operand; data of constants only */
    struct hy_cpu_plan_step *steps; /* in order, without dropped operations */
    size_t *places;                 /* per operand: offset in the arena, or HY_CPU_NO_PLACE */
    struct hy_placement arena;
    size_t scratch_size; /* of steps whose scratch has no place in the arena */
    uint32_t step_count;
    uint32_t late_count;
    uint32_t choice_count;          /* steps with choices */
    struct hy_cpu_company *company; /* NULL: one thread is all there is, or all it is worth */
};

/*
 * Makes the plan for these inputs (one per input of the model). `choices`, or NULL: one per
 * operation; an empty choice is ignored. Errors: HY_FAILED (shapes that an
 * operation does not take, or a choice that it does not have), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_plan_create(const struct hy_cpu_program *program,
                                              const struct hy_cpu_input *inputs,
                                              const struct hy_cpu_choice *choices,
                                              struct hy_cpu_plan **out, struct hy_error *err);
void hy_cpu_plan_destroy(struct hy_cpu_plan *plan); /* and its successor; takes NULL */

/* What an execution uses that would use `plan`: that, or its successor. */
const struct hy_cpu_plan *hy_cpu_plan_newest(const struct hy_cpu_plan *plan);

/* Bytes that hold the tensors and then the scratch memory of an execution; 0 where only the
 * execution tells. */
uint64_t hy_cpu_plan_memory(const struct hy_cpu_plan *plan);

/* True when the plan was made for these inputs. */
bool hy_cpu_plan_is_for(const struct hy_cpu_plan *plan, const struct hy_cpu_input *inputs,
                        uint32_t count);

#endif
