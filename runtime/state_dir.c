#include "runtime/state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const hy_state_parents[] = {"/var/lib", "/var/tmp", "/tmp", NULL};

/* ---- One directory --------------------------------------------------------------------------- */

static bool is_absolute(const char *path)
{
    return path && path[0] == '/';
}

/* Creates each directory of the path in turn. Existing directories are no failure. */
static enum hy_code make_below(char *path, size_t there, struct hy_error *err)
{
    for (char *end = strchr(path + there + 1, '/'); end; end = strchr(end + 1, '/')) {
        *end = '\0';
        const int status = mkdir(path, S_IRWXU);
        const int error = errno;
        const bool is_there = status == 0 || error == EEXIST || access(path, F_OK) == 0;
        if (!is_there)
            return hy_fail(err, HY_FAILED, "%s: %s", path, strerror(error));
        *end = '/';
    }
    return HY_OK;
}

enum hy_code hy_state_dir_make_below(const char *path, size_t there, struct hy_error *err)
{
    char *copy = NULL;
    if (asprintf(&copy, "%s/", path) < 0)
        return hy_fail(err, HY_OUT_OF_MEMORY, "directory %s", path);

    enum hy_code code = make_below(copy, there, err);
    free(copy);
    return code;
}

/* Checks the path itself without following a symbolic link. On a read-only file system existing
 * files can still be read. */
static enum hy_code check_ours(const char *path, struct hy_error *err)
{
    struct stat info;

    if (lstat(path, &info) != 0)
        return hy_fail(err, HY_FAILED, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return hy_fail(err, HY_FAILED, "%s is not a directory", path);
    if (info.st_uid != geteuid())
        return hy_fail(err, HY_FAILED, "%s belongs to user %u, not to %u", path,
                       (unsigned)info.st_uid, (unsigned)geteuid());
    if (info.st_mode & (S_IWGRP | S_IWOTH))
        return hy_fail(err, HY_FAILED, "%s has mode %04o: other users may write to the directory",
                       path, (unsigned)(info.st_mode & 07777));
    if (faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) != 0 && errno != EROFS)
        return hy_fail(err, HY_FAILED, "%s: %s", path, strerror(errno));
    return HY_OK;
}

/* Checks a directory that must exist. In a shared directory other users must not be able to rename
 * our directory. Root would create directories in another user's home that the user cannot open. */
