#include "tools/temporary_dir.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum hy_code hy_temporary_dir_make(const char *parent, char **path, struct hy_error *err)
{
    if (!parent)
        parent = getenv("TMPDIR");
    if (!parent || !*parent)
        parent = "/tmp";
    char *made = NULL;
    if (asprintf(&made, "%s/halyard-XXXXXX", parent) < 0)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a directory in %s", parent);
    if (!mkdtemp(made)) {
        free(made);
        return hy_fail(err, HY_FAILED, "a directory in %s: %s", parent, strerror(errno));
    }
    *path = made;
    return HY_OK;
}

void hy_temporary_dir_remove(char *path)
{
    if (!path)
        return;
    char *roots[] = {path, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *entry; walk && (entry = fts_read(walk));)
        if (entry->fts_info != FTS_D)
            remove(entry->fts_path);
    if (walk)
        fts_close(walk);
    free(path);
}
