#include "runtime/cache/session_list.h"

#include "runtime/fork_guard.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    struct hy_cache_session *first;
} sessions = {.lock = PTHREAD_MUTEX_INITIALIZER};

void hy_cache_sessions_add(struct hy_cache_session *session)
{
    pthread_mutex_lock(&sessions.lock);
    session->next = sessions.first;
    sessions.first = session;
    session->is_listed = true;
    pthread_mutex_unlock(&sessions.lock);
}

void hy_cache_sessions_remove(struct hy_cache_session *session)
{
    pthread_mutex_lock(&sessions.lock);
    for (struct hy_cache_session **at = &sessions.first; *at; at = &(*at)->next) {
        if (*at == session) {
            *at = session->next;
            break;
        }
    }
    session->is_listed = false;
    pthread_mutex_unlock(&sessions.lock);
}

void hy_cache_session_set_found(struct hy_cache_session *session, struct hy_entry *found)
{
    pthread_mutex_lock(&sessions.lock);
    session->found = found;
    pthread_mutex_unlock(&sessions.lock);
}

static void close_files(struct hy_entry_file *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (files[i].fd >= 0)
            close(files[i].fd);
        files[i].fd = -1;
    }
}

/* Closes the files early: models may be many and live long, and descriptors are few. */
void hy_cache_session_drop_found(struct hy_cache_session *session)
{
    pthread_mutex_lock(&sessions.lock);
    struct hy_entry *found = session->found;
    session->found = NULL;
    pthread_mutex_unlock(&sessions.lock);
    if (!found)
        return;
    hy_entry_note_restored(found);
    close_files(found->model, found->counts.model);
    close_files(found->data, found->counts.data);
    hy_entry_close(found);
}

bool hy_cache_session_hold_guarded(struct hy_cache_session *session)
{
    pthread_mutex_lock(&sessions.lock);
    if (session->found && session->found->is_guarded)
        session->guarded = hy_entry_retain(session->found);
    pthread_mutex_unlock(&sessions.lock);
    return session->guarded != NULL;
}

void hy_cache_session_set_writer(struct hy_cache_session *session, struct hy_entry_writer *writer)
{
    pthread_mutex_lock(&sessions.lock);
    session->writer = writer;
    pthread_mutex_unlock(&sessions.lock);
}

static bool has_token(const struct hy_cache_session *session, const uint8_t *token)
{
    return memcmp(session->token, token, HY_TOKEN_SIZE) == 0;
}

static bool are_same(const struct hy_entry_file *entry, const int32_t *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (entry[i].fd != files[i])
            return false;
    }
    return true;
}

static bool is_of(const struct hy_cache_session *session, const struct hy_cache_files *files)
{
    return session->found && has_token(session, files->token) &&
           session->counts.model == files->model_count &&
           session->counts.data == files->data_count &&
           are_same(session->found->model, files->model, files->model_count) &&
           are_same(session->found->data, files->data, files->data_count);
}

struct hy_entry *hy_cache_sessions_find_entry(const struct hy_cache_files *files)
{
    struct hy_entry *found = NULL;

    pthread_mutex_lock(&sessions.lock);
    for (struct hy_cache_session *session = sessions.first; session && !found;
         session = session->next) {
        if (is_of(session, files))
            found = hy_entry_retain(session->found);
    }
    pthread_mutex_unlock(&sessions.lock);
    return found;
}

bool hy_cache_sessions_keep_open(const uint8_t token[HY_TOKEN_SIZE])
{
    bool is_there = false;

    pthread_mutex_lock(&sessions.lock);
    for (struct hy_cache_session *session = sessions.first; session; session = session->next) {
        if (!session->writer || !has_token(session, token))
            continue;
        is_there = true;
        session->is_kept_open = true;
    }
    pthread_mutex_unlock(&sessions.lock);
    return is_there;
}

/* Call with the lock held. */
static bool is_guarded(const uint8_t *token)
{
    for (const struct hy_cache_session *session = sessions.first; session;
         session = session->next) {
        if (session->guarded && has_token(session, token))
            return true;
    }
    return false;
}

bool hy_cache_sessions_find_store(const uint8_t token[HY_TOKEN_SIZE], struct hy_store **store,
                                  struct hy_file_counts *counts, struct hy_entry_info *entry_info)
{
    bool is_there = false;

    pthread_mutex_lock(&sessions.lock);
    const bool is_refused = is_guarded(token);
    for (struct hy_cache_session *session = sessions.first; session && !is_there && !is_refused;
         session = session->next) {
        if (!session->store || !has_token(session, token))
            continue;
        is_there = true;
        *store = hy_store_retain(session->store);
        *counts = session->counts;
        *entry_info = session->entry_info;
    }
    pthread_mutex_unlock(&sessions.lock);
    return is_there;
}

void hy_cache_sessions_note_update(const uint8_t token[HY_TOKEN_SIZE], const struct hy_store *store,
                                   uint64_t bytes)
{
    pthread_mutex_lock(&sessions.lock);
    for (struct hy_cache_session *session = sessions.first; session; session = session->next) {
        if (session->store && has_token(session, token) && hy_store_is_same(session->store, store))
            atomic_store(&session->updated_bytes, bytes);
    }
    pthread_mutex_unlock(&sessions.lock);
}

static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&sessions.lock);
    else
        pthread_mutex_unlock(&sessions.lock);
}

HY_AT_FORK(HY_FORK_CACHE_SESSIONS, at_fork)
