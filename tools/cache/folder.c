#include "tools/cache/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum hy_code hy_cache_folder_make(const char *path, struct hy_error *err)
{
    if (!path || mkdir(path, S_IRWXU) == 0 || errno == EEXIST)
        return HY_OK;
    return hy_fail(err, HY_FAILED, "--cache %s: %s", path, strerror(errno));
}
