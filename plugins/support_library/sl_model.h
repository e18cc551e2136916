#ifndef HY_PLUGINS_SUPPORT_LIBRARY_SL_MODEL_H
#define HY_PLUGINS_SUPPORT_LIBRARY_SL_MODEL_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

#include <android/NeuralNetworksSupportLibraryImpl.h>

/* A model view rebuilt in a support library with all its bodies and memories. Constants are not
 * copied: the view's pools must outlive this model. */
struct hy_sl_model {
    const NnApiSLDriverImplFL5 *api;
    ANeuralNetworksModel *main;
    ANeuralNetworksModel **graphs; /* a graph stands after its bodies */
    uint32_t graph_count;
    ANeuralNetworksMemory **memories; /* [pool]; NULL where none is needed */
    uint32_t memory_count;
    const uint8_t *values;  /* a copy if the library keeps addresses inside the values; else NULL */
    int32_t *types;         /* [operand of the main subgraph]: the library's code for its type */
    struct hy_arena memory; /* of these lists */
};

/*
 * Builds and finishes the model. The caller must finish `out` also after a failure. Errors: the
 * library's own codes, HY_BAD_DATA (the view is wrong), HY_FAILED (a constant in a kind of memory
 * that support libraries do not accept), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_sl_model_build(const NnApiSLDriverImplFL5 *api,
                                             const struct hy_model *view, struct hy_sl_model *out,
                                             struct hy_error *err);
void hy_sl_model_finish(struct hy_sl_model *model);

#endif
