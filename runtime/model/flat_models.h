#ifndef HY_RUNTIME_MODEL_FLAT_MODELS_H
#define HY_RUNTIME_MODEL_FLAT_MODELS_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stddef.h>

struct hy_app_model;

/*
 * All models referenced directly or indirectly by a model, without duplicates, as subgraphs of one
 * view. All subgraphs of a view share values and pools. The struct therefore holds copies of the
 * operands with locations in the shared values and pools, in which the values and pools of the main
 * model come first. Zeroed for a model without references.
 */
struct hy_flat_models {
    struct hy_app_model **models; /* each after its referenced models; retained by the operands */
    uint32_t count;
    struct hy_subgraph *graphs;
    const struct hy_subgraph **list; /* pointers into `graphs`, for a view */
    struct hy_operand *operands;     /* of all graphs */
    uint8_t *values;
    size_t values_size;
    struct hy_pool *pools;
    uint32_t pool_count;
};

/*
 * Fills `flat` for a model that is otherwise complete; `pools` are the pools of the model itself.
 * Sets the subgraph index of each operand of type MODEL. After a failure `flat` needs no finish.
 * Errors: BAD_DATA (too many models), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_flat_models_make(struct hy_app_model *model,
                                               const struct hy_pool *pools, uint32_t pool_count,
                                               struct hy_flat_models *flat, struct hy_error *err);

void hy_flat_models_finish(struct hy_flat_models *flat);

#endif
