#ifndef HY_RUNTIME_STAGED_ARGUMENTS_H
#define HY_RUNTIME_STAGED_ARGUMENTS_H

#include "runtime/execute/execution.h"

/*
 * Arguments that steps do not get where the app has them, see runtime/plan/trust.h: what lies at an
 * address, for devices that take no memory by address; and memory that a service could change for
 * others. Such arguments lie in shared memory of the binding's, for each domain apart, and are
 * copied in before a run and out after it. A plan of domain 0 alone has nothing to do here.
 */
struct hy_staged_arguments {
    const struct hy_plan *plan;
    bool is_needed;            /* else nothing is ever staged */
    bool *is_read;             /* [inputs, then outputs][domain]: by a step of the domain */
    uint32_t *writers;         /* [output]: domain of the step that writes it */
    uint64_t *domains;         /* [inputs, then outputs]: set of those that use the memory */
    uint64_t *offsets;         /* [inputs, then outputs][domain]; HY_NOT_STAGED */
    uint64_t *bytes;           /* [block] */
    struct hy_memory **blocks; /* [block] */
};

#define HY_NOT_STAGED UINT64_MAX

/* Where steps of a domain find an argument. `memory` is NULL: where the app has it. */
struct hy_staged_place {
    const struct hy_memory *memory;
    uint64_t offset;
};

/* Arrays come from the arena. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_staged_arguments_init(struct hy_staged_arguments *staged,
                                                    const struct hy_plan *plan,
                                                    struct hy_arena *arena, struct hy_error *err);
void hy_staged_arguments_finish(struct hy_staged_arguments *staged);

/* Gives each argument that is to be staged its places, for the arguments as they are. Memory is
 * kept as long as it is large enough. Errors: as hy_memory_from_domain. */
HY_MUST_CHECK enum hy_code hy_staged_arguments_place(struct hy_staged_arguments *staged,
                                                     const struct hy_execution *execution,
                                                     struct hy_error *err);

/* `number`: of the argument, outputs come behind the inputs. */
struct hy_staged_place hy_staged_arguments_find(const struct hy_staged_arguments *staged,
                                                uint32_t number, uint32_t domain);

/* Inputs before a run; outputs after one that has succeeded, as long as they have turned out.
 * Errors: UNMAPPABLE (a file of the app's became shorter). */
HY_MUST_CHECK enum hy_code hy_staged_arguments_copy_in(const struct hy_staged_arguments *staged,
                                                       const struct hy_execution *execution,
                                                       struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_staged_arguments_copy_out(const struct hy_staged_arguments *staged,
                                                        const struct hy_execution *execution,
                                                        struct hy_error *err);

/* Copies an output of the model into the blocks of services that read it and cannot map the app's
 * memory. Errors: the same. */
HY_MUST_CHECK enum hy_code hy_staged_arguments_pass_on(const struct hy_staged_arguments *staged,
                                                       const struct hy_execution *execution,
                                                       uint32_t output, struct hy_error *err);

#endif
