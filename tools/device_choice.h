#ifndef HY_TOOLS_DEVICE_CHOICE_H
#define HY_TOOLS_DEVICE_CHOICE_H

#include <android/NeuralNetworks.h>
#include <stdbool.h>

#include "common/error.h"
#include "tools/options.h"

/*
 * The devices that a command may use: those of its --device options in their order, else all.
 * Without a choice, compilations are left to the runtime's own judgement.
 */
struct hy_device_choice {
    bool by_name;
    uint32_t count;
    const ANeuralNetworksDevice *devices[HY_OPTION_LIST_MAX];
};

/* HY_BAD_DATA for a name that no device has (the text lists those there are) or that stands twice.
 */
HY_MUST_CHECK enum hy_code hy_device_choice_make(const struct hy_option_list *names,
                                                 struct hy_device_choice *out,
                                                 struct hy_error *err);

/* Never NULL. */
const char *hy_device_name(const ANeuralNetworksDevice *device);

/* HY_FAILED for one of them that is in this process; of devices that nobody chose nnapi-reference
 * may be, which has no other place. */
HY_MUST_CHECK enum hy_code hy_device_choice_check_isolated(const struct hy_device_choice *choice,
                                                           struct hy_error *err);

/* Whether the CPU backend is among them. */
bool hy_device_choice_has_built_in(const struct hy_device_choice *choice);

/* A compilation of `model` on the chosen devices, not finished. */
HY_MUST_CHECK enum hy_code hy_device_choice_compile(const struct hy_device_choice *choice,
                                                    const ANeuralNetworksModel *model,
                                                    ANeuralNetworksCompilation **out,
                                                    struct hy_error *err);

#endif
