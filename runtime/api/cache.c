/* halyard.h: looking over a cache directory. */
#include "cache_store/inventory.h"
#include "halyard/halyard.h"
#include "out_struct.h"
#include "runtime/cache/setting.h"
#include "runtime/environment.h"
#include "runtime/handle/last_error.h"

#include <assert.h>

static_assert(HALYARD_TOKEN_SIZE == HY_TOKEN_SIZE, "one size of tokens");

/* The app's visitor and its context. */
struct audience {
    halyard_cache_visitor visit;
    void *context;
};

static void show(void *context, const struct hy_listed_entry *entry)
{
    const struct audience *audience = context;
    struct halyard_cache_entry shown = {
        .struct_size = sizeof shown,
        .device = entry->info.device ? entry->info.device : "",
        .version = entry->info.version ? entry->info.version : "",
        .build_id = entry->info.build_id ? entry->info.build_id : "",
        .operation_count = entry->info.operations,
        .preference = entry->info.preference,
        .priority = entry->info.priority,
        .model_files = entry->counts.model,
        .data_files = entry->counts.data,
        .kept_open = entry->is_kept_open,
        .bytes = entry->bytes,
        .created = entry->created,
        .used = entry->used,
        .fault = entry->fault ? entry->fault : "",
    };
    memcpy(shown.token, entry->token, sizeof shown.token);
    audience->visit(audience->context, &shown);
}

static enum hy_code sum_up(const struct hy_inventory_summary *found,
                           struct halyard_cache_summary *out, struct hy_error *err)
{
    const struct halyard_cache_summary full = {
        .entries = found->entries,
        .bytes = found->bytes,
        .faulty = found->faulty,
        .removed = found->removed,
        .removed_bytes = found->removed_bytes,
        .leftovers = found->leftovers,
    };
    return out ? hy_out_struct_copy(out, &full, sizeof full, err) : HY_OK;
}

static enum hy_code open_store(const char *dir, struct hy_store **ret, struct hy_error *err)
{
    const struct hy_environment *environment = hy_environment();
    if (!environment)
        return hy_fail(err, HY_OUT_OF_MEMORY, "environment variables");
    if (!dir)
        dir = environment->cache_dir;
    if (!dir)
        return hy_fail(
            err, HY_BAD_DATA,
            "no cache directory: neither the argument nor HALYARD_CACHE_DIR names a directory");
    return hy_store_open(dir, false, hy_caching_limit(environment->cache_limit), ret, err);
}

static int look_over(const char *name, const char *dir, bool verify, struct audience audience,
                     struct halyard_cache_summary *summary)
{
    struct hy_inventory_summary found = {0};
    struct hy_store *store = NULL;
    struct hy_error err;

    enum hy_code code = open_store(dir, &store, &err);
    if (code == HY_OK)
        code =
            hy_inventory_list(store, verify, audience.visit ? show : NULL, &audience, &found, &err);
    hy_store_close(store);
    if (code == HY_OK)
        code = sum_up(&found, summary, &err);
    return hy_api_result(name, code, &err);
}

int halyard_cache_list(const char *dir, halyard_cache_visitor visit, void *context,
                       struct halyard_cache_summary *summary)
{
    return look_over("cache_list", dir, false, (struct audience){visit, context}, summary);
}

int halyard_cache_verify(const char *dir, halyard_cache_visitor visit, void *context,
                         struct halyard_cache_summary *summary)
{
    return look_over("cache_verify", dir, true, (struct audience){visit, context}, summary);
}

int halyard_cache_collect(const char *dir, uint64_t limit, halyard_cache_visitor visit,
                          void *context, struct halyard_cache_summary *summary)
{
    struct audience audience = {visit, context};
    struct hy_inventory_summary found = {0};
    struct hy_store *store = NULL;
    struct hy_error err;

    enum hy_code code = open_store(dir, &store, &err);
    if (code == HY_OK && limit == HALYARD_CACHE_LIMIT_IN_FORCE)
        limit = hy_caching_limit(hy_environment()->cache_limit);
    if (code == HY_OK)
        code = hy_inventory_collect(store, limit, visit ? show : NULL, &audience, &found, &err);
    hy_store_close(store);
    if (code == HY_OK)
        code = sum_up(&found, summary, &err);
    return hy_api_result("cache_collect", code, &err);
}

int halyard_cache_remove(const char *dir, const uint8_t token[HALYARD_TOKEN_SIZE])
{
    struct hy_store *store = NULL;
    struct hy_error err;

    if (!token)
        return hy_api_null("cache_remove", "token");
    enum hy_code code = open_store(dir, &store, &err);
    if (code == HY_OK)
        hy_entry_remove(store, token);
    hy_store_close(store);
    return hy_api_result("cache_remove", code, &err);
}
