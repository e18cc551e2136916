#ifndef HY_TOOLS_TEMPORARY_DIR_H
#define HY_TOOLS_TEMPORARY_DIR_H

#include "common/error.h"

/* Makes a new directory in `parent`, or in $TMPDIR or /tmp for NULL. The caller frees `*path`. */
HY_MUST_CHECK enum hy_code hy_temporary_dir_make(const char *parent, char **path,
                                                 struct hy_error *err);

/* Removes the directory with its contents, and frees the path. NULL is ignored. */
void hy_temporary_dir_remove(char *path);

#endif
