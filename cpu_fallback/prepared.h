#ifndef HY_CPU_FALLBACK_PREPARED_H
#define HY_CPU_FALLBACK_PREPARED_H

#include "cpu_fallback/program/context.h"
#include "cpu_fallback/run/execute.h"

/* Plans that a prepared model keeps for input shapes it has seen. */
#define HY_CPU_PLANS 16u

struct hy_cpu_buffers;
struct hy_cpu_tuning;

/* What a prepared model keeps for as long as it lives, and how to give that back. All zero bytes is
 * nothing. */
struct hy_cpu_owner {
    void (*release)(void *kept);
    void *kept;
};

/*
 * A prepared model of the CPU driver, or a body of IF and WHILE inside of one. Any number of
 * threads may execute it: what changes is in contexts, each used by one execution at a time, and in
 * two lists that only grow.
 */
struct hy_cpu_prepared {
    struct hy_cpu_program program;   /* its count of bursts is that of the model */
    struct hy_cpu_prepared **bodies; /* by index of the referenced subgraph, NULL if not needed; the
                                        whole model has them, bodies borrow them from it */
    uint32_t body_count;
    _Atomic(struct hy_cpu_plan *) plans; /* newest first */
    struct hy_cpu_plan *declared;        /* the only plan of a model that declares all shapes;
                                            else NULL */
    atomic_uint plan_count;
    struct hy_cpu_context_pool contexts;
    struct hy_cpu_buffers *buffers; /* of the device, for whole models, or NULL: it has none */
    struct hy_cpu_owner owner;      /* of the cache files that it was made from, if it was */
    bool is_tuned;                  /* since it is made: how its work is cut comes from a cache */
    struct hy_cpu_tuning *tuning; /* of the whole model: what will choose how work is cut, or NULL;
                                     ended and destroyed with it */
};

/* What to compile a model for, and what an earlier compilation made of it. */
struct hy_cpu_setup {
    const struct hy_host *host;
    const struct hy_kernel_table *kernels;
    uint32_t threads;                        /* the most that one execution uses */
    uint64_t l2_bytes;                       /* of one processor's second cache */
    const struct hy_cpu_image *image;        /* of the main subgraph, or NULL */
    struct hy_cpu_image *const *body_images; /* per referenced subgraph; used with `image` */
};

/*
 * Compiles the model as far as its shapes allow, so that a failure shows now and not in an
 * execution. Errors: HY_BAD_DATA, HY_FAILED (an operation without a kernel), HY_UNMAPPABLE,
 * HY_OUT_OF_MEMORY, HY_MISSED_DEADLINE (looked at before each body and each operation that is
 * computed now).
 */
HY_MUST_CHECK enum hy_code hy_cpu_prepared_create(const struct hy_model *model,
                                                  const struct hy_cpu_setup *setup,
                                                  struct hy_cpu_prepared **out,
                                                  struct hy_error *err);
void hy_cpu_prepared_destroy(struct hy_cpu_prepared *prepared);

/* One execution, from request to result, in the memory given if that will do (empty: none), which
 * is aligned to HY_KERNEL_ALIGNMENT. Errors: those of request.h and execute.h. */
HY_MUST_CHECK enum hy_code
hy_cpu_prepared_execute(struct hy_cpu_prepared *prepared, const struct hy_request *request,
                        struct hy_cpu_block given, const struct hy_cpu_limits *limits,
                        struct hy_output_shape *shapes, struct hy_error *err);

/* The same in a context of the caller's, who has set what is given to it. The request stays bound
 * to the context, without its buffers. */
HY_MUST_CHECK enum hy_code
hy_cpu_prepared_execute_in(struct hy_cpu_prepared *prepared, const struct hy_request *request,
                           struct hy_cpu_context *context, const struct hy_cpu_limits *limits,
                           struct hy_output_shape *shapes, struct hy_error *err);

/* The part of it before anything runs: the context is set up for the request, and for the plan that
 * goes with its shapes. It holds buffers then, also on failure: see hy_cpu_buffers_leave. Errors:
 * those of request.h, and HY_FAILED (shapes that do not go through). */
HY_MUST_CHECK enum hy_code hy_cpu_prepared_bind(struct hy_cpu_prepared *prepared,
                                                const struct hy_request *request,
                                                struct hy_cpu_context *context,
                                                struct hy_error *err);

/*
 * Runs a body in a context of its own that holds inputs, input_data and targets. Its outputs are
 * in context->values then, until the context runs again. Errors: those of execute.h.
 */
HY_MUST_CHECK enum hy_code hy_cpu_prepared_run(struct hy_cpu_prepared *body,
                                               struct hy_cpu_context *context,
                                               const struct hy_cpu_limits *limits,
                                               struct hy_error *err);

/* How much memory would do for any execution; 0: that differs from one to the next. */
uint64_t hy_cpu_prepared_memory(const struct hy_cpu_prepared *prepared);

/* For tests and reports: what compilation made of the model. */
struct hy_cpu_stats {
    uint32_t operations; /* of the model */
    uint32_t folded;     /* run once, while compiling */
    uint32_t dropped;    /* never run */
    uint32_t packed;     /* with packed weights */
    uint32_t plans;      /* kept */
    uint32_t choices;    /* operations of the newest plan that can be cut in several ways */
    uint32_t successors; /* plans that others have taken over from */
    uint32_t joined;     /* steps of the newest plan that a later one computes as well */
    size_t arena_bytes;  /* of the newest plan */
    size_t arena_least;  /* what lives at its busiest step: no arena could be smaller */
};

struct hy_cpu_stats hy_cpu_prepared_stats(const struct hy_cpu_prepared *prepared);

#endif
