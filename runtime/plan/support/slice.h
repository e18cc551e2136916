#ifndef HY_RUNTIME_PLAN_SUPPORT_SLICE_H
#define HY_RUNTIME_PLAN_SUPPORT_SLICE_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

/*
 * What a device is asked about: the operations of a model that need no extension but those that it
 * offers, and no higher feature level than its own. A driver never meets codes that it cannot know,
 * nor scales that an operation cannot have, as far as the ABI that it was built with promises.
 */
struct hy_model_slice {
    const struct hy_model
        *model;                 /* the app's own where nothing is left out; NULL: nothing is left */
    const uint32_t *operations; /* [operation of the slice]: of the whole. NULL: the same */
    const char **reasons;       /* [operation of the whole]: why it is left out. NULL: none is */
};

/* All memory comes from the arena. `abi`: that the driver was built with. `wrong_scales`: see
 * wrong_scales.h. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_model_slice_make(const struct hy_model *model,
                                               const struct hy_device_info *device, uint32_t abi,
                                               const char *const *wrong_scales,
                                               struct hy_arena *arena, struct hy_model_slice *ret,
                                               struct hy_error *err);

/* The feature level that a part of a model needs, with all bodies if it has an IF or WHILE.
 * `*bodies_level` is 0 before the first part of a model, then kept from part to part: bodies are
 * looked at once. */
uint32_t hy_model_slice_level(const struct hy_model *model, const struct hy_subgraph *part,
                              uint32_t *bodies_level);

#endif
