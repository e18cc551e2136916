#ifndef HY_RUNTIME_MODEL_APP_MODEL_H
#define HY_RUNTIME_MODEL_APP_MODEL_H

/*
 * The inside of an app's model, for the files of this folder. operands.c and values.c fill in
 * operands, operations.c operations and the lists of inputs and outputs; finish.c closes it all,
 * with the help of check.c and sort.c.
 */
#include "common/memory/arena.h"
#include "flat_models.h"
#include "model.h"

#include <stdatomic.h>

/* More operands, or operations, than this are refused. */
#define HY_MODEL_MAX_ENTRIES (UINT32_C(1) << 24)

/* Where the value of a HY_LIFETIME_CONSTANT_POOL operand lies, the first or the second; its place
 * in there is the operand's location, and the pool gets its number when the model is finished. What
 * a HY_LIFETIME_SUBGRAPH operand refers to is the third. */
struct hy_value_source {
    const void *host;           /* memory of the app */
    struct hy_memory *memory;   /* counted here */
    struct hy_app_model *model; /* finished, counted here */
    bool is_used;               /* by an operation, which was checked with the operand as it was */
};

struct hy_app_model {
    atomic_uint references;
    enum hy_model_state state;
    bool relaxed;
    bool identified;       /* inputs and outputs are named */
    struct hy_arena arena; /* extents, channel scales and index lists */

    struct hy_operand *operands;
    struct hy_value_source *sources; /* one for each operand */
    uint32_t operand_count;

    struct hy_operation *operations; /* as added */
    uint32_t operation_count;
    uint32_t operations_level; /* the highest that an operation needed when it was added */
    bool needs_recheck;        /* an operand in use was changed since then */

    uint8_t *values; /* copied constants, each at a multiple of 4 */
    size_t values_size;
    size_t values_room;

    const uint32_t *inputs;
    const uint32_t *outputs;
    uint32_t input_count;
    uint32_t output_count;

    /* Made by finish. */
    struct hy_operation *sorted;
    uint32_t *order;       /* for each sorted operation, its number as added */
    struct hy_pool *pools; /* of its own constants */
    uint32_t pool_count;
    struct hy_extension_prefix *extensions; /* also of the models that it refers to */
    uint32_t extension_count;
    uint32_t depth; /* of the models that it refers to: 0 for none, 1 if they refer to none */
    struct hy_flat_models flat;
    struct hy_subgraph main;
    struct hy_model view;

    _Atomic(struct hy_shared_pools *) shared; /* made when a device needs them; or NULL */
    _Atomic(struct hy_shared_pools *) sealed; /* the same for devices in processes of their own */
};

/* BAD_STATE unless the model may still be changed. */
HY_MUST_CHECK enum hy_code hy_app_model_check_building(const struct hy_app_model *model,
                                                       struct hy_error *err);

/* BAD_DATA unless the operand exists. */
HY_MUST_CHECK enum hy_code hy_app_model_check_operand(const struct hy_app_model *model,
                                                      uint32_t operand, struct hy_error *err);

/* An operand has got another value or other scales: operations that have it are to be checked again
 * when the model is finished. */
static inline void hy_app_model_note_change(struct hy_app_model *model, uint32_t operand)
{
    model->needs_recheck |= model->sources[operand].is_used;
}

#endif
