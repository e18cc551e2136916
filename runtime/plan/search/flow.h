#ifndef HY_RUNTIME_PLAN_SEARCH_FLOW_H
#define HY_RUNTIME_PLAN_SEARCH_FLOW_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

#include <stdbool.h>

#define HY_NO_OPERATION UINT32_MAX

/* Assumed bytes of a tensor with unknown size, for transfer costs. */
#define HY_UNKNOWN_BYTES 65536u

/*
 * The data flow between the operations of a subgraph, in an executable order. Constants are not
 * part of the flow. An operation with the same operand twice reads the operand once.
 */
struct hy_flow {
    uint32_t operation_count;
    uint32_t operand_count;
    uint32_t *read_first; /* [operation]: start of its operands in `reads`; one entry more */
    uint32_t *reads;
    uint32_t *write_first; /* [operation]: likewise for `writes` */
    uint32_t *writes;
    uint32_t *reader_first; /* [operand]: likewise for `readers` */
    uint32_t *readers;      /* operations, ascending for each operand */
    uint32_t *writer;       /* [operand]: writing operation, or HY_NO_OPERATION */
    double *bytes;          /* [operand]: size */
    bool *is_output;        /* [operand]: an output of the graph */
};

/* Makes a flow in memory of the arena. Linear. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_flow_make(const struct hy_subgraph *graph, struct hy_arena *arena,
                                        struct hy_flow *ret, struct hy_error *err);

/* Size of the operand's value in bytes; 0 if unknown. */
uint64_t hy_operand_bytes(const struct hy_operand *operand);

#endif
