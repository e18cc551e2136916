#ifndef HY_TOOLS_PROFILE_LAUNCH_H
#define HY_TOOLS_PROFILE_LAUNCH_H

#include <android/NeuralNetworks.h>

#include "common/error.h"

/* The time of a step on the device that has one number to compute; 0 if the device takes none of
 * the operations that this is tried with. */
HY_MUST_CHECK enum hy_code hy_launch_measure(const ANeuralNetworksDevice *device, uint64_t *ns,
                                             struct hy_error *err);

#endif
