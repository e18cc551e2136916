#ifndef HY_RUNTIME_PLAN_SUPPORT_SLICE_H
#define HY_RUNTIME_PLAN_SUPPORT_SLICE_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

/*
 * The part of a model for the support query of a device: operations with only the extensions that
 * the device offers and at most its feature level. A driver never gets unknown codes, nor scales
 * that its ABI version excludes for an operation.
 */
struct hy_model_slice {
    const struct hy_model *model; /* the app's model if complete; NULL: empty */
    const uint32_t *operations;   /* [operation of the slice]: number in the model. NULL: equal */
    const char **reasons;         /* [operation of the model]: why omitted. NULL: no omissions */
};

/* Makes a slice in memory of the arena. `abi` is the ABI version of the driver's build.
 * `wrong_scales`: see wrong_scales.h. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_model_slice_make(const struct hy_model *model,
                                               const struct hy_device_info *device, uint32_t abi,
                                               const char *const *wrong_scales,
                                               struct hy_arena *arena, struct hy_model_slice *ret,
                                               struct hy_error *err);

/* Returns the feature level of a part of a model, including all bodies for a part with an IF or
 * WHILE. Set `*bodies_level` to 0 before the first part of a model and pass it on from part to
 * part; the bodies are examined once. */
uint32_t hy_model_slice_level(const struct hy_model *model, const struct hy_subgraph *part,
                              uint32_t *bodies_level);

#endif
