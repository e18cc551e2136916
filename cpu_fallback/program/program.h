#ifndef HY_CPU_FALLBACK_PROGRAM_PROGRAM_H
#define HY_CPU_FALLBACK_PROGRAM_PROGRAM_H

#include <stdatomic.h>

#include "cpu_fallback/cache/compiled_view.h"
#include "cpu_fallback/program/cpu_call.h"

struct hy_cpu_prepared;

/* A subgraph of a model view, as input of compilation. */
struct hy_cpu_source {
    const struct hy_model *model;
    const struct hy_subgraph *view;
    struct hy_cpu_prepared *const *bodies; /* see hy_cpu_program */
    const struct hy_cpu_compiled_view
        *compiled_view; /* result of an earlier compilation, or NULL */
    uint64_t l2_bytes;  /* L2 cache of one core */
};

/*
 * A compiled subgraph, independent of input shapes: the graph after fusing and folding, the kernel
 * table, and the packed weights. Constant after creation, except for weights packed at first use.
 */
struct hy_cpu_program {
    const struct hy_host *host;
    const struct hy_kernel_table *kernels;
    uint32_t threads;
    bool has_fixed_shapes; /* every input has a fixed shape */
    uint64_t l2_bytes;
    struct hy_cpu_prepared *const
        *bodies; /* by index of the referenced subgraph; NULL for unused ones */
    struct hy_cpu_graph graph;
    struct hy_cpu_weights *weights; /* per operation */
    struct hy_cpu_weights_arena weights_arena;
    /* Per operand of the view: the folded value, or NULL; the array is NULL if nothing was
     * folded. */
    void **folded_values;
    atomic_uint bursts; /* open bursts of the model that keep workers awake */
    uint32_t folded;    /* operations whose outputs became constants */
    uint32_t dropped;   /* operations that were fused or have no reader */
};

/*
 * Compiles the subgraph for a device with `kernels` and at most `threads` threads per execution.
 * Errors: HY_BAD_DATA, HY_FAILED (an operation without a kernel), HY_UNMAPPABLE, HY_OUT_OF_MEMORY,
 * HY_MISSED_DEADLINE.
 */
HY_MUST_CHECK enum hy_code hy_cpu_program_init(struct hy_cpu_program *program,
                                               const struct hy_cpu_source *source,
                                               const struct hy_host *host,
                                               const struct hy_kernel_table *kernels,
                                               uint32_t threads, struct hy_error *err);
void hy_cpu_program_finish(struct hy_cpu_program *program);

/* Frees the folded value of an operand that is read only as packed weights, or never. */
void hy_cpu_program_release_folded(struct hy_cpu_program *program, uint32_t operand);

/* Resolves a call of operation `index` whose shapes are known; the step lives in `memory`.
 * `blocking`: the blocking to use, or NULL. Errors: HY_FAILED (the operation does not have the
 * blocking), HY_MISSED_DEADLINE, and those of hy_cpu_resolve_fn. */
HY_MUST_CHECK enum hy_code hy_cpu_program_resolve(const struct hy_cpu_program *program,
                                                  uint32_t index, const struct hy_call *call,
                                                  const struct hy_cpu_blocking *blocking,
                                                  struct hy_arena *memory, struct hy_cpu_step *step,
                                                  struct hy_error *err);

/* Prefixes the message of an error with the operation, as in "operation 3 CONV_2D: ". Returns
 * `code`. */
enum hy_code hy_cpu_program_annotate_error(const struct hy_cpu_graph *graph, uint32_t index,
                                           enum hy_code code, struct hy_error *err);

#endif
