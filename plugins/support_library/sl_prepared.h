#ifndef HY_PLUGINS_SUPPORT_LIBRARY_SL_PREPARED_H
#define HY_PLUGINS_SUPPORT_LIBRARY_SL_PREPARED_H

#include "plugins/support_library/sl_model.h"
#include "plugins/support_library/sl_plugin_device.h"

#include <stdbool.h>

/* An input or output of a prepared model. */
struct hy_sl_argument {
    ANeuralNetworksOperandType type; /* the library's type; dims are the model's */
    bool is_complete;                /* a tensor of known shape */
};

struct hy_sl_prepared {
    const struct hy_sl_device *device;
    const NnApiSLDriverImplFL5 *api; /* of the device */
    struct hy_sl_model model;        /* must outlive the compilation */
    ANeuralNetworksCompilation *compilation;
    const struct hy_sl_argument *inputs, *outputs;
    uint32_t input_count, output_count;
    bool has_loops;                               /* or other bodies */
    const struct hy_extension_prefix *extensions; /* for hints */
    uint32_t extension_count;
};

/* Members of struct hy_device. */
int32_t hy_sl_supported_operations(void *device, const struct hy_model *model, uint8_t *supported,
                                   const struct hy_refusals *refusals);
int32_t hy_sl_prepare(void *device, const struct hy_model *model,
                      const struct hy_prepare_options *options, void **prepared);
void hy_sl_prepared_destroy(void *prepared);

#endif
