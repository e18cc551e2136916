#ifndef HY_SERVICE_KEPT_MODEL_H
#define HY_SERVICE_KEPT_MODEL_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"
#include "plugins/service/wire/pack.h"

/* A model as it travels, to be sent as often as there are processes. What its pools point to stays
 * where it is for as long as what was made of the model. */
struct hy_kept_model {
    struct hy_arena arena;
    struct hy_pool *pools;
    uint32_t pool_count;
    struct hy_pack body;
};

void hy_kept_model_init(struct hy_kept_model *kept);

/* Errors: FAILED (memory by address), OUT_OF_MEMORY, those of packing. */
HY_MUST_CHECK enum hy_code hy_kept_model_make(struct hy_kept_model *kept,
                                              const struct hy_model *model, struct hy_error *err);
void hy_kept_model_finish(struct hy_kept_model *kept);

#endif
