#include "cache_store/evict.h"

#include "cache_store/directory/names.h"
#include "cache_store/directory/private_dir.h"
#include "cache_store/directory/walk.h"
#include "cache_store/store_dirs.h"
#include "common/array.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A counted entry. */
struct counted {
    uint8_t token[HY_TOKEN_SIZE];
    uint64_t bytes;
    struct timespec used; /* zero without metadata: evicted first */
};

struct counting {
    int root;
    struct counted *entries;
    uint32_t count;
    uint64_t bytes;
    struct hy_removal *removal;
};

/* ---- Counting -------------------------------------------------------------------------------- */

static struct timespec last_use(int shard, const char *name)
{
    struct stat info;
    char path[sizeof(struct hy_token_name) + sizeof "/" HY_NAME_METADATA];

    strcpy(path, name);
    strcat(path, "/" HY_NAME_METADATA);
    if (fstatat(shard, path, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return (struct timespec){0};
    return info.st_mtim;
}

static enum hy_code count_entry(void *context, int shard, const char *name,
                                const uint8_t token[HY_TOKEN_SIZE], struct hy_error *err)
{
    struct counting *counting = context;
    struct counted *entries = hy_array_grow(counting->entries, counting->count, sizeof *entries);
    if (!entries)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u cache entries", counting->count);

    counting->entries = entries;
    struct counted *entry = &entries[counting->count++];
    memcpy(entry->token, token, HY_TOKEN_SIZE);
    entry->bytes = hy_walk_bytes(shard, name);
    entry->used = last_use(shard, name);
    counting->bytes += entry->bytes;
    return HY_OK;
}

/* No other code would free the space. */
static enum hy_code remove_strange(void *context, int shard, const char *name, struct hy_error *err)
{
    struct counting *counting = context;
    (void)err;
    if (hy_trash_put(counting->root, shard, name, counting->removal) != 0)
        counting->bytes += hy_walk_bytes(shard, name);
    return HY_OK;
}

/* Staging directories first: an entry published in the meantime is counted at least once. */
static enum hy_code count_all(struct counting *counting, struct hy_error *err)
{
    const struct hy_walk walk = {counting, count_entry, remove_strange};
    counting->bytes = hy_walk_bytes(counting->root, HY_NAME_STAGING);
    return hy_walk_shards(counting->root, &walk, err);
}

/* ---- Removing -------------------------------------------------------------------------------- */

static int compare_use(const void *a, const void *b)
{
    const struct counted *one = a, *other = b;
    if (one->used.tv_sec != other->used.tv_sec)
        return one->used.tv_sec < other->used.tv_sec ? -1 : 1;
    if (one->used.tv_nsec != other->used.tv_nsec)
        return one->used.tv_nsec < other->used.tv_nsec ? -1 : 1;
    return memcmp(one->token, other->token, HY_TOKEN_SIZE);
}

static bool remove_in(const struct counting *counting, int shard, const struct counted *entry,
                      hy_evict_visit_fn visit, void *context)
{
    const struct hy_token_name name = hy_token_name_make(entry->token);
    int dir = -1;
    const enum hy_code code = hy_dir_open(shard, name.text, &dir, NULL);

    if (code == HY_BAD_DATA)
        return hy_trash_put_strange(counting->root, shard, name.text, counting->removal) == 0;
    if (code != HY_OK)
        return code == HY_BAD_STATE; /* another process was first */
    if (visit)
        visit(context, entry->token, dir);
    const bool done =
        hy_trash_put_open(counting->root, shard, name.text, dir, counting->removal) == 0;
    flock(dir, LOCK_UN);
    close(dir);
    return done;
}

static bool remove_entry(const struct counting *counting, const struct counted *entry,
                         hy_evict_visit_fn visit, void *context)
{
    int shard = -1;
    const struct hy_shard_name name = hy_shard_name_make(entry->token[0]);

    if (hy_store_inner(counting->root, name.text, &shard, NULL) != HY_OK)
        return false;
    const bool done = remove_in(counting, shard, entry, visit, context);
    close(shard);
    return done;
}

static bool is_enough(const struct counting *counting, uint32_t left, uint64_t target,
                      uint64_t limit)
{
    return counting->bytes <= target || (left == 1 && counting->bytes <= limit);
}

enum hy_code hy_evict(int root, uint64_t target, uint64_t limit, struct hy_used before,
                      hy_evict_visit_fn visit, void *context, struct hy_removal *removal,
                      struct hy_error *err)
{
    struct counting counting = {.root = root, .removal = removal};

    enum hy_code code = count_all(&counting, err);
    if (code == HY_OK && counting.count > 0)
        qsort(counting.entries, counting.count, sizeof *counting.entries, compare_use);
    for (uint32_t i = 0; code == HY_OK && i < counting.count; i++) {
        if (is_enough(&counting, counting.count - i, target, limit))
            break;
        if (remove_entry(&counting, &counting.entries[i], visit, context))
            counting.bytes -= counting.entries[i].bytes;
    }
    if (code == HY_OK)
        hy_used_correct(root, before, counting.bytes);
    free(counting.entries);
    return code;
}

void hy_evict_over_limit(int root, uint64_t limit, struct hy_used used)
{
    if (used.bytes <= limit)
        return;
    /* One process evicts at a time, and others skip the work, unless that process hangs. */
    const bool is_alone = flock(root, LOCK_EX | LOCK_NB) == 0;
    if (is_alone || used.bytes - limit > limit / 8)
        (void)!hy_evict(root, limit - limit / 8, limit, used, NULL, NULL, NULL, NULL);
    if (is_alone)
        flock(root, LOCK_UN);
}
