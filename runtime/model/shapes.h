#ifndef HY_RUNTIME_MODEL_SHAPES_H
#define HY_RUNTIME_MODEL_SHAPES_H

#include "app_model.h"

/*
 * Gives temporaries whose shape the app left open the shape that follows from the inputs of the
 * operation that writes them, where these are known: devices and planner then know it too. Outputs
 * of the model stay as the app declared them, since that is what it is held to. What contradicts a
 * declaration is left for the compilation to find. `order`: the operations, sorted.
 */
void hy_app_model_complete_shapes(struct hy_app_model *model, const uint32_t *order);

#endif
