#ifndef HY_TOOLS_TEMPORARY_FOLDER_H
#define HY_TOOLS_TEMPORARY_FOLDER_H

#include "common/error.h"

/* A folder of its own, in `parent`, or in $TMPDIR or /tmp for a NULL. The caller frees `*path`. */
HY_MUST_CHECK enum hy_code hy_temporary_folder_make(const char *parent, char **path,
                                                    struct hy_error *err);

/* With everything in it; frees the path, too. Takes NULL. */
void hy_temporary_folder_remove(char *path);

#endif
