#ifndef HY_CPU_FALLBACK_CPU_PREPARED_H
#define HY_CPU_FALLBACK_CPU_PREPARED_H

#include "cpu_fallback/program/context.h"
#include "cpu_fallback/run/execute.h"

/* The most plans in a prepared model, each for a different set of input shapes. */
#define HY_CPU_PLANS 16u

struct hy_cpu_buffers;
struct hy_cpu_tuning;

/* A resource owned by a prepared model, and the function that releases it when the prepared model
 * is destroyed. All zero bytes is no resource. */
struct hy_cpu_owner {
    void (*release)(void *resource);
    void *resource;
};

/*
 * A prepared model of the CPU driver, or a body of IF and WHILE inside one. Any number of threads
 * may execute a prepared model at once. Mutable state lives in contexts, each used by one execution
 * at a time, and in two lists that only grow.
 */
struct hy_cpu_prepared {
    struct hy_cpu_program program;   /* `program.bursts` counts the bursts of the whole model */
    struct hy_cpu_prepared **bodies; /* by index of the referenced subgraph, NULL if unused; owned
                                        by the whole model and shared with its bodies */
    uint32_t body_count;
    _Atomic(struct hy_cpu_plan *) plans;
    struct hy_cpu_plan
        *declared; /* the plan of a model that declares all input shapes; else NULL */
    atomic_uint plan_count;
    struct hy_cpu_context_pool contexts;
    struct hy_cpu_buffers
        *buffers; /* of the device; NULL for bodies, and for a device without buffers */
    struct hy_cpu_owner owner; /* the cache files of a restored model */
    bool is_tuned;             /* its blocking came from a cache, already tuned */
    /* Pending tuning of the whole model, or NULL. Destroyed with the model. */
    struct hy_cpu_tuning *tuning;
};

/* The target of a compilation, and the restored results of an earlier compilation. */
struct hy_cpu_setup {
    const struct hy_host *host;
    const struct hy_kernel_table *kernels;
    uint32_t threads;                                 /* maximum per execution */
    uint64_t l2_bytes;                                /* L2 cache of one core */
    const struct hy_cpu_compiled_view *compiled_view; /* restored main subgraph, or NULL */
    struct hy_cpu_compiled_view *const
        *body_views; /* per referenced subgraph; read only if `image` is set */
};

/*
 * Compiles the model as far as its shapes allow, so that most failures appear now instead of in an
 * execution. Errors: HY_BAD_DATA, HY_FAILED (an operation without a kernel), HY_UNMAPPABLE,
 * HY_OUT_OF_MEMORY, HY_MISSED_DEADLINE (checked before each body and each folded or resolved
 * operation).
 */
HY_MUST_CHECK enum hy_code hy_cpu_prepared_create(const struct hy_model *model,
                                                  const struct hy_cpu_setup *setup,
                                                  struct hy_cpu_prepared **out,
                                                  struct hy_error *err);
void hy_cpu_prepared_destroy(struct hy_cpu_prepared *prepared);

/* Runs one request. `given` is memory of the host, aligned to HY_KERNEL_ALIGNMENT, for tensors and
 * scratch; an empty or too small block is ignored. Errors: see request.h and execute.h. */
HY_MUST_CHECK enum hy_code
hy_cpu_prepared_execute(struct hy_cpu_prepared *prepared, const struct hy_request *request,
                        struct hy_cpu_block given, const struct hy_cpu_limits *limits,
                        struct hy_output_shape *shapes, struct hy_error *err);

/* The same in a context of the caller, who has set context->given. Afterwards the context still
 * holds the request, but no longer the buffers of the request. */
HY_MUST_CHECK enum hy_code
hy_cpu_prepared_execute_in(struct hy_cpu_prepared *prepared, const struct hy_request *request,
                           struct hy_cpu_context *context, const struct hy_cpu_limits *limits,
                           struct hy_output_shape *shapes, struct hy_error *err);

/* Binds a context to a request and to the plan for its shapes; runs nothing. The context holds the
 * buffers of the request afterwards, also after a failure: call hy_cpu_buffers_leave. Errors: see
 * request.h, and HY_FAILED (an operation does not accept the shapes). */
HY_MUST_CHECK enum hy_code hy_cpu_prepared_bind(struct hy_cpu_prepared *prepared,
                                                const struct hy_request *request,
                                                struct hy_cpu_context *context,
                                                struct hy_error *err);

/*
 * Runs a body. The caller has set inputs, input_data and targets of the context. The outputs are in
 * context->values until the context runs again. Errors: see execute.h.
 */
HY_MUST_CHECK enum hy_code hy_cpu_prepared_run(struct hy_cpu_prepared *body,
                                               struct hy_cpu_context *context,
                                               const struct hy_cpu_limits *limits,
                                               struct hy_error *err);

/* Bytes of scratch memory that suffice for any execution; 0 if the size differs between
 * executions. */
uint64_t hy_cpu_prepared_memory(const struct hy_cpu_prepared *prepared);

/* For tests and reports: the results of compilation. */
struct hy_cpu_stats {
    uint32_t operations; /* in the model */
    uint32_t folded;     /* computed at compile time */
    uint32_t dropped;    /* dropped and never run */
    uint32_t packed;     /* with packed weights */
    uint32_t plans;      /* cached */
    uint32_t blockings;  /* operations of the newest plan with several blockings */
    uint32_t successors; /* plans replaced by a tuned plan */
    uint32_t joined;     /* steps of the newest plan that run inside a chain of a later step */
    size_t arena_bytes;  /* of the newest plan */
    size_t arena_least;  /* lower bound of arena_bytes: the live bytes of the busiest step */
};

struct hy_cpu_stats hy_cpu_prepared_stats(const struct hy_cpu_prepared *prepared);

#endif
