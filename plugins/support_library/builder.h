#ifndef HY_PLUGINS_SUPPORT_LIBRARY_BUILDER_H
#define HY_PLUGINS_SUPPORT_LIBRARY_BUILDER_H

#include "plugins/support_library/sl_model.h"

/* The state of building a model in a support library, shared by sl_model.c and sl_operands.c. */
struct hy_sl_builder {
    const NnApiSLDriverImplFL5 *api;
    const struct hy_model *view;
    struct hy_sl_model *out;
    ANeuralNetworksModel **bodies; /* [referenced]; NULL: not built yet */
    struct hy_error *err;
};

/* A subgraph of the model. */
struct hy_sl_graph {
    const struct hy_subgraph *view;
    ANeuralNetworksModel *handle;
    int32_t *types; /* [operand], the library's codes */
};

/* Finds the name of the extension that defines a type of the view. */
HY_MUST_CHECK enum hy_code hy_sl_find_extension(const struct hy_sl_builder *builder, int32_t type,
                                                const char **ret);

/* Adds all operands with their values. The referenced bodies must have been built. */
HY_MUST_CHECK enum hy_code hy_sl_add_operands(struct hy_sl_builder *builder,
                                              const struct hy_sl_graph *graph);

#endif
