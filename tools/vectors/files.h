#ifndef HY_TOOLS_VECTORS_FILES_H
#define HY_TOOLS_VECTORS_FILES_H

#include "tools/vectors/vector.h"

/* Vector files in memory, in the order of the given paths; files of a directory are sorted by
 * name. */
struct hy_vector_files {
    uint32_t count;
    struct hy_vector_file *files;
};

/* Reads a file, or every *.json below a directory. Adds to a zeroed struct or to an earlier
 * result. */
HY_MUST_CHECK enum hy_code hy_vector_files_add(struct hy_vector_files *files, const char *path,
                                               struct hy_error *err);
void hy_vector_files_finish(struct hy_vector_files *files);

#endif
