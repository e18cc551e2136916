#ifndef HY_DRIVERD_SERVICE_STATE_DIR_H
#define HY_DRIVERD_SERVICE_STATE_DIR_H

#include "common/error.h"

/*
 * Creates the persistent state directory of a confined driver and its host,
 * "services/LIBRARY-NUMBER" below the state directory of the user, and makes the runtime in this
 * process use it. Each library has its own directory, so no driver can change files of another
 * driver or of the app. `library` "" is the built-in driver. Call before any thread is started.
 * `*ret` is the path, which the caller frees, and is also set if the directory cannot be created.
 * `*ret` is NULL if the user has no state directory. Errors: FAILED, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_service_state_dir(const char *library, char **ret,
                                                struct hy_error *err);

#endif
