#ifndef HY_DRIVERD_STATE_FOLDER_H
#define HY_DRIVERD_STATE_FOLDER_H

#include "common/error.h"

/*
 * Where a confined driver and its host keep what outlives the process: "services/LIBRARY-NUMBER"
 * below the state folder of the user, a folder for each library ("" is the built-in driver), so
 * that none can change what another one, or the app, relies on. Makes it, and has the runtime in
 * this process use it. Before there are threads. `*ret`, which the caller frees, is its path, also
 * when it cannot be made; NULL when there is no state folder of the user. Errors: FAILED,
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_service_state_folder(const char *library, char **ret,
                                                   struct hy_error *err);

#endif
