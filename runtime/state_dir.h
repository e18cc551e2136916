#ifndef HY_RUNTIME_STATE_DIR_H
#define HY_RUNTIME_STATE_DIR_H

#include "common/error.h"
#include "runtime/environment.h"

/*
 * The directory for data that Halyard has learned about this machine. HALYARD_STATE_DIR names the
 * directory. Without the variable, the first of these paths that exists or can be created is used:
 *
 *     $XDG_STATE_HOME/halyard       only if the home directory or the parent exists
 *     $HOME/.local/state/halyard    only if the home directory exists
 *     $STATE_DIRECTORY/halyard      for a systemd service: first path of the list
 *     PARENT/halyard-UID            for each of the parents
 *
 * A relative path counts as unset. Root skips directories in a directory of another user (HOME
 * after sudo). The directory holds the digests of drivers, so every user with write access decides
 * which cache entries are valid. Without HALYARD_STATE_DIR the directory must therefore belong to
 * the effective user, must not be a symbolic link, and must not be writable for other users. A
 * parent that other users may write to must be sticky, like /tmp.
 */

/* /var/lib, /var/tmp and /tmp, then NULL. */
extern const char *const hy_state_parents[];

/* Finds the directory without creating anything. The caller frees `*ret`. Errors: FAILED (no usable
 * directory; the text has the reasons), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_state_dir_find(const struct hy_environment *environment,
                                             const char *const *parents, char **ret,
                                             struct hy_error *err);

/* Finds the directory or creates it with mode 0700. The caller frees `*ret`. Errors: FAILED,
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_state_dir_make(const struct hy_environment *environment,
                                             const char *const *parents, char **ret,
                                             struct hy_error *err);

/* Creates the directory `path` and its missing parents with mode 0700. The first `there` bytes of
 * `path` name a directory that must exist. Errors: FAILED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_state_dir_make_below(const char *path, size_t there,
                                                   struct hy_error *err);

#endif
