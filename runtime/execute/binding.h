#ifndef HY_RUNTIME_BINDING_H
#define HY_RUNTIME_BINDING_H

#include "runtime/execute/boundary/boundary_memory.h"
#include "runtime/execute/execution.h"
#include "runtime/execute/staged_arguments.h"
#include "runtime/fork_guard.h"

/*
 * The requests of an execution, one per step, with the memory of its arguments. The first run makes
 * the binding; later runs only call the drivers. The binding owns the memory of boundary tensors
 * and steps, and the reusables of drivers. A binding can be filled again for other arguments
 * without allocating.
 */

/* The expected results for one output of a step. */
struct hy_bound_output {
    struct hy_shape declared; /* known extents are binding */
    uint64_t capacity;        /* capacity in bytes */
    uint32_t element_bytes;   /* 0: not defined by the type */
    uint32_t tensor;          /* index of the boundary tensor, or HY_NO_TENSOR */
    bool is_scalar;
    bool is_omitted;
    bool is_determined; /* only one result is valid: the declared shape, sufficient */
};

struct hy_bound_step {
    struct hy_request request;
    struct hy_output_shape *shapes; /* buffer for the driver's results */
    struct hy_bound_output *outputs;
    struct hy_argument *arguments; /* inputs, then outputs */
    struct hy_pool *pools;         /* at most as many as arguments */
    void *reusable;                /* reusable of the driver for the request, or NULL */
    void *scratch;                 /* scratch for the driver, see hy_run_options; or NULL */
    uint64_t scratch_bytes;
    uint32_t pool_kinds; /* kinds of the pools, see pool_kinds.h */
    bool uses_buffers;   /* boundary tensors in device buffers */
    bool has_run;        /* the request ran without an error */
    bool refuses_reuse;  /* the driver cannot make a reusable */
};

struct hy_binding {
    const struct hy_plan *plan;
    struct hy_arena arena;
    struct hy_boundary_memory memory;
    struct hy_staged_arguments staged;
    struct hy_bound_step *steps;
    uint32_t *block_pools;    /* [block]: pool number in the step being bound */
    unsigned fork_generation; /* of the process that made the shared memory, see fork_guard.h */
    bool is_repeatable;       /* runs may use the fast path, see repeat.h */
    bool may_be_written; /* an abandoned process may still write: do not use the memory again */
    bool measure;        /* this and the next: as in hy_run_options */
    uint64_t loop_timeout;
};

/* Allocates a binding for the requests of a plan. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_binding_create(const struct hy_plan *plan, struct hy_binding **ret,
                                             struct hy_error *err);
void hy_binding_destroy(struct hy_binding *binding); /* NULL is allowed */

/* Fills the requests. All arguments of the execution must be set. The old content is lost, also
 * after a failure. Errors: those of hy_memory_from_domain. */
HY_MUST_CHECK enum hy_code hy_binding_fill(struct hy_binding *binding,
                                           const struct hy_execution *execution,
                                           struct hy_error *err);

/* Sets the options of all later runs. */
void hy_binding_set_options(struct hy_binding *binding, bool measure, uint64_t loop_timeout);

/* Call before each run. Fills the binding again if boundary tensors have outgrown their memory, may
 * use device buffers again, or share their memory with the parent process or with a process that
 * may still execute the previous run. */
HY_MUST_CHECK static inline enum hy_code hy_binding_refresh(struct hy_binding *binding,
                                                            const struct hy_execution *execution,
                                                            struct hy_error *err)
{
    const bool returns = binding->memory.bypasses_buffers;

    binding->memory.bypasses_buffers = false;
    return returns || binding->may_be_written || hy_boundary_memory_is_old(&binding->memory) ||
                   binding->fork_generation != hy_fork_generation()
               ? hy_binding_fill(binding, execution, err)
               : HY_OK;
}

/* Moves all boundary tensors to host memory until the next refresh. Call between two runs of an
 * execution. */
HY_MUST_CHECK enum hy_code hy_binding_bypass_buffers(struct hy_binding *binding,
                                                     const struct hy_execution *execution,
                                                     struct hy_error *err);

/* Copies the outputs of a step into the blocks of services without access to the step's own block.
 * Errors: UNMAPPABLE. */
HY_MUST_CHECK enum hy_code hy_binding_pass_on(const struct hy_binding *binding,
                                              const struct hy_execution *execution, uint32_t step,
                                              struct hy_error *err);

/* Drops the reusable of a step after a change of its request. */
void hy_binding_invalidate_step(struct hy_binding *binding, uint32_t step);

/* Drops the reusables of all devices, or of the devices that are not built in. */
enum hy_binding_part { HY_BINDING_ALL, HY_BINDING_OF_DRIVERS };
void hy_binding_invalidate(struct hy_binding *binding, enum hy_binding_part part);

#endif
