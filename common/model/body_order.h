#ifndef HY_COMMON_MODEL_BODY_ORDER_H
#define HY_COMMON_MODEL_BODY_ORDER_H

#include "common/error.h"
#include "common/memory/arena.h"

#include <halyard/driver.h>

/* Bodies of IF and WHILE: referenced subgraphs of a model, of which nothing has been checked. */
struct hy_body_order {
    uint32_t *bodies; /* indices of referenced subgraphs */
    uint32_t count;
};

/*
 * The bodies that the main subgraph needs, each once and after those that it refers to itself: in
 * this order they can be compiled. The order lives in `memory`. Errors: BAD_DATA (a reference that
 * leads nowhere or in a circle, bodies nested deeper than HY_CONTROL_FLOW_DEPTH), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_body_order_find(const struct hy_model *model, struct hy_arena *memory,
                                              struct hy_body_order *ret, struct hy_error *err);

/* Whether the referenced subgraphs have such an order, those included that nothing refers to. Takes
 * some of `memory`. Errors: as above. */
HY_MUST_CHECK enum hy_code hy_body_order_check(const struct hy_model *model,
                                               struct hy_arena *memory, struct hy_error *err);

#endif
