#ifndef HY_RUNTIME_MODEL_FLAT_MODELS_H
#define HY_RUNTIME_MODEL_FLAT_MODELS_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stddef.h>

struct hy_app_model;

/*
 * The models that a model refers to, and those that they refer to in turn: each once, as subgraphs
 * of one view. In a view all subgraphs share values and pools, so here are copies of the operands
 * with locations in the shared ones, in which the model's own values and pools come first. All zero
 * for a model that refers to none.
 */
struct hy_flat_models {
    struct hy_app_model **models; /* each after those it refers to; kept alive by the operands */
    uint32_t count;
    struct hy_subgraph *graphs;
    const struct hy_subgraph **list; /* of `graphs`, as a view needs it */
    struct hy_operand *operands;     /* of all graphs */
    uint8_t *values;
    size_t values_size;
    struct hy_pool *pools;
    uint32_t pool_count;
};

/*
 * Fills `flat` for a model that is complete but for it; `pools` are the model's own. Gives the
 * operands of type MODEL the indices of what they refer to. On failure there is nothing to finish.
 * Errors: BAD_DATA (too many models), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_flat_models_make(struct hy_app_model *model,
                                               const struct hy_pool *pools, uint32_t pool_count,
                                               struct hy_flat_models *flat, struct hy_error *err);

void hy_flat_models_finish(struct hy_flat_models *flat);

#endif
