#ifndef HY_RUNTIME_CACHE_SESSION_LIST_H
#define HY_RUNTIME_CACHE_SESSION_LIST_H

#include "runtime/cache/cache_session.h"

/*
 * The list of the sessions of this process. Host functions for drivers use the list to find
 * entries, writers and stores by token. Several sessions may have the same token.
 */

/* Adds a session to the list. The session must not move in memory while it is listed. */
void hy_cache_sessions_add(struct hy_cache_session *session);
void hy_cache_sessions_remove(struct hy_cache_session *session);

/* Changes of a listed session. The session owns the entry and the writer from here on. */
void hy_cache_session_set_found(struct hy_cache_session *session, struct hy_entry *found);
/* Call after the driver has returned: the entry is removed from the session. Other holders of the
 * entry keep its mappings; its files are closed and its restore mark is removed. */
void hy_cache_session_drop_found(struct hy_cache_session *session);
/* Call after the prepared model was made from the entry. True: the prepared model still reads a
 * guarded mapping, and the session holds the entry from here on. */
bool hy_cache_session_hold_guarded(struct hy_cache_session *session);
void hy_cache_session_set_writer(struct hy_cache_session *session, struct hy_entry_writer *writer);

/* Returns the open entry that owns these files, retained for the caller. NULL: no session has such
 * an entry. */
struct hy_entry *hy_cache_sessions_find_entry(const struct hy_cache_files *files);

/* Notes that the driver continues to write to the files of the writers of a token. The note covers
 * every writer of the token, as models with one token may be compiled into several directories.
 * False: the token has no writer. */
bool hy_cache_sessions_keep_open(const uint8_t token[HY_TOKEN_SIZE]);

/* Returns the store for new entries of a token; `*store` is retained for the caller. False: the
 * token has no store, or a prepared model of the token reads a guarded mapping. Another process may
 * have changed such a mapping, so its data must not become a valid entry. */
bool hy_cache_sessions_find_store(const uint8_t token[HY_TOKEN_SIZE], struct hy_store **store,
                                  struct hy_file_counts *counts, struct hy_entry_info *entry_info);

/* Notes the size in bytes of an entry from an update, in all sessions with this token and the same
 * store directory. */
void hy_cache_sessions_note_update(const uint8_t token[HY_TOKEN_SIZE], const struct hy_store *store,
                                   uint64_t bytes);

#endif
