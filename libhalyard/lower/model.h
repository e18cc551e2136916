#ifndef HY_LIBHALYARD_LOWER_MODEL_H
#define HY_LIBHALYARD_LOWER_MODEL_H

#include "libhalyard/lower/lower.h"

/* The NNAPI model under construction, and what has to live as long as the model. */

struct hy_made_constant;

struct hy_lowered_model {
    ANeuralNetworksModel *handle;
    struct hy_made_constant *constants; /* values that are not in the file */
    uint32_t *operators;                /* operation -> operator of the file */
    uint32_t operation_count, operation_room;
    struct hy_lowered_output *outputs;
};

HY_MUST_CHECK enum hy_code hy_lowered_model_create(struct hy_lowered_model **out,
                                                   struct hy_error *err);

/* Zeroed memory that lives as long as the model; NULL when memory has run out. */
void *hy_lowered_model_constant(struct hy_lowered_model *model, size_t bytes);

/* Notes that the next operation of the model is part of an operator of the file. */
HY_MUST_CHECK enum hy_code hy_lowered_model_note(struct hy_lowered_model *model, uint32_t origin,
                                                 struct hy_error *err);

#endif
