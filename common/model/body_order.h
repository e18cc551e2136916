#ifndef HY_COMMON_MODEL_BODY_ORDER_H
#define HY_COMMON_MODEL_BODY_ORDER_H

#include "common/error.h"
#include "common/memory/arena.h"

#include <halyard/driver.h>

/* Bodies of IF and WHILE: the referenced subgraphs of an unchecked model. */
struct hy_body_order {
    uint32_t *bodies; /* indices of referenced subgraphs */
    uint32_t count;
};

/*
 * Finds the bodies needed by the main subgraph, without duplicates, each after its own bodies: a
 * valid order for compiling. The order lives in `memory`. Errors: BAD_DATA (an invalid or circular
 * reference, bodies nested deeper than HY_CONTROL_FLOW_DEPTH), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_body_order_find(const struct hy_model *model, struct hy_arena *memory,
                                              struct hy_body_order *ret, struct hy_error *err);

/* Checks that all referenced subgraphs have a valid order, including unused subgraphs. Allocates in
 * `memory`. Errors: as above. */
HY_MUST_CHECK enum hy_code hy_body_order_check(const struct hy_model *model,
                                               struct hy_arena *memory, struct hy_error *err);

#endif
