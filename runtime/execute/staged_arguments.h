#ifndef HY_RUNTIME_STAGED_ARGUMENTS_H
#define HY_RUNTIME_STAGED_ARGUMENTS_H

#include "runtime/execute/execution.h"

/*
 * Staged arguments: arguments that steps do not access in the app's memory, see
 * runtime/plan/trust.h. Staging is needed for arguments passed by address on a device without
 * support for addresses, and for memory that a service could change for other users. A staged
 * argument lies in shared memory of the binding, separate for each trust domain, and is copied in
 * before a run and out after the run. A plan with only domain 0 stages nothing.
 */
struct hy_staged_arguments {
    const struct hy_plan *plan;
    bool is_needed;    /* false: nothing is ever staged */
    bool *is_read;     /* [inputs, then outputs][domain]: a step of the domain reads the argument */
    uint32_t *writers; /* [output]: domain of the writing step */
    uint64_t *domains; /* [inputs, then outputs]: set of domains that use the memory */
    uint64_t *offsets; /* [inputs, then outputs][domain]; HY_NOT_STAGED */
    uint64_t *bytes;   /* [block] */
    struct hy_memory **blocks; /* [block] */
};

#define HY_NOT_STAGED UINT64_MAX

/* The location of an argument for steps of a domain. `memory` is NULL: the memory of the app. */
struct hy_staged_location {
    const struct hy_memory *memory;
    uint64_t offset;
};

/* Initializes the struct with arrays from the arena. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_staged_arguments_init(struct hy_staged_arguments *staged,
                                                    const struct hy_plan *plan,
                                                    struct hy_arena *arena, struct hy_error *err);
void hy_staged_arguments_finish(struct hy_staged_arguments *staged);

/* Assigns offsets to each staged argument, for the current arguments. Memory is reused if large
 * enough. Errors: those of hy_memory_from_domain. */
HY_MUST_CHECK enum hy_code hy_staged_arguments_alloc(struct hy_staged_arguments *staged,
                                                     const struct hy_execution *execution,
                                                     struct hy_error *err);

/* `number` counts the inputs first, followed by the outputs. */
struct hy_staged_location hy_staged_arguments_find(const struct hy_staged_arguments *staged,
                                                   uint32_t number, uint32_t domain);

/* Copies inputs before a run, and outputs with their actual length after a successful run. Errors:
 * UNMAPPABLE (a file of the app was truncated). */
HY_MUST_CHECK enum hy_code hy_staged_arguments_copy_in(const struct hy_staged_arguments *staged,
                                                       const struct hy_execution *execution,
                                                       struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_staged_arguments_copy_out(const struct hy_staged_arguments *staged,
                                                        const struct hy_execution *execution,
                                                        struct hy_error *err);

/* Copies an output of the model into the blocks of services that read the output but must not map
 * the app's memory. Errors: as above. */
HY_MUST_CHECK enum hy_code hy_staged_arguments_pass_on(const struct hy_staged_arguments *staged,
                                                       const struct hy_execution *execution,
                                                       uint32_t output, struct hy_error *err);

#endif
