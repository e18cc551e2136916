#ifndef HY_RUNTIME_PLAN_USES_H
#define HY_RUNTIME_PLAN_USES_H

#include "common/arena.h"
#include "common/error.h"
#include "halyard/driver.h"

#define HY_NO_OPERATION UINT32_MAX

/* Who writes and who reads each operand of a subgraph. */
struct hy_operand_uses {
    uint32_t *writer;  /* [operand]: the operation, or HY_NO_OPERATION */
    uint32_t *first;   /* [operand]: where its readers start; one entry more at the end */
    uint32_t *readers; /* operations, once for each argument */
};

/* Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_operand_uses_find(const struct hy_subgraph *graph,
                                                struct hy_arena *arena, struct hy_operand_uses *ret,
                                                struct hy_error *err);

#endif
