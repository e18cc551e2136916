#ifndef HY_RUNTIME_MODEL_APP_MODEL_H
#define HY_RUNTIME_MODEL_APP_MODEL_H

/*
 * Internals of a model under construction, for the files of this directory. model_operands.c and
 * values.c fill in operands; model_operations.c fills in operations and the lists of inputs and
 * outputs; finish.c completes the model with check.c and sort.c.
 */
#include "common/memory/arena.h"
#include "flat_models.h"
#include "model.h"

#include <stdatomic.h>

/* Limit for the number of operands, and for the number of operations. */
#define HY_MODEL_MAX_ENTRIES (UINT32_C(1) << 24)

/* The source of an operand's value. A HY_LIFETIME_CONSTANT_POOL operand has `host` or `memory`. Its
 * offset is the location of the operand, and finish assigns the pool number. A HY_LIFETIME_SUBGRAPH
 * operand has `model`. */
struct hy_value_source {
    const void *host;           /* memory of the app */
    struct hy_memory *memory;   /* retained */
    struct hy_app_model *model; /* finished, retained */
    bool is_used;               /* by an operation that was checked with the operand */
};

struct hy_app_model {
    atomic_uint references;
    enum hy_model_state state;
    bool relaxed;
    bool identified;       /* inputs and outputs are identified */
    struct hy_arena arena; /* extents, channel scales and index lists */

    struct hy_operand *operands;
    struct hy_value_source *sources; /* one per operand */
    uint32_t operand_count;

    struct hy_operation *operations; /* in the order of addition */
    uint32_t operation_count;
    uint32_t operations_level; /* highest feature level of the operations when added */
    bool needs_recheck;        /* an operand in use has changed since */

    uint8_t *values; /* copied constants, each aligned to 4 bytes */
    size_t values_size;
    size_t values_capacity;

    const uint32_t *inputs;
    const uint32_t *outputs;
    uint32_t input_count;
    uint32_t output_count;

    /* Made by finish. */
    struct hy_operation *sorted;
    uint32_t *order;       /* [sorted operation]: its number in the order of addition */
    struct hy_pool *pools; /* of the model's own constants */
    uint32_t pool_count;
    struct hy_extension_prefix *extensions; /* including those of referenced models */
    uint32_t extension_count;
    uint32_t depth; /* nesting depth of referenced models: 0 without references */
    struct hy_flat_models flat;
    struct hy_subgraph main;
    struct hy_model view;

    _Atomic(struct hy_shared_pools *) shared; /* created when a device needs it, or NULL */
    _Atomic(struct hy_shared_pools *) sealed; /* likewise, for devices in service processes */
};

/* BAD_STATE unless the model may still be changed. */
HY_MUST_CHECK enum hy_code hy_app_model_check_building(const struct hy_app_model *model,
                                                       struct hy_error *err);

/* BAD_DATA unless the operand exists. */
HY_MUST_CHECK enum hy_code hy_app_model_check_operand(const struct hy_app_model *model,
                                                      uint32_t operand, struct hy_error *err);

/* Call after a change of an operand's value or scales. Finish then checks the operations with the
 * operand again. */
static inline void hy_app_model_note_change(struct hy_app_model *model, uint32_t operand)
{
    model->needs_recheck |= model->sources[operand].is_used;
}

#endif
