#ifndef HY_CPU_FALLBACK_PROGRAM_GRAPH_H
#define HY_CPU_FALLBACK_PROGRAM_GRAPH_H

#include "common/call.h"
#include "common/memory/arena.h"
#include "cpu_fallback/program/op.h"
#include "halyard/driver.h"

/* The largest tensor, in bytes: what the API promises to hold in 32 bits. */
#define HY_CPU_TENSOR_LIMIT ((uint64_t)UINT32_MAX)

/*
 * What is kept of one subgraph of a model view, validated. Every index is in range, every
 * operand that is read is a constant, an input or written by an earlier operation, every constant
 * is as long as its type says and in reach. Constants stay where they are unless that is the view
 * itself or misaligned.
 */
struct hy_cpu_operand {
    int32_t lifetime;
    bool is_constant;    /* its value has data, now and for good */
    bool is_unreachable; /* a constant in memory that could not be mapped */
    uint32_t body;       /* HY_LIFETIME_SUBGRAPH: index of the referenced subgraph */
};

struct hy_cpu_operation {
    int32_t type;
    bool is_dropped; /* folded, fused, or nobody reads what it writes */
    uint32_t input_count;
    uint32_t output_count;
    const uint32_t *inputs;
    const uint32_t *outputs;
    bool is_absorbed; /* a DEQUANTIZE whose input is read instead: stored.h */
};

struct hy_cpu_graph {
    const struct hy_host *host; /* that is asked for memory */
    struct hy_arena memory;
    uint32_t operand_count;
    uint32_t operand_room; /* of values and operands */
    uint32_t operation_count;
    uint32_t input_count;
    uint32_t output_count;
    struct hy_value *values;     /* as declared: `known` where the declaration is complete */
    struct hy_value *own_values; /* the same; NULL: they lie elsewhere */
    struct hy_cpu_operand *operands;
    struct hy_cpu_operation *operations;
    /* Per operand: the one that is read instead, see stored.h, or HY_CPU_NO_OPERAND; NULL: there
     * are none. */
    uint32_t *stored;
    const uint32_t *inputs;
    const uint32_t *outputs;
};

/*
 * Fills `graph` from `view`, the main subgraph of the model or one it refers to. Constants in pools
 * are mapped through `host`; those that cannot be are marked, not refused: only an operation that
 * reads one is lost. Errors: HY_BAD_DATA, HY_OUT_OF_MEMORY; nothing is left to finish then.
 */
HY_MUST_CHECK enum hy_code hy_cpu_graph_init(struct hy_cpu_graph *graph,
                                             const struct hy_model *model,
                                             const struct hy_subgraph *view,
                                             const struct hy_host *host, struct hy_error *err);

void hy_cpu_graph_finish(struct hy_cpu_graph *graph);

/* From now on the values are those given, which are equal and outlive the graph. */
void hy_cpu_graph_share_values(struct hy_cpu_graph *graph, struct hy_value *values);

/* Adds a constant INT32 and gives its index; HY_CPU_NO_OPERAND: out of memory. Moves values and
 * operands. */
#define HY_CPU_NO_OPERAND UINT32_MAX
uint32_t hy_cpu_graph_add_int(struct hy_cpu_graph *graph, int32_t number);

/* Operation `index` as shape inference sees it, over `values` (one per operand). */
struct hy_call hy_cpu_graph_call(const struct hy_cpu_graph *graph, uint32_t index,
                                 struct hy_value *values);

/* The operand that is read in the place of `operand`; HY_CPU_NO_OPERAND: none. */
static inline uint32_t hy_cpu_graph_stored(const struct hy_cpu_graph *graph, uint32_t operand)
{
    return graph->stored ? graph->stored[operand] : HY_CPU_NO_OPERAND;
}

/* True when operation `index` packs inputs, and all of them that are not left out are constant. */
bool hy_cpu_graph_can_pack(const struct hy_cpu_graph *graph, uint32_t index);

#endif
