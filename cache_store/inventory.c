#include "cache_store/inventory.h"

#include "cache_store/directory/names.h"
#include "cache_store/directory/private_dir.h"
#include "cache_store/directory/trash.h"
#include "cache_store/directory/walk.h"
#include "cache_store/entry_load.h"
#include "cache_store/evict.h"
#include "cache_store/store_dirs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* One inventory of a directory. */
struct looking {
    int root;
    bool verify;
    bool remove; /* removes and visits only faulty entries */
    hy_inventory_visit_fn visit;
    void *context;
    struct hy_inventory_summary summary;
    struct hy_removal leftovers;
};

static void visit(const struct looking *looking, const struct hy_listed_entry *listed)
{
    if (looking->visit)
        looking->visit(looking->context, listed);
}

/* ---- Describing an entry --------------------------------------------------------------------- */

static void describe(struct hy_listed_entry *listed, const struct hy_loading *loading)
{
    listed->info = hy_metadata_info(&loading->metadata);
    listed->counts = loading->metadata.counts;
    listed->created = loading->metadata.created;
    listed->is_kept_open = loading->metadata.is_kept_open;
    if (loading->metadata_fd >= 0)
        listed->used = loading->metadata_info.st_mtim.tv_sec;
}

/* Strings of `listed` point into `loading` and `err`. Returns the code of loading. */
static enum hy_code examine(int dir, bool verify, struct hy_listed_entry *listed,
                            struct hy_loading *loading, struct hy_error *err)
{
    struct hy_entry entry;

    hy_loading_init(loading, dir, listed->token, &entry);
    loading->with_bytes = verify;
    enum hy_code code = hy_loading_run(loading, err);
    hy_entry_finish(&entry);
    if (loading->metadata_fd >= 0)
        close(loading->metadata_fd);
    describe(listed, loading);
    listed->fault = code == HY_BAD_DATA ? err->text : NULL;
    return code == HY_BAD_DATA ? HY_OK : code;
}

static void init_listed(struct hy_listed_entry *listed, const uint8_t *token, int shard,
                        const char *name)
{
    *listed = (struct hy_listed_entry){.info = {.device = "", .version = "", .build_id = ""}};
    memcpy(listed->token, token, HY_TOKEN_SIZE);
    listed->bytes = hy_walk_bytes(shard, name);
}

/* ---- Looking over all ------------------------------------------------------------------------ */

static void count(struct looking *looking, const struct hy_listed_entry *listed, bool removed)
{
    struct hy_inventory_summary *summary = &looking->summary;
    summary->faulty += listed->fault != NULL;
    if (removed) {
        summary->removed++;
        summary->removed_bytes += listed->bytes;
    } else {
        summary->entries++;
        summary->bytes += listed->bytes;
    }
}

/* Examines an open, private directory. */
static enum hy_code look_at(struct looking *looking, int shard, const char *name,
                            const uint8_t *token, int dir, struct hy_error *err)
{
    struct hy_listed_entry listed;
    struct hy_loading loading;
    struct hy_error why = {0};
    bool removed = false;

    init_listed(&listed, token, shard, name);
    enum hy_code code = examine(dir, looking->verify, &listed, &loading, &why);
    if (code != HY_OK)
        return hy_fail(err, code, "%.16s…: %s", name, why.text);
    if (listed.fault && !hy_dir_is_at(shard, name, dir))
        return HY_OK; /* removed in the meantime */
    if (listed.fault && looking->remove) {
        removed = hy_trash_put_open(looking->root, shard, name, dir, NULL) == 0;
        flock(dir, LOCK_UN);
    }
    if (removed || !looking->remove)
        visit(looking, &listed);
    count(looking, &listed, removed);
    return HY_OK;
}

