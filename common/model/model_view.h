#ifndef HY_COMMON_MODEL_MODEL_VIEW_H
#define HY_COMMON_MODEL_MODEL_VIEW_H

#include <halyard/driver.h>

#include <stdbool.h>

/* Queries on the view of a model (struct hy_model). */

static inline bool hy_lifetime_is_constant(int32_t lifetime)
{
    return lifetime == HY_LIFETIME_CONSTANT_COPY || lifetime == HY_LIFETIME_CONSTANT_POOL;
}

/* Returns a subgraph for index <= referenced_count: the bodies in order, then the main subgraph. */
static inline const struct hy_subgraph *hy_model_subgraph(const struct hy_model *model,
                                                          uint32_t index)
{
    return index < model->referenced_count ? model->referenced[index] : model->main;
}

/* Returns the name of the extension with the prefix; NULL: not in the list. */
static inline const char *hy_prefix_name(const struct hy_extension_prefix *list, uint32_t count,
                                         uint32_t prefix)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].prefix == prefix)
            return list[i].name;
    }
    return NULL;
}

#endif
