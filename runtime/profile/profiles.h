#ifndef HY_RUNTIME_PROFILES_H
#define HY_RUNTIME_PROFILES_H

#include "runtime/device/device.h"
#include "runtime/profile/profile_file.h"

/*
 * Gives each device the profile that was measured for it on this machine, if there is one in the
 * folder. A profile of another version, build or processor is left out, and so is a file that
 * cannot be read or understood: each with a line in the log. `file`, zeroed, takes what was read;
 * devices point into it. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_profiles_attach(const char *folder, struct hy_profile_file *file,
                                              struct hy_runtime_device *devices, uint32_t count,
                                              struct hy_error *err);

/* A record for this device as it is now, with what was measured before, in a zeroed file of its
 * own. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_profiles_begin(const struct hy_runtime_device *device,
                                             struct hy_profile_file *ret, struct hy_error *err);

#endif
