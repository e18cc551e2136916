#ifndef HY_RUNTIME_PLAN_SEARCH_FLOW_H
#define HY_RUNTIME_PLAN_SEARCH_FLOW_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

#include <stdbool.h>

#define HY_NO_OPERATION UINT32_MAX

/* What a tensor of unknown size counts as when the cost of moving it is estimated. */
#define HY_UNKNOWN_BYTES 65536u

/*
 * How data flows between the operations of a subgraph. Operations come in an order in which they
 * can run. Constants do not flow: they are neither read nor written here. An operation that names
 * an operand twice reads it once.
 */
struct hy_flow {
    uint32_t operation_count;
    uint32_t operand_count;
    uint32_t *read_first; /* [operation]: where its operands in `reads` start; one entry more */
    uint32_t *reads;
    uint32_t *write_first; /* [operation]: the same for `writes` */
    uint32_t *writes;
    uint32_t *reader_first; /* [operand]: the same for `readers` */
    uint32_t *readers;      /* operations, ascending for each operand */
    uint32_t *writer;       /* [operand]: the operation, or HY_NO_OPERATION */
    double *bytes;          /* [operand]: of what flows */
    bool *is_output;        /* [operand]: the caller of the graph reads it, too */
};

/* All memory comes from the arena. Linear. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_flow_make(const struct hy_subgraph *graph, struct hy_arena *arena,
                                        struct hy_flow *ret, struct hy_error *err);

/* The bytes of a value of this operand; 0 where the declaration leaves something open. */
uint64_t hy_operand_bytes(const struct hy_operand *operand);

#endif
