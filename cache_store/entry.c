#include "cache_store/entry.h"

#include "cache_store/directory/names.h"
#include "cache_store/directory/private_dir.h"
#include "cache_store/directory/trash.h"
#include "cache_store/entry_load.h"
#include "cache_store/restore_mark.h"
#include "cache_store/store_dirs.h"

#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit for replacements of an entry while it is read. */
#define MOST_TRIES 4

/* The location of a token's entry. */
struct location {
    int root;
    int shard;
    struct hy_token_name name;
};

/* The requested entry and its use. */
struct wanted {
    const uint8_t *token;
    struct hy_file_counts counts;
    const struct hy_entry_access *access;
};

static enum hy_code find_location(const struct hy_store *store, const uint8_t *token,
                                  struct location *ret, struct hy_error *err)
{
    *ret = (struct location){.root = -1, .shard = -1, .name = hy_token_name_make(token)};
    enum hy_code code = hy_store_root(store, &ret->root, err);
    if (code != HY_OK)
        return code;
    code = hy_store_inner(ret->root, hy_shard_name_make(token[0]).text, &ret->shard, err);
    return code == HY_BAD_STATE ? hy_fail(err, code, "no entry for this token") : code;
}

static void close_location(const struct location *location)
{
    if (location->shard >= 0)
        close(location->shard);
    if (location->root >= 0)
        close(location->root);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static enum hy_code check_counts(const struct hy_entry *entry, struct hy_file_counts counts,
                                 struct hy_error *err)
{
    if (entry->counts.model == counts.model && entry->counts.data == counts.data)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "%u model and %u data files, the device needs %u and %u",
                   entry->counts.model, entry->counts.data, counts.model, counts.data);
}

static enum hy_code load(int dir, const struct wanted *wanted, struct hy_entry *entry,
                         struct hy_error *err)
{
    struct hy_loading loading;

    hy_loading_init(&loading, dir, wanted->token, entry);
    loading.access = wanted->access;
    enum hy_code code = hy_loading_run(&loading, err);
    if (code == HY_OK)
        code = check_counts(entry, wanted->counts, err);
    if (code == HY_OK && wanted->access->is_restored_here)
        code = hy_restore_mark_set(dir, &entry->restore_mark, err);
    if (code != HY_OK)
        hy_entry_finish(entry);
    if (loading.metadata_fd >= 0)
        close(loading.metadata_fd);
    return code;
}

/* Removes a faulty entry. If a new entry has replaced it, the load is tried again. */
static enum hy_code load_in(const struct location *location, int dir, const struct wanted *wanted,
                            struct hy_entry *entry, bool *again, struct hy_error *err)
{
    enum hy_code code = load(dir, wanted, entry, err);
    *again = false;
    if (code != HY_BAD_DATA)
        return code;
    if (!hy_dir_is_at(location->shard, location->name.text, dir)) {
        *again = true;
        return hy_fail(err, HY_BAD_STATE, "the entry was removed while it was read");
    }
    hy_trash_put_open(location->root, location->shard, location->name.text, dir, NULL);
    flock(dir, LOCK_UN);
    return code;
}

static enum hy_code open_at(const struct location *location, const struct wanted *wanted,
                            struct hy_entry *entry, struct hy_error *err)
{
    enum hy_code code = HY_BAD_STATE;
    bool again = true;

    for (int i = 0; again && i < MOST_TRIES; i++) {
        int dir = -1;
        code = hy_dir_open(location->shard, location->name.text, &dir, err);
        if (code == HY_BAD_STATE)
            return hy_fail(err, code, "no entry for this token");
        if (code == HY_BAD_DATA)
            hy_trash_put_strange(location->root, location->shard, location->name.text, NULL);
        if (code != HY_OK)
            return code;
        code = load_in(location, dir, wanted, entry, &again, err);
        close(dir);
    }
    return code;
}

enum hy_code hy_entry_open(struct hy_store *store, const uint8_t token[HY_TOKEN_SIZE],
                           struct hy_file_counts counts, const struct hy_entry_access *access,
                           struct hy_entry **ret, struct hy_error *err)
{
    const struct wanted wanted = {.token = token, .counts = counts, .access = access};
    struct location location;
    enum hy_code code;

    if (hy_store_limit(store) == 0)
        return hy_fail(err, HY_BAD_STATE, "the limit of the cache is 0 bytes");
    struct hy_entry *entry = malloc(sizeof *entry);
    if (!entry)
        return hy_fail(err, HY_OUT_OF_MEMORY, "cache entry");
    code = find_location(store, token, &location, err);
    if (code == HY_OK)
        code = open_at(&location, &wanted, entry, err);
    close_location(&location);
    if (code == HY_OK) {
        atomic_init(&entry->holders, 1);
        *ret = entry;
        return HY_OK;
    }
    free(entry);
    return hy_error_prefix(err, code == HY_EXHAUSTED ? HY_FAILED : code, "cache entry");
}

struct hy_entry *hy_entry_retain(struct hy_entry *entry)
{
    atomic_fetch_add_explicit(&entry->holders, 1, memory_order_relaxed);
    return entry;
}

void hy_entry_close(struct hy_entry *entry)
{
    if (!entry || atomic_fetch_sub_explicit(&entry->holders, 1, memory_order_acq_rel) != 1)
        return;
    hy_entry_finish(entry);
    free(entry);
}

void hy_entry_note_restored(struct hy_entry *entry)
{
    hy_restore_mark_lift(&entry->restore_mark);
}

/* ---- Removing -------------------------------------------------------------------------------- */

void hy_entry_remove(struct hy_store *store, const uint8_t token[HY_TOKEN_SIZE])
{
    struct location location;
    int dir = -1;

    if (find_location(store, token, &location, NULL) == HY_OK) {
        const enum hy_code code = hy_dir_open(location.shard, location.name.text, &dir, NULL);
        if (code == HY_OK) {
            hy_trash_put_open(location.root, location.shard, location.name.text, dir, NULL);
            flock(dir, LOCK_UN);
            close(dir);
        } else if (code == HY_BAD_DATA) {
            hy_trash_put_strange(location.root, location.shard, location.name.text, NULL);
        }
    }
    close_location(&location);
}