static enum hy_code look_at_entry(void *context, int shard, const char *name,
                                  const uint8_t token[HY_TOKEN_SIZE], struct hy_error *err)
{
    struct looking *looking = context;
    struct hy_listed_entry listed;
    struct hy_error why = {0};
    int dir = -1;

    enum hy_code code = hy_dir_open(shard, name, &dir, &why);
    if (code == HY_OK) {
        code = look_at(looking, shard, name, token, dir, err);
        close(dir);
        return code;
    }
    if (code == HY_BAD_STATE)
        return HY_OK;
    if (code != HY_BAD_DATA)
        return hy_fail(err, code, "%s", why.text);
    init_listed(&listed, token, shard, name);
    listed.fault = why.text;
    const bool removed =
        looking->remove && hy_trash_put_strange(looking->root, shard, name, NULL) == 0;
    if (removed || !looking->remove)
        visit(looking, &listed);
    count(looking, &listed, removed);
    return HY_OK;
}

static enum hy_code look_at_strange(void *context, int shard, const char *name,
                                    struct hy_error *err)
{
    struct looking *looking = context;
    (void)err;
    if (looking->remove)
        hy_trash_put(looking->root, shard, name, &looking->leftovers);
    return HY_OK;
}

static enum hy_code look(struct looking *looking, struct hy_error *err)
{
    const struct hy_walk walk = {looking, look_at_entry, look_at_strange};
    return hy_walk_shards(looking->root, &walk, err);
}

/* ---- The two commands ------------------------------------------------------------------------ */

/* A directory without a cache counts as empty. */
static enum hy_code open_root(const struct hy_store *store, struct looking *looking,
                              struct hy_error *err)
{
    enum hy_code code = hy_store_root(store, &looking->root, err);
    return code == HY_BAD_STATE ? HY_OK : code;
}

enum hy_code hy_inventory_list(struct hy_store *store, bool verify, hy_inventory_visit_fn visit_fn,
                               void *context, struct hy_inventory_summary *summary,
                               struct hy_error *err)
{
    struct looking looking = {.root = -1, .verify = verify, .visit = visit_fn, .context = context};

    enum hy_code code = open_root(store, &looking, err);
    if (code == HY_OK && looking.root >= 0) {
        code = look(&looking, err);
        close(looking.root);
    }
    if (code == HY_OK)
        *summary = looking.summary;
    return code;
}

static void visit_evicted(void *context, const uint8_t token[HY_TOKEN_SIZE], int dir)
{
    const struct looking *looking = context;
    struct hy_loading loading;
    struct hy_listed_entry listed;
    struct hy_error why = {0};

    init_listed(&listed, token, dir, ".");
    if (examine(dir, false, &listed, &loading, &why) == HY_OK)
        visit(looking, &listed);
}

static enum hy_code collect(struct looking *looking, uint64_t limit, struct hy_error *err)
{
    struct hy_inventory_summary *summary = &looking->summary;
    struct hy_removal evicted = {0};
    const struct hy_used before = hy_used_add(looking->root, 0);

    hy_trash_sweep(looking->root, &looking->leftovers);
    enum hy_code code = look(looking, err);
    if (code == HY_OK)
        code = hy_evict(looking->root, limit, limit, before, visit_evicted, looking, &evicted, err);
    if (code != HY_OK)
        return code;
    summary->entries -= evicted.pieces < summary->entries ? evicted.pieces : summary->entries;
    summary->bytes -= evicted.bytes < summary->bytes ? evicted.bytes : summary->bytes;
    summary->removed += evicted.pieces;
    summary->removed_bytes += evicted.bytes + looking->leftovers.bytes;
    summary->leftovers = looking->leftovers.pieces;
    return HY_OK;
}

enum hy_code hy_inventory_collect(struct hy_store *store, uint64_t limit,
                                  hy_inventory_visit_fn visit_fn, void *context,
                                  struct hy_inventory_summary *summary, struct hy_error *err)
{
    struct looking looking = {.root = -1, .remove = true, .visit = visit_fn, .context = context};

    enum hy_code code = open_root(store, &looking, err);
    if (code == HY_OK && looking.root >= 0) {
        code = collect(&looking, limit, err);
        close(looking.root);
    }
    if (code == HY_OK)
        *summary = looking.summary;
    return code;
}
