#include "runtime/cache/write_mark.h"

#include <sys/stat.h>

/* 2000-01-01, in whole seconds: every file system can say that. */
static const struct timespec mark = {.tv_sec = 946684800};

bool hy_write_mark_set(const int32_t *files, uint32_t count)
{
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, mark};

    for (uint32_t i = 0; i < count; i++) {
        if (futimens(files[i], times) != 0)
            return false;
    }
    return hy_write_mark_is_whole(files, count);
}

bool hy_write_mark_is_whole(const int32_t *files, uint32_t count)
{
    struct stat facts;

    for (uint32_t i = 0; i < count; i++) {
        if (fstat(files[i], &facts) != 0 || facts.st_mtim.tv_sec != mark.tv_sec ||
            facts.st_mtim.tv_nsec != mark.tv_nsec)
            return false;
    }
    return true;
}
