#ifndef HY_CPU_FALLBACK_PROGRAM_CONTEXT_H
#define HY_CPU_FALLBACK_PROGRAM_CONTEXT_H

#include <stdatomic.h>

#include "cpu_fallback/buffers/cached_weights.h"
#include "cpu_fallback/cpu_memory.h"
#include "cpu_fallback/program/plan.h"
#include "cpu_fallback/run/dynamic_step.h"
#include "driver_kit/pool_map.h"

/* Contexts in the pool of a prepared model. More simultaneous executions create their own
 * contexts. */
#define HY_CPU_CONTEXTS 16u

struct hy_cpu_buffer;

/* The destination of an output of the model. */
struct hy_cpu_target {
    struct hy_shape declared; /* combined from model and request */
    void *destination;        /* NULL if `length` is 0 */
    uint64_t length; /* for a buffer, destination and length are set when the shape is known */
    struct hy_cpu_buffer *buffer; /* NULL: not a buffer of the device */
    bool is_omitted;
    /* `destination` cannot be read: the output is computed elsewhere and copied when complete. */
    bool is_write_only;
};

struct hy_cpu_mapping {
    void *address;
    uint32_t protection; /* access that the request needs; 0: unused pool */
    struct hy_cpu_buffer
        *buffer; /* buffer of the device, held by the context; then `protection` is 0 */
};

/*
 * The mutable state of one execution. Memory in a context grows as needed and is reused: a repeated
 * execution with the same plan allocates nothing.
 */
struct hy_cpu_context {
    const struct hy_cpu_plan *plan; /* the bound plan, or NULL */
    struct hy_cpu_plan *own_plan;   /* owned plan that is not in the prepared model, or NULL */
    const struct hy_host *host;     /* for memory quotas */
    struct hy_arena memory;
    struct hy_value *values;             /* per operand: shape and data in this execution */
    struct hy_call *calls;               /* per operation, on `values` */
    struct hy_cpu_dynamic_step *dynamic; /* per operation: dynamic steps; NULL until needed */
    struct hy_cpu_block *spills; /* per operand: memory outside the arena; NULL until needed */
    struct hy_cpu_block arena;   /* own memory for tensors, allocated when needed */
    struct hy_cpu_block scratch;
    struct hy_cpu_block given; /* memory of the host for this execution, used if large enough */
    struct hy_pool_map *pools; /* address cache of the burst, or NULL */
    uint8_t *tensors;          /* the arena in use: in `given` or in `arena` */
    void *work;                /* the scratch in use: in `given` or in `scratch` */
    uint32_t operand_count;
    uint32_t operation_count;
    /* The bound request. */
    struct hy_cpu_input *inputs;
    void **input_data;
    struct hy_cpu_target *targets;
    struct hy_cpu_mapping *mappings;
    uint32_t mapping_capacity;
    uint32_t pool_count; /* set if has_buffers */
    bool has_buffers;    /* some mapping is a buffer */
    bool is_alone;       /* this run uses one thread */
    struct hy_cpu_cached_weights_ref
        *cached_weights; /* per operand: cached weights of buffers; NULL until needed */
    struct hy_cpu_context_slot *slot; /* the slot in the pool, or NULL */
    uint32_t runs;                    /* counted up to HY_CPU_TUNING_RUNS */
};

struct hy_cpu_context_slot {
    atomic_bool is_used;            /* the thread that sets it owns the context */
    struct hy_cpu_context *context; /* NULL until needed */
};

/* A pool of contexts that is safe for concurrent use without a lock. All zero bytes is empty. */
struct hy_cpu_context_pool {
    struct hy_cpu_context_slot slots[HY_CPU_CONTEXTS];
};

/* Creates a context outside any pool. NULL: out of memory. */
struct hy_cpu_context *hy_cpu_context_create(const struct hy_cpu_graph *graph);
void hy_cpu_context_destroy(struct hy_cpu_context *context); /* NULL is allowed */

/* Acquires a context from the pool, or creates a new context if all are in use. NULL: out of
 * memory. */
struct hy_cpu_context *hy_cpu_context_acquire(struct hy_cpu_context_pool *pool,
                                              const struct hy_cpu_graph *graph);
void hy_cpu_context_release(struct hy_cpu_context *context);

/* Removes a context from its pool. The caller owns the context afterwards. */
void hy_cpu_context_detach(struct hy_cpu_context *context);
void hy_cpu_context_pool_finish(struct hy_cpu_context_pool *pool);

/*
 * Binds the context to a plan: sets the shapes, and the data of every operand in the arena. The
 * arena lies in context->given if `given` is large enough. A context already bound to the same plan
 * in the same memory is left alone. Errors: HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_context_bind(struct hy_cpu_context *context,
                                               const struct hy_cpu_plan *plan,
                                               struct hy_error *err);

/* Allocates at least `bytes` bytes for an operand outside the arena. The context owns the memory
 * and reuses it. NULL: out of memory. */
struct hy_cpu_block *hy_cpu_context_spill(struct hy_cpu_context *context, uint32_t operand,
                                          size_t bytes);

/* Records the cached weights of the buffer behind an operand. False: out of memory. */
bool hy_cpu_context_set_cached_weights(struct hy_cpu_context *context, uint32_t operand,
                                       struct hy_cpu_cached_weights_ref weights);

#endif
