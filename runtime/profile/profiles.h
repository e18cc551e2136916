#ifndef HY_RUNTIME_PROFILES_H
#define HY_RUNTIME_PROFILES_H

#include "runtime/device/runtime_device.h"
#include "runtime/profile/profile_file.h"

/*
 * Assigns to each device its profile from the file in the directory. A profile of another version,
 * build or processor is skipped with a line in the log, and an unreadable or invalid file as well.
 * `file` must be zeroed and holds the profiles used by the devices. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_profiles_attach(const char *dir, struct hy_profile_file *file,
                                              struct hy_runtime_device *devices, uint32_t count,
                                              struct hy_error *err);

/* Creates a record for the current build of a device with the previous measurements, in a separate,
 * zeroed file. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_profiles_begin(const struct hy_runtime_device *device,
                                             struct hy_profile_file *ret, struct hy_error *err);

#endif
