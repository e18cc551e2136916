#include "fs_tree.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static unsigned file_count;

static int count_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)path, (void)info, (void)at;
    file_count += kind != FTW_D;
    return 0;
}

unsigned path_count_files(const char *dir)
{
    file_count = 0;
    nftw(dir, count_one, 16, FTW_PHYS);
    return file_count;
}

static const char *copied_to;
static size_t copied_from_length;

static int copy_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    struct fs_path from, to;
    uint8_t *bytes = NULL;
    size_t length = 0;

    (void)info, (void)at;
    snprintf(from.path, sizeof from.path, "%s", path);
    snprintf(to.path, sizeof to.path, "%s%s", copied_to, path + copied_from_length);
    if (kind == FTW_D)
        return mkdir(to.path, 0700) != 0 && errno != EEXIST;
    if (!path_read(&from, &bytes, &length))
        return 1;
    const bool done = path_write(&to, bytes, length);
    free(bytes);
    return !done;
}

bool path_copy_tree(const struct fs_path *from, const struct fs_path *to)
{
    copied_to = to->path;
    copied_from_length = strlen(from->path);
    return nftw(from->path, copy_one, 16, FTW_PHYS) == 0;
}
