#ifndef HY_CPU_FALLBACK_PROGRAM_CONTEXT_H
#define HY_CPU_FALLBACK_PROGRAM_CONTEXT_H

#include <stdatomic.h>

#include "cpu_fallback/buffers/kept.h"
#include "cpu_fallback/memory.h"
#include "cpu_fallback/program/plan.h"
#include "cpu_fallback/run/late.h"
#include "driver_kit/pool_map.h"

/* Contexts that a prepared model keeps; executions above this many at once make their own. */
#define HY_CPU_CONTEXTS 16u

struct hy_cpu_buffer;

/* Where one output of the model goes. */
struct hy_cpu_target {
    struct hy_shape declared;     /* by the model and the request together */
    void *room;                   /* NULL when the length is 0 */
    uint64_t length;              /* both of a buffer: once its shape is known */
    struct hy_cpu_buffer *buffer; /* NULL: it is no buffer of the device */
    bool is_omitted;
    bool is_write_only; /* the room: what is computed lies elsewhere until it is whole */
};

struct hy_cpu_mapping {
    void *address;
    uint32_t protection;          /* that the request needs; 0: not used */
    struct hy_cpu_buffer *buffer; /* of the device, held by the context; it has no protection */
};

/*
 * What one execution needs to itself. Everything in it grows as needed and is kept, so that an
 * execution like one before allocates nothing.
 */
struct hy_cpu_context {
    const struct hy_cpu_plan *plan; /* that the rest is set up for, or NULL */
    struct hy_cpu_plan *own_plan;   /* one that the prepared model did not keep, or NULL */
    const struct hy_host *host;     /* that is asked for memory */
    struct hy_arena memory;
    struct hy_value *values;     /* per operand: shape and data in this execution */
    struct hy_call *calls;       /* per operation, over these values */
    struct hy_cpu_late *late;    /* per operation: steps resolved while running; NULL: none yet */
    struct hy_cpu_block *spills; /* per operand: what has no place in the arena; NULL: none yet */
    struct hy_cpu_block arena;   /* its own, made when it is needed; the next, too */
    struct hy_cpu_block scratch;
    struct hy_cpu_block given; /* the host's, for this execution, to be used if it will do */
    struct hy_pool_map *pools; /* of the burst that this execution belongs to, or NULL */
    uint8_t *tensors;          /* where the arena is, of the two */
    void *work;                /* the same of scratch */
    uint32_t operand_count;
    uint32_t operation_count;
    /* the request */
    struct hy_cpu_input *inputs;
    void **input_data;
    struct hy_cpu_target *targets;
    struct hy_cpu_mapping *mappings;
    uint32_t mapping_room;
    uint32_t pool_count;              /* of a request with buffers */
    bool has_buffers;                 /* among the mappings */
    bool is_alone;                    /* this run leaves other threads out */
    struct hy_cpu_kept_weights *kept; /* per operand: of inputs that are buffers; NULL: none yet */
    struct hy_cpu_context_slot *slot; /* where it stays, or NULL */
    uint32_t runs;                    /* counted up to the one that has the model tuned */
};

struct hy_cpu_context_slot {
    atomic_bool is_taken;           /* whoever sets it owns the context */
    struct hy_cpu_context *context; /* NULL until it is needed */
};

/* Contexts, taken and given back without a lock. All zero bytes is empty. */
struct hy_cpu_context_pool {
    struct hy_cpu_context_slot slots[HY_CPU_CONTEXTS];
};

/* A context of the caller's own. NULL: out of memory. */
struct hy_cpu_context *hy_cpu_context_create(const struct hy_cpu_graph *graph);
void hy_cpu_context_destroy(struct hy_cpu_context *context); /* takes NULL */

/* A context of the pool; when all are taken, a new one. NULL: out of memory. */
struct hy_cpu_context *hy_cpu_context_acquire(struct hy_cpu_context_pool *pool,
                                              const struct hy_cpu_graph *graph);
void hy_cpu_context_release(struct hy_cpu_context *context);

/* Takes a context out of its pool: it is the caller's from now on. */
void hy_cpu_context_take_over(struct hy_cpu_context *context);
void hy_cpu_context_pool_finish(struct hy_cpu_context_pool *pool);

/*
 * Sets the context up for a plan: shapes, the arena and the data of everything that has a place, in
 * the memory given if there is enough of it. Nothing is done when it is set up for that plan there
 * already. HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_context_bind(struct hy_cpu_context *context,
                                               const struct hy_cpu_plan *plan,
                                               struct hy_error *err);

/* Memory of the context's own for an operand that has no place in the arena: `bytes` at least, kept
 * with the context. NULL: out of memory. */
struct hy_cpu_block *hy_cpu_context_spill(struct hy_cpu_context *context, uint32_t operand,
                                          size_t bytes);

/* Notes the weights that the operand's buffer keeps. False: out of memory. */
bool hy_cpu_context_keep(struct hy_cpu_context *context, uint32_t operand,
                         struct hy_cpu_kept_weights weights);

#endif
