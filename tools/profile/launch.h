#ifndef HY_TOOLS_PROFILE_LAUNCH_H
#define HY_TOOLS_PROFILE_LAUNCH_H

#include <android/NeuralNetworks.h>

#include "common/error.h"

/* The time of a step with a single number on the device; 0 if the device supports none of the
 * operations of the measurement. */
HY_MUST_CHECK enum hy_code hy_launch_measure(const ANeuralNetworksDevice *device, uint64_t *ns,
                                             struct hy_error *err);

#endif
