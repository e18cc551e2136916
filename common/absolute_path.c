#include "common/absolute_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *hy_absolute_path(const char *path)
{
    if (path[0] == '/')
        return strdup(path);

    char *dir = getcwd(NULL, 0), *absolute = NULL;
    if (dir && asprintf(&absolute, "%s/%s", dir, path) < 0) {
        absolute = NULL;
        errno = ENOMEM;
    }
    free(dir);
    return absolute;
}
