#ifndef HY_RUNTIME_BINDING_H
#define HY_RUNTIME_BINDING_H

#include "runtime/execute/boundary/boundary_memory.h"
#include "runtime/execute/execution.h"
#include "runtime/execute/staged_arguments.h"
#include "runtime/fork_guard.h"

/*
 * An execution's arguments as requests, one per step: made for the first run, later runs do nothing
 * but call the drivers. It owns the memory of boundary tensors and steps, and what drivers make of
 * requests that run again. It can be filled again for other arguments, without allocating.
 */

/* What a driver may report about one output of a step. */
struct hy_bound_output {
    struct hy_shape declared; /* known extents are binding */
    uint64_t room;            /* bytes */
    uint32_t element_bytes;   /* 0: the type does not tell */
    uint32_t tensor;          /* it lies in the memory of this boundary tensor, or HY_NO_TENSOR */
    bool is_scalar;
    bool is_omitted;
    bool is_settled; /* there is one answer that can be right: as declared, and sufficient */
};

struct hy_bound_step {
    struct hy_request request;
    struct hy_output_shape *shapes; /* room for the driver's answer */
    struct hy_bound_output *outputs;
    struct hy_argument *arguments; /* inputs, then outputs */
    struct hy_pool *pools;         /* as many as arguments at most */
    void *reusable;                /* the driver's, over this request; or NULL */
    void *scratch;                 /* for the driver, see hy_run_options; or NULL */
    uint64_t scratch_bytes;
    uint32_t pool_kinds; /* of its pools, see pool_kinds.h */
    bool uses_buffers;   /* of a device, for boundary tensors */
    bool has_run;        /* this very request, without an error */
    bool refuses_reuse;  /* the driver makes no reusable of it */
};

struct hy_binding {
    const struct hy_plan *plan;
    struct hy_arena arena;
    struct hy_boundary_memory memory;
    struct hy_staged_arguments staged;
    struct hy_bound_step *steps;
    uint32_t *block_pools;    /* [block]: its number in the step that is bound */
    unsigned fork_generation; /* that has made the shared memory in it, see fork_guard.h */
    bool is_repeatable;       /* its runs may go the short way, see repeat.h */
    bool may_be_written;      /* by a process that was given up: its memory is not used again */
    bool measure;             /* these two as in hy_run_options */
    uint64_t loop_timeout;
};

/* Room for the requests of a plan. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_binding_create(const struct hy_plan *plan, struct hy_binding **ret,
                                             struct hy_error *err);
void hy_binding_destroy(struct hy_binding *binding); /* takes NULL */

/* All arguments of the execution are set. What there was before is gone, also on failure. Errors:
 * those of hy_memory_from_domain. */
HY_MUST_CHECK enum hy_code hy_binding_fill(struct hy_binding *binding,
                                           const struct hy_execution *execution,
                                           struct hy_error *err);

/* What runs from now on are made with. */
void hy_binding_set_options(struct hy_binding *binding, bool measure, uint64_t loop_timeout);

/* Before each run: fills the binding again if boundary tensors have outgrown their memory, may lie
 * on devices again, or share their memory with the process that this one is a child of, or with one
 * that may still be at the run before. */
HY_MUST_CHECK static inline enum hy_code hy_binding_refresh(struct hy_binding *binding,
                                                            const struct hy_execution *execution,
                                                            struct hy_error *err)
{
    const bool returns = binding->memory.shuns_buffers;

    binding->memory.shuns_buffers = false;
    return returns || binding->may_be_written || hy_boundary_memory_is_old(&binding->memory) ||
                   binding->fork_generation != hy_fork_generation()
               ? hy_binding_fill(binding, execution, err)
               : HY_OK;
}

/* Between two runs of one execution: all boundary tensors lie in our own memory from here on, until
 * the next refresh. */
HY_MUST_CHECK enum hy_code hy_binding_bypass_buffers(struct hy_binding *binding,
                                                     const struct hy_execution *execution,
                                                     struct hy_error *err);

/* Copies the outputs of a step into the blocks of services that cannot map the step's own block.
 * Errors: UNMAPPABLE. */
HY_MUST_CHECK enum hy_code hy_binding_pass_on(const struct hy_binding *binding,
                                              const struct hy_execution *execution, uint32_t step,
                                              struct hy_error *err);

/* The request of a step has changed: what the driver has made of it is void. */
void hy_binding_forget_step(struct hy_binding *binding, uint32_t step);

/* Lets drivers forget the requests: of all devices, or of those that are not built in. */
enum hy_binding_part { HY_BINDING_ALL, HY_BINDING_OF_DRIVERS };
void hy_binding_forget(struct hy_binding *binding, enum hy_binding_part part);

#endif
