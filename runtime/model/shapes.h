#ifndef HY_RUNTIME_MODEL_SHAPES_H
#define HY_RUNTIME_MODEL_SHAPES_H

#include "app_model.h"

/*
 * Infers the open shapes of temporaries from the inputs of the writing operations, if known, for
 * planner and devices. Outputs of the model keep their declared shape, because the app relies on
 * the declaration. Contradictions with a declared shape are found at compilation. `order`: the
 * sorted operations.
 */
void hy_app_model_complete_shapes(struct hy_app_model *model, const uint32_t *order);

#endif
