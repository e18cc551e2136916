#include "common/make_dirs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int hy_make_dirs(const char *path, mode_t mode)
{
    char *copy = strdup(path);
    int failure = 0;

    if (!copy)
        return ENOMEM;
    for (char *end = copy; failure == 0 && *end;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        const char saved = *end;
        *end = '\0';
        if (mkdir(copy, mode) != 0 && errno != EEXIST)
            failure = errno;
        *end = saved;
    }
    free(copy);
    return failure;
}
