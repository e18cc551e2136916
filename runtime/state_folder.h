#ifndef HY_RUNTIME_STATE_FOLDER_H
#define HY_RUNTIME_STATE_FOLDER_H

#include "common/error.h"
#include "runtime/environment.h"

/*
 * Where Halyard keeps what it has learned about this machine. HALYARD_STATE_DIR names the folder;
 * without the variable it is the first of these that is there, or that can be made:
 *
 *     $XDG_STATE_HOME/halyard       only where the home folder, or the one above, is there
 *     $HOME/.local/state/halyard    only where the home folder is there
 *     $STATE_DIRECTORY/halyard      of a service of systemd: the first in that list
 *     PARENT/halyard-UID            for each of the parents
 *
 * A path that is not absolute counts as unset, and for root a folder of another user's (HOME as
 * sudo may leave it). Drivers' digests lie in the folder, so that whoever can write there decides
 * which cache entries are good: one that is found or made without HALYARD_STATE_DIR is a folder of
 * the effective user's, no symbolic link, and nobody else may write to it. A parent that others may
 * write to has to be sticky, as /tmp is.
 */

/* /var/lib, /var/tmp and /tmp; NULL at the end. */
extern const char *const hy_state_parents[];

/* Looks for the folder, and makes nothing. `*ret` is the caller's to free. Errors: FAILED (there is
 * none, in words), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_state_folder_find(const struct hy_environment *environment,
                                                const char *const *parents, char **ret,
                                                struct hy_error *err);

/* The same, and makes the folder, 0700, where there is none. Errors: FAILED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_state_folder_make(const struct hy_environment *environment,
                                                const char *const *parents, char **ret,
                                                struct hy_error *err);

/* Makes the folder of the path, and those above it that are missing, 0700. The first `there` bytes
 * of the path name a folder that has to be there already. Errors: FAILED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_state_folder_make_below(const char *path, size_t there,
                                                      struct hy_error *err);

#endif
