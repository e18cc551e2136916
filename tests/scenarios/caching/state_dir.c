#include "tests/scenarios/caching/state_dir.h"

#include <stdlib.h>

static struct fs_path fs_path;

/* Before anything reads the environment. */
__attribute__((constructor)) static void make(void)
{
    fs_path = path_make_dir(true);
    if (!fs_path.path[0] || setenv("HALYARD_STATE_DIR", fs_path.path, 1) != 0)
        abort();
}

const struct fs_path *state_dir_path(void)
{
    return &fs_path;
}
