#ifndef HY_PLUGINS_SUPPORT_LIBRARY_MODEL_H
#define HY_PLUGINS_SUPPORT_LIBRARY_MODEL_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

#include <android/NeuralNetworksSupportLibraryImpl.h>

/* A model view, built again in a support library with all that it refers to. Constants stay where
 * they are: the view's pools have to live as long as this. */
struct hy_sl_model {
    const NnApiSLDriverImplFL5 *api;
    ANeuralNetworksModel *main;
    ANeuralNetworksModel **graphs; /* bodies first: a graph comes after its bodies */
    uint32_t graph_count;
    ANeuralNetworksMemory **memories; /* [pool]; NULL where none is needed */
    uint32_t memory_count;
    const uint8_t *values;  /* a copy, where the library keeps addresses inside them; else NULL */
    int32_t *types;         /* [operand of the main subgraph]: the library's code for its type */
    struct hy_arena memory; /* of these lists */
};

/*
 * Builds and finishes the model; `out` belongs to the caller also after a failure, which may be
 * half way. Errors: what the library answers, HY_BAD_DATA (the view is wrong), HY_FAILED (a
 * constant in memory of a kind that a support library does not take), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_sl_model_build(const NnApiSLDriverImplFL5 *api,
                                             const struct hy_model *view, struct hy_sl_model *out,
                                             struct hy_error *err);
void hy_sl_model_finish(struct hy_sl_model *model);

#endif
