#ifndef HY_RUNTIME_STAGED_ARGUMENTS_H
#define HY_RUNTIME_STAGED_ARGUMENTS_H

#include "runtime/execute/execution.h"

/*
 * What an app gives by address, for devices that take no memory by address: such arguments lie in
 * shared memory of the binding's, for all steps, and are copied in before a run and out after it. A
 * plan without such a device has nothing to do here.
 */
struct hy_staged_arguments {
    bool *is_needed;   /* [inputs, then outputs]; NULL: nothing is ever staged */
    uint64_t *offsets; /* [the same]; HY_NOT_STAGED */
    struct hy_memory *memory;
};

#define HY_NOT_STAGED UINT64_MAX

/* Arrays come from the arena. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_staged_arguments_init(struct hy_staged_arguments *staged,
                                                    const struct hy_plan *plan,
                                                    struct hy_arena *arena, struct hy_error *err);
void hy_staged_arguments_finish(struct hy_staged_arguments *staged);

/* Gives each argument that is to be staged a place, for the arguments as they are. Memory is kept
 * as long as it is large enough. Errors: as hy_memory_from_domain. */
HY_MUST_CHECK enum hy_code hy_staged_arguments_place(struct hy_staged_arguments *staged,
                                                     const struct hy_execution *execution,
                                                     struct hy_error *err);

/* Where an input or output lies in the memory, or HY_NOT_STAGED. */
static inline uint64_t hy_staged_arguments_find(const struct hy_staged_arguments *staged,
                                                const struct hy_execution *execution,
                                                bool is_output, uint32_t index)
{
    return staged->is_needed ? staged->offsets[is_output ? execution->input_count + index : index]
                             : HY_NOT_STAGED;
}

/* Inputs before a run; outputs after one that has succeeded, as long as they have turned out. */
void hy_staged_arguments_copy_in(const struct hy_staged_arguments *staged,
                                 const struct hy_execution *execution);
void hy_staged_arguments_copy_out(const struct hy_staged_arguments *staged,
                                  const struct hy_execution *execution);

#endif
