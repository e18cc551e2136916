#include "cache_store/directory/trash.h"

#include "cache_store/directory/names.h"
#include "cache_store/directory/private_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Limit for directories inside an entry; Halyard creates none. */
#define MOST_DEPTH 4u

/* The maker of a younger directory may be about to lock it. */
#define STALE_SECONDS 2

typedef void (*visit_fn)(int dir, const char *name, void *context);

/* ---- Removing trees -------------------------------------------------------------------------- */

/* Visits all names in the directory, with a separate file description, because offsets are shared
 * otherwise. */
static void visit_names(int parent, const char *name, visit_fn visit, void *context)
{
    const int fd =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(names)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            visit(fd, entry->d_name, context);
    }
    closedir(names);
}

struct removing {
    unsigned depth;
    uint64_t bytes;
};

static void remove_tree(int parent, const char *name, void *context)
{
    struct removing *removing = context;
    struct stat info;

    if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (!S_ISDIR(info.st_mode)) {
        if (unlinkat(parent, name, 0) == 0 && S_ISREG(info.st_mode))
            removing->bytes += (uint64_t)info.st_size;
        return;
    }
    if (removing->depth < MOST_DEPTH) {
        removing->depth++;
        visit_names(parent, name, remove_tree, removing);
        removing->depth--;
    }
    unlinkat(parent, name, AT_REMOVEDIR);
}

/* True if the name is free. */
static bool remove_counted(int parent, const char *name, struct hy_removal *removal)
{
    struct removing removing = {0};
    struct stat info;

    remove_tree(parent, name, &removing);
    const bool gone = fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0;
    if (removal) {
        removal->bytes += removing.bytes;
        removal->pieces += gone;
    }
    return gone;
}

/* ---- Putting into the trash ------------------------------------------------------------------ */

/* Under a unique name, so that two moved directories never collide. */
static bool move_to_trash(int parent, const char *name, int trash, struct hy_token_name *ret)
{
    uint8_t number[HY_TOKEN_SIZE / 2];
    if (getrandom(number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
        return false;
    hy_hex_format(number, sizeof number, ret->text);
    return renameat(parent, name, trash, ret->text) == 0;
}

int hy_trash_put(int root, int parent, const char *name, struct hy_removal *removal)
{
    struct hy_token_name moved;
    int trash = -1;
    bool gone;

    if (hy_dir_make(root, HY_NAME_TRASH, &trash, NULL) != HY_OK) {
        remove_counted(root, HY_NAME_TRASH, NULL); /* a foreign file has the name */
        return remove_counted(parent, name, removal) ? 0 : -1;
    }
    if (move_to_trash(parent, name, trash, &moved)) {
        remove_counted(trash, moved.text, removal);
        gone = true;
    } else {
        gone = remove_counted(parent, name, removal); /* no space for the move, or no permission */
    }
    close(trash);
    return gone ? 0 : -1;
}

int hy_trash_put_open(int root, int parent, const char *name, int fd, struct hy_removal *removal)
{
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return -1;
    if (!hy_dir_is_at(parent, name, fd))
        return -1;
    return hy_trash_put(root, parent, name, removal);
}

int hy_trash_put_strange(int root, int parent, const char *name, struct hy_removal *removal)
{
    if (hy_trash_unlink(parent, name) == 0)
        return 0;
    const int fd =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -1;
    const bool gone =
        !hy_dir_is_ours(fd) && hy_trash_put_open(root, parent, name, fd, removal) == 0;
    flock(fd, LOCK_UN);
    close(fd);
    return gone ? 0 : -1;
}

int hy_trash_unlink(int parent, const char *name)
{
    return unlinkat(parent, name, 0) == 0 || errno == ENOENT ? 0 : -1;
}

/* ---- Leftovers ------------------------------------------------------------------------------- */

struct sweeping {
    int root;
    struct hy_removal *removal;
};

/* A time in the future is meaningless and counts as old. */
static bool is_stale(int dir, const char *name)
{
    struct stat info;
    const time_t now = time(NULL);

    if (fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    return info.st_ctime > now || info.st_ctime + STALE_SECONDS <= now;
}

static void sweep_staging(int staging, const char *name, void *context)
{
    const struct sweeping *sweeping = context;

    if (!is_stale(staging, name) || hy_trash_unlink(staging, name) == 0)
        return;
    const int fd =
        openat(staging, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    hy_trash_put_open(sweeping->root, staging, name, fd, sweeping->removal);
    flock(fd, LOCK_UN);
    close(fd);
}

static void sweep_trash(int trash, const char *name, void *context)
{
    const struct sweeping *sweeping = context;
    if (is_stale(trash, name))
        remove_counted(trash, name, sweeping->removal);
}

void hy_trash_sweep(int root, struct hy_removal *removal)
{
    struct sweeping sweeping = {root, removal};
    visit_names(root, HY_NAME_STAGING, sweep_staging, &sweeping);
    visit_names(root, HY_NAME_TRASH, sweep_trash, &sweeping);
}
