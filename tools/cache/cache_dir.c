#include "tools/cache/cache_dir.h"

#include <string.h>
#include <sys/stat.h>

#include "common/make_dirs.h"

enum hy_code hy_cache_dir_make(const char *path, struct hy_error *err)
{
    const int failure = path ? hy_make_dirs(path, S_IRWXU) : 0;

    return failure == 0 ? HY_OK
                        : hy_fail(err, HY_FAILED, "--cache %s: %s", path, strerror(failure));
}
