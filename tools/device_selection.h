#ifndef HY_TOOLS_DEVICE_SELECTION_H
#define HY_TOOLS_DEVICE_SELECTION_H

#include <android/NeuralNetworks.h>
#include <stdbool.h>

#include "common/error.h"
#include "tools/options.h"

/*
 * The devices of a command: the devices of its --device options in order, else all devices. Without
 * a choice the runtime chooses the devices of compilations.
 */
struct hy_device_selection {
    bool by_name;
    uint32_t count;
    const ANeuralNetworksDevice *devices[HY_OPTION_LIST_MAX];
};

/* HY_BAD_DATA for an unknown name (the error text lists the devices) or a repeated name. */
HY_MUST_CHECK enum hy_code hy_device_selection_make(const struct hy_option_list *names,
                                                    struct hy_device_selection *out,
                                                    struct hy_error *err);

/* Never NULL. */
const char *hy_device_name(const ANeuralNetworksDevice *device);

/* HY_FAILED for a chosen device inside this process. nnapi-reference always runs inside this
 * process, and is an error only if the command names it. */
HY_MUST_CHECK enum hy_code
hy_device_selection_check_isolated(const struct hy_device_selection *selection,
                                   struct hy_error *err);

/* True if the devices include the CPU backend. */
bool hy_device_selection_has_built_in(const struct hy_device_selection *selection);

/* An unfinished compilation of `model` for the chosen devices. */
HY_MUST_CHECK enum hy_code hy_device_selection_compile(const struct hy_device_selection *selection,
                                                       const ANeuralNetworksModel *model,
                                                       ANeuralNetworksCompilation **out,
                                                       struct hy_error *err);

#endif
