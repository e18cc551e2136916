#include "runtime/state_folder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_absolute(const char *path)
{
    return path && path[0] == '/';
}

enum hy_code hy_state_folder_path(const struct hy_environment *environment, char **ret,
                                  struct hy_error *err)
{
    char *path = NULL;
    int length = 0;

    if (is_absolute(environment->state_dir))
        length = asprintf(&path, "%s", environment->state_dir);
    else if (is_absolute(environment->xdg_state_home))
        length = asprintf(&path, "%s/halyard", environment->xdg_state_home);
    else if (is_absolute(environment->home))
        length = asprintf(&path, "%s/.local/state/halyard", environment->home);
    else
        return hy_fail(err, HY_FAILED,
                       "no state folder: neither HALYARD_STATE_DIR nor XDG_STATE_HOME nor HOME "
                       "holds an absolute path");
    if (length < 0)
        return hy_fail(err, HY_OUT_OF_MEMORY, "path of the state folder");
    *ret = path;
    return HY_OK;
}

/* Each folder of the path in turn; those that are there already are no failure. */
static enum hy_code make_folders(char *path, struct hy_error *err)
{
    for (char *end = path; end; end = strchr(end + 1, '/')) {
        if (end == path)
            continue;
        *end = '\0';
        const int status = mkdir(path, S_IRWXU);
        const int error = errno;
        if (status != 0 && error != EEXIST)
            return hy_fail(err, HY_FAILED, "%s: %s", path, strerror(error));
        *end = '/';
    }
    return HY_OK;
}

enum hy_code hy_state_folder_make(const char *path, struct hy_error *err)
{
    char *copy = NULL;
    if (asprintf(&copy, "%s/", path) < 0)
        return hy_fail(err, HY_OUT_OF_MEMORY, "folder %s", path);

    enum hy_code code = make_folders(copy, err);
    free(copy);
    return code;
}
