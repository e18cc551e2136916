#ifndef HY_CPU_FALLBACK_PROGRAM_GRAPH_H
#define HY_CPU_FALLBACK_PROGRAM_GRAPH_H

#include "common/call.h"
#include "common/memory/arena.h"
#include "cpu_fallback/program/op.h"
#include "halyard/driver.h"

/* The largest tensor in bytes: the API promises that lengths fit 32 bits. */
#define HY_CPU_TENSOR_LIMIT ((uint64_t)UINT32_MAX)

/*
 * A validated copy of a subgraph of a model view. Every index is in range. Every operand that is
 * read is a constant, an input, or written by an earlier operation. Every constant has the length
 * of its type. Constants in pools stay in the mapped pool, unless they are misaligned or determine
 * shapes or parameters; all others are copied.
 */
struct hy_cpu_operand {
    int32_t lifetime;
    bool is_constant;    /* its value never changes */
    bool is_unreachable; /* a constant whose pool cannot be mapped */
    uint32_t body;       /* index of the subgraph, for HY_LIFETIME_SUBGRAPH */
};

struct hy_cpu_operation {
    int32_t type;
    bool is_dropped; /* folded, fused, or its outputs are never read */
    uint32_t input_count;
    uint32_t output_count;
    const uint32_t *inputs;
    const uint32_t *outputs;
    bool is_absorbed; /* a DEQUANTIZE whose readers read its input, see stored.h */
};

struct hy_cpu_graph {
    const struct hy_host *host; /* for memory quotas */
    struct hy_arena memory;
    uint32_t operand_count;
    uint32_t operand_capacity; /* capacity of values and operands */
    uint32_t operation_count;
    uint32_t input_count;
    uint32_t output_count;
    struct hy_value *values;     /* as declared; `known` if the declaration is complete */
    struct hy_value *own_values; /* equal to `values`, or NULL if another object owns them */
    struct hy_cpu_operand *operands;
    struct hy_cpu_operation *operations;
    /* Per operand: the operand to read instead (stored.h), or HY_CPU_NO_OPERAND. NULL: none. */
    uint32_t *stored;
    const uint32_t *inputs;
    const uint32_t *outputs;
};

/*
 * Fills `graph` from `view`, the main subgraph of the model or a referenced subgraph. Constants in
 * pools are mapped through `host`. A constant that cannot be mapped is only marked: operations that
 * read the constant are then unsupported. Errors: HY_BAD_DATA, HY_OUT_OF_MEMORY; an error leaves
 * nothing to finish.
 */
HY_MUST_CHECK enum hy_code hy_cpu_graph_init(struct hy_cpu_graph *graph,
                                             const struct hy_model *model,
                                             const struct hy_subgraph *view,
                                             const struct hy_host *host, struct hy_error *err);

void hy_cpu_graph_finish(struct hy_cpu_graph *graph);

/* Replaces the values of the graph by equal values of another owner, which must outlive the
 * graph. */
void hy_cpu_graph_adopt_values(struct hy_cpu_graph *graph, struct hy_value *values);

/* Adds a constant INT32 and returns its index; HY_CPU_NO_OPERAND: out of memory. May move the
 * arrays `values` and `operands`. */
#define HY_CPU_NO_OPERAND UINT32_MAX
uint32_t hy_cpu_graph_add_int(struct hy_cpu_graph *graph, int32_t number);

/* The call of operation `index` for shape inference, on `values` (one per operand). */
struct hy_call hy_cpu_graph_call(const struct hy_cpu_graph *graph, uint32_t index,
                                 struct hy_value *values);

/* The operand to read instead of `operand`; HY_CPU_NO_OPERAND: read `operand` itself. */
static inline uint32_t hy_cpu_graph_stored(const struct hy_cpu_graph *graph, uint32_t operand)
{
    return graph->stored ? graph->stored[operand] : HY_CPU_NO_OPERAND;
}

/* True if operation `index` packs inputs and all present ones of these inputs are constant. */
bool hy_cpu_graph_can_pack(const struct hy_cpu_graph *graph, uint32_t index);

#endif
