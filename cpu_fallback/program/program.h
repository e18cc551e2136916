#ifndef HY_CPU_FALLBACK_PROGRAM_PROGRAM_H
#define HY_CPU_FALLBACK_PROGRAM_PROGRAM_H

#include <stdatomic.h>

#include "cpu_fallback/cache/image.h"
#include "cpu_fallback/program/call.h"

struct hy_cpu_prepared;

/* A subgraph of a model view, to be compiled. */
struct hy_cpu_source {
    const struct hy_model *model;
    const struct hy_subgraph *view;
    struct hy_cpu_prepared *const *bodies; /* as in hy_cpu_program */
    const struct hy_cpu_image *image;      /* what it was compiled to before, or NULL */
    uint64_t l2_bytes;                     /* of one processor's second cache */
};

/*
 * A compiled subgraph, shape by shape independent: the graph after fusing and folding, the kernels
 * it uses, and the packed weights. Constant once made, except for the weights that are packed at
 * first use.
 */
struct hy_cpu_program {
    const struct hy_host *host;
    const struct hy_kernel_table *kernels;
    uint32_t threads;
    bool has_fixed_shapes; /* each input has the shape that the model declares */
    uint64_t l2_bytes;
    struct hy_cpu_prepared *const *bodies; /* by index of the referenced subgraph: what became of
                                              it. Those that no operation refers to: NULL */
    struct hy_cpu_graph graph;
    struct hy_cpu_weights *weights; /* one slot per operation */
    struct hy_cpu_weights_room room;
    void **folded_values; /* per operand of the view: what folding made, or NULL; NULL: nothing */
    atomic_uint bursts;   /* of the whole model that are open and keep workers awake */
    uint32_t folded;      /* operations whose results became constants */
    uint32_t dropped;     /* those whose results nobody reads, or that others do as well */
};

/*
 * Compiles the subgraph for one device. `kernels` are the device's, `threads` the most it may use.
 * Errors: HY_BAD_DATA, HY_FAILED (an operation without a kernel), HY_UNMAPPABLE, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_program_init(struct hy_cpu_program *program,
                                               const struct hy_cpu_source *source,
                                               const struct hy_host *host,
                                               const struct hy_kernel_table *kernels,
                                               uint32_t threads, struct hy_error *err);
void hy_cpu_program_finish(struct hy_cpu_program *program);

/* Frees what folding made of an operand that nothing reads any more but as packed weights. */
void hy_cpu_program_release_folded(struct hy_cpu_program *program, uint32_t operand);

/* Resolves a settled call of operation `index`; what the step needs is taken from `memory`.
 * `choice`: how to cut its work, or NULL. HY_FAILED: not so, or as resolving fails. */
HY_MUST_CHECK enum hy_code hy_cpu_program_resolve(const struct hy_cpu_program *program,
                                                  uint32_t index, const struct hy_call *call,
                                                  const struct hy_cpu_choice *choice,
                                                  struct hy_arena *memory, struct hy_cpu_step *step,
                                                  struct hy_error *err);

/* Puts "operation 3 CONV_2D: " before the words of a failure. */
enum hy_code hy_cpu_program_blame(const struct hy_cpu_graph *graph, uint32_t index,
                                  enum hy_code code, struct hy_error *err);

#endif
