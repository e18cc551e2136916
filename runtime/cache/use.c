#include "runtime/cache/use.h"

#include "runtime/fork_guard.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    struct hy_cache_use *first;
} uses = {.lock = PTHREAD_MUTEX_INITIALIZER};

void hy_cache_use_enlist(struct hy_cache_use *use)
{
    pthread_mutex_lock(&uses.lock);
    use->next = uses.first;
    uses.first = use;
    pthread_mutex_unlock(&uses.lock);
}

void hy_cache_use_delist(struct hy_cache_use *use)
{
    pthread_mutex_lock(&uses.lock);
    for (struct hy_cache_use **at = &uses.first; *at; at = &(*at)->next) {
        if (*at == use) {
            *at = use->next;
            break;
        }
    }
    pthread_mutex_unlock(&uses.lock);
}

void hy_cache_use_set_found(struct hy_cache_use *use, struct hy_found_entry *found)
{
    pthread_mutex_lock(&uses.lock);
    use->found = found;
    pthread_mutex_unlock(&uses.lock);
}

static void close_files(struct hy_entry_file *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (files[i].fd >= 0)
            close(files[i].fd);
        files[i].fd = -1;
    }
}

/* Models may be many and live long, and descriptors are few. */
void hy_cache_use_drop_found(struct hy_cache_use *use)
{
    pthread_mutex_lock(&uses.lock);
    struct hy_found_entry *found = use->found;
    use->found = NULL;
    pthread_mutex_unlock(&uses.lock);
    if (!found)
        return;
    hy_entry_note_restored(found->entry);
    close_files(found->entry->model, found->entry->counts.model);
    close_files(found->entry->data, found->entry->counts.data);
    hy_found_entry_release(found);
}

bool hy_cache_use_keep_guarded(struct hy_cache_use *use)
{
    pthread_mutex_lock(&uses.lock);
    if (use->found && use->found->entry->is_guarded) {
        use->guarded = use->found;
        atomic_fetch_add_explicit(&use->guarded->references, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&uses.lock);
    return use->guarded != NULL;
}

void hy_cache_use_set_writer(struct hy_cache_use *use, struct hy_entry_writer *writer)
{
    pthread_mutex_lock(&uses.lock);
    use->writer = writer;
    pthread_mutex_unlock(&uses.lock);
}

struct hy_found_entry *hy_found_entry_create(struct hy_entry *entry)
{
    struct hy_found_entry *found = malloc(sizeof *found);
    if (!found) {
        hy_entry_close(entry);
        return NULL;
    }
    atomic_init(&found->references, 1);
    found->entry = entry;
    return found;
}

void hy_found_entry_release(struct hy_found_entry *found)
{
    if (!found || atomic_fetch_sub_explicit(&found->references, 1, memory_order_acq_rel) != 1)
        return;
    hy_entry_close(found->entry);
    free(found);
}

static bool has_token(const struct hy_cache_use *use, const uint8_t *token)
{
    return memcmp(use->token, token, HY_TOKEN_SIZE) == 0;
}

static bool are_same(const struct hy_entry_file *entry, const int32_t *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (entry[i].fd != files[i])
            return false;
    }
    return true;
}

static bool is_of(const struct hy_cache_use *use, const struct hy_cache_files *files)
{
    return use->found && has_token(use, files->token) && use->counts.model == files->model_count &&
           use->counts.data == files->data_count &&
           are_same(use->found->entry->model, files->model, files->model_count) &&
           are_same(use->found->entry->data, files->data, files->data_count);
}

struct hy_found_entry *hy_cache_uses_find_entry(const struct hy_cache_files *files)
{
    struct hy_found_entry *found = NULL;

    pthread_mutex_lock(&uses.lock);
    for (struct hy_cache_use *use = uses.first; use && !found; use = use->next) {
        if (is_of(use, files))
            found = use->found;
    }
    if (found)
        atomic_fetch_add_explicit(&found->references, 1, memory_order_relaxed);
    pthread_mutex_unlock(&uses.lock);
    return found;
}

bool hy_cache_uses_keep_open(const uint8_t token[HY_TOKEN_SIZE])
{
    bool is_there = false;

    pthread_mutex_lock(&uses.lock);
    for (struct hy_cache_use *use = uses.first; use; use = use->next) {
        if (!use->writer || !has_token(use, token))
            continue;
        is_there = true;
        use->is_kept_open = true;
    }
    pthread_mutex_unlock(&uses.lock);
    return is_there;
}

/* With the lock held. */
static bool is_guarded(const uint8_t *token)
{
    for (const struct hy_cache_use *use = uses.first; use; use = use->next) {
        if (use->guarded && has_token(use, token))
            return true;
    }
    return false;
}

bool hy_cache_uses_find_store(const uint8_t token[HY_TOKEN_SIZE], struct hy_open_store **store,
                              struct hy_file_counts *counts, struct hy_entry_facts *facts)
{
    bool is_there = false;

    pthread_mutex_lock(&uses.lock);
    const bool is_refused = is_guarded(token);
    for (struct hy_cache_use *use = uses.first; use && !is_there && !is_refused; use = use->next) {
        if (!use->store || !has_token(use, token))
            continue;
        is_there = true;
        *store = hy_stores_retain(use->store);
        *counts = use->counts;
        *facts = use->facts;
    }
    pthread_mutex_unlock(&uses.lock);
    return is_there;
}

void hy_cache_uses_note_update(const uint8_t token[HY_TOKEN_SIZE],
                               const struct hy_open_store *store, uint64_t bytes)
{
    pthread_mutex_lock(&uses.lock);
    for (struct hy_cache_use *use = uses.first; use; use = use->next) {
        if (use->store == store && has_token(use, token))
            atomic_store(&use->updated_bytes, bytes);
    }
    pthread_mutex_unlock(&uses.lock);
}

static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&uses.lock);
    else
        pthread_mutex_unlock(&uses.lock);
}

HY_AT_FORK(HY_FORK_CACHE_USES, at_fork)
