#ifndef HY_RUNTIME_STATE_FOLDER_H
#define HY_RUNTIME_STATE_FOLDER_H

#include "common/error.h"
#include "runtime/environment.h"

/*
 * Where Halyard keeps what it has learned about this machine: HALYARD_STATE_DIR, else
 * $XDG_STATE_HOME/halyard, else $HOME/.local/state/halyard. A path that is not absolute counts as
 * unset. `*ret` is the caller's to free. Errors: FAILED (the environment names no such folder),
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_state_folder_path(const struct hy_environment *environment,
                                                char **ret, struct hy_error *err);

/* Makes the folder, 0700, and those above it that are missing. Errors: FAILED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_state_folder_make(const char *path, struct hy_error *err);

#endif
