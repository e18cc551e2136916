#ifndef HY_SERVICE_SAVED_MODEL_H
#define HY_SERVICE_SAVED_MODEL_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"
#include "plugins/service/wire/pack.h"

/* A serialized copy of a model, to be sent to each new process. The memory of the pools is not
 * copied and must live as long as the prepared model. */
struct hy_saved_model {
    struct hy_arena arena;
    struct hy_pool *pools;
    uint32_t pool_count;
    struct hy_pack body;
};

void hy_saved_model_init(struct hy_saved_model *saved);

/* Serializes `model` into an initialized `kept`. Errors: FAILED (memory by address), OUT_OF_MEMORY,
 * errors of packing. Call hy_saved_model_finish after a failure as well. */
HY_MUST_CHECK enum hy_code hy_saved_model_make(struct hy_saved_model *saved,
                                               const struct hy_model *model, struct hy_error *err);
void hy_saved_model_finish(struct hy_saved_model *saved);

#endif