static enum hy_code check_there(const char *path, bool is_shared, struct hy_error *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return hy_fail(err, HY_FAILED, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return hy_fail(err, HY_FAILED, "%s is not a directory", path);
    if (info.st_uid != geteuid() && (geteuid() == 0 || (is_shared && info.st_uid != 0)))
        return hy_fail(err, HY_FAILED, "%s belongs to user %u", path, (unsigned)info.st_uid);
    if (is_shared && (info.st_mode & (S_IWGRP | S_IWOTH)) && !(info.st_mode & S_ISVTX))
        return hy_fail(err, HY_FAILED,
                       "%s has mode %04o: other users may rename entries of the directory", path,
                       (unsigned)(info.st_mode & 07777));
    return HY_OK;
}

/* ---- The search ------------------------------------------------------------------------------ */

struct search {
    bool makes; /* create missing directories */
    char *found;
    enum hy_code code;           /* OUT_OF_MEMORY ends the search */
    struct hy_error first, last; /* reasons; first.code is HY_OK before the first failure */
};

static void note_failure(struct search *search, const struct hy_error *why)
{
    if (search->first.code == HY_OK)
        search->first = *why;
    search->last = *why;
}

/* Length of `folder` if `path` lies below `folder`, otherwise 0. */
static size_t length_within(const char *path, const char *dir)
{
    const size_t length = strlen(dir);
    return strncmp(path, dir, length) == 0 && path[length] == '/' ? length : 0;
}

static enum hy_code use(const struct search *search, const char *path, size_t there, bool is_shared,
                        struct hy_error *err)
{
    char *root = NULL;
    if (asprintf(&root, "%.*s/", (int)there, path) < 0)
        return hy_fail(err, HY_OUT_OF_MEMORY, "directory %s", path);

    enum hy_code code = check_there(root, is_shared, err);
    free(root);
    if (code == HY_OK && search->makes)
        code = hy_state_dir_make_below(path, there, err);
    return code == HY_OK ? check_ours(path, err) : code;
}

/* Takes ownership of `path`; NULL means out of memory. The directory of the first `there` bytes
 * must exist. True: the search ends. */
static bool try(struct search *search, char *path, size_t there, bool is_shared)
{
    struct hy_error why = {0};

    search->code = path ? use(search, path, there, is_shared, &why)
                        : hy_fail(&why, HY_OUT_OF_MEMORY, "path of the state directory");
    if (search->code == HY_OK) {
        search->found = path;
        return true;
    }
    note_failure(search, &why);
    free(path);
    return search->code == HY_OUT_OF_MEMORY;
}

__attribute__((format(printf, 1, 2))) static char *path_of(const char *format, ...)
{
    va_list args;
    char *path = NULL;

    va_start(args, format);
    const int length = vasprintf(&path, format, args);
    va_end(args);
    return length < 0 ? NULL : path;
}

static bool try_xdg(struct search *search, const char *dir, const char *home)
{
    if (!is_absolute(dir))
        return false;
    size_t length = strlen(dir);
    while (length > 1 && dir[length - 1] == '/')
        length--;
    const char *name = memrchr(dir, '/', length);
    const size_t within = is_absolute(home) ? length_within(dir, home) : 0;
    return try(search, path_of("%s/halyard", dir), within > 0 ? within : (size_t)(name - dir),
               false);
}

static bool try_home(struct search *search, const char *home)
{
    return is_absolute(home) &&
           try(search, path_of("%s/.local/state/halyard", home), strlen(home), false);
}

static bool try_service(struct search *search, const char *dirs)
{
    if (!is_absolute(dirs))
        return false;
    const size_t length = strcspn(dirs, ":");
    return try(search, path_of("%.*s/halyard", (int)length, dirs), length, false);
}

static bool try_parents(struct search *search, const char *const *parents)
{
    for (; *parents; parents++) {
        if (try(search, path_of("%s/halyard-%u", *parents, (unsigned)geteuid()), strlen(*parents),
                true))
            return true;
    }
    return false;
}

/* Does not check the directory: errors appear when the directory is used. */
static enum hy_code use_named(const char *path, bool makes, char **ret, struct hy_error *err)
{
    enum hy_code code = makes ? hy_state_dir_make_below(path, 0, err) : HY_OK;
    if (code != HY_OK)
        return code;
    *ret = strdup(path);
    return *ret ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "path of the state directory");
}

static enum hy_code search_for(const struct hy_environment *environment, bool makes,
                               const char *const *parents, char **ret, struct hy_error *err)
{
    struct search search = {.makes = makes};

    if (is_absolute(environment->state_dir))
        return use_named(environment->state_dir, makes, ret, err);
    if (environment->is_privileged)
        return hy_fail(err, HY_FAILED,
                       "no state directory: the process runs with more rights than its caller");
    (void)(try_xdg(&search, environment->xdg_state_home, environment->home) ||
           try_home(&search, environment->home) ||
           try_service(&search, environment->state_directory) || try_parents(&search, parents));
    if (search.found) {
        *ret = search.found;
        return HY_OK;
    }
    if (search.code == HY_OUT_OF_MEMORY)
        return hy_fail(err, search.code, "path of the state directory");
    return hy_fail(err, HY_FAILED, "no state directory (set HALYARD_STATE_DIR): %.150s; %.150s",
                   search.first.text, search.last.text);
}

enum hy_code hy_state_dir_find(const struct hy_environment *environment, const char *const *parents,
                               char **ret, struct hy_error *err)
{
    return search_for(environment, false, parents, ret, err);
}

enum hy_code hy_state_dir_make(const struct hy_environment *environment, const char *const *parents,
                               char **ret, struct hy_error *err)
{
    return search_for(environment, true, parents, ret, err);
}
