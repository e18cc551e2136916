#include "cache_store/directory/walk.h"

#include "cache_store/directory/names.h"
#include "cache_store/store_dirs.h"
#include "common/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit for directories inside an entry; Halyard creates none. */
#define MOST_DEPTH 4u

static bool is_inner(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Uses a separate file description to keep the caller's offset; NULL with errno. */
static DIR *open_names(int parent, const char *name)
{
    const int fd =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names && fd >= 0) {
        const int error = errno;
        close(fd);
        errno = error;
    }
    return names;
}

/* ---- Names of a shard, sorted ---------------------------------------------------------------- */

struct name_list {
    char **names;
    uint32_t count;
};

static void finish_list(struct name_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
}

static bool add_name(struct name_list *list, const char *name)
{
    char **names = hy_array_grow(list->names, list->count, sizeof *names);
    if (!names)
        return false;
    list->names = names;
    list->names[list->count] = strdup(name);
    return list->names[list->count] && ++list->count;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool read_names(int dir, struct name_list *list, struct hy_error *err)
{
    DIR *names = open_names(dir, ".");
    bool done = names != NULL;

    errno = ENOMEM;
    for (struct dirent *entry; done && (entry = readdir(names)) != NULL;)
        done = !is_inner(entry->d_name) || add_name(list, entry->d_name);
    if (names)
        closedir(names);
    if (list->count > 1)
        qsort(list->names, list->count, sizeof *list->names, compare_names);
    return done || (hy_fail(err, HY_OUT_OF_MEMORY, "names of a directory"), false);
}

/* ---- Shards ---------------------------------------------------------------------------------- */

static enum hy_code visit_names(const struct hy_walk *walk, unsigned first, int shard,
                                const struct name_list *list, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < list->count; i++) {
        uint8_t token[HY_TOKEN_SIZE];
        const char *name = list->names[i];
        if (strlen(name) == 2 * sizeof token && hy_hex_parse(name, token, sizeof token) &&
            token[0] == first)
            code = walk->entry(walk->context, shard, name, token, err);
        else
            code = walk->strange(walk->context, shard, name, err);
    }
    return code;
}

static enum hy_code walk_shard(int root, const struct hy_walk *walk, unsigned first,
                               struct hy_error *err)
{
    struct name_list list = {0};
    int shard = -1;

    enum hy_code code = hy_store_inner(root, hy_shard_name_make((uint8_t)first).text, &shard, err);
    if (code != HY_OK)
        return code == HY_BAD_STATE ? HY_OK : code;
    if (read_names(shard, &list, err))
        code = visit_names(walk, first, shard, &list, err);
    else
        code = HY_OUT_OF_MEMORY;
    finish_list(&list);
    close(shard);
    return code;
}

/* Lists the existing shards, as a young cache has few. */
static enum hy_code list_shards(int root, bool is_there[HY_SHARD_COUNT], struct hy_error *err)
{
    struct name_list list = {0};
    enum hy_code code = HY_OK;

    if (read_names(root, &list, err)) {
        for (size_t i = 0; i < list.count; i++) {
            uint8_t shard;
            if (strlen(list.names[i]) == 2 && hy_hex_parse(list.names[i], &shard, 1))
                is_there[shard] = true;
        }
    } else {
        code = HY_OUT_OF_MEMORY;
    }
    finish_list(&list);
    return code;
}

enum hy_code hy_walk_shards(int root, const struct hy_walk *walk, struct hy_error *err)
{
    bool is_there[HY_SHARD_COUNT] = {false};

    enum hy_code code = list_shards(root, is_there, err);
    for (unsigned i = 0; code == HY_OK && i < HY_SHARD_COUNT; i++) {
        if (is_there[i])
            code = walk_shard(root, walk, i, err);
    }
    return code;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static uint64_t count_bytes(int parent, const char *name, unsigned depth)
{
    struct stat info;
    uint64_t bytes = 0;

    if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return 0;
    if (!S_ISDIR(info.st_mode))
        return S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
    DIR *names = depth < MOST_DEPTH ? open_names(parent, name) : NULL;
    for (struct dirent *entry; names && (entry = readdir(names)) != NULL;) {
        if (is_inner(entry->d_name))
            bytes += count_bytes(dirfd(names), entry->d_name, depth + 1);
    }
    if (names)
        closedir(names);
    return bytes;
}

uint64_t hy_walk_bytes(int parent, const char *name)
{
    return count_bytes(parent, name, 0);
}
