#ifndef HY_PLUGINS_SUPPORT_LIBRARY_BUILDER_H
#define HY_PLUGINS_SUPPORT_LIBRARY_BUILDER_H

#include "plugins/support_library/model.h"

/* A model on its way into a support library: what model.c and operands.c share. */
struct hy_sl_builder {
    const NnApiSLDriverImplFL5 *api;
    const struct hy_model *view;
    struct hy_sl_model *out;
    ANeuralNetworksModel **bodies; /* [referenced]; NULL: not built yet */
    struct hy_error *err;
};

/* One of its subgraphs. */
struct hy_sl_graph {
    const struct hy_subgraph *view;
    ANeuralNetworksModel *handle;
    int32_t *types; /* [operand], the library's codes */
};

/* The name of the extension that a type of the view belongs to. */
HY_MUST_CHECK enum hy_code hy_sl_find_extension(const struct hy_sl_builder *builder, int32_t type,
                                                const char **ret);

/* Adds all operands with their values; the bodies that they refer to have been built. */
HY_MUST_CHECK enum hy_code hy_sl_add_operands(struct hy_sl_builder *builder,
                                              const struct hy_sl_graph *graph);

#endif
