#ifndef HY_RUNTIME_CACHE_SESSION_LIST_H
#define HY_RUNTIME_CACHE_SESSION_LIST_H

#include "runtime/cache/cache_session.h"

/*
 * The sessions of this process, listed so that what the host does for drivers finds what belongs to
 * a token. The same token may be in use many times.
 */

/* From then on it is found. It stays where it is. */
void hy_cache_sessions_add(struct hy_cache_session *session);
void hy_cache_sessions_remove(struct hy_cache_session *session);

/* Changes of a session that is listed. Entry and writer become the session's. */
void hy_cache_session_set_found(struct hy_cache_session *session, struct hy_entry *found);
/* The driver has returned: the entry is found no more. Who holds it keeps what is mapped of it; its
 * files are closed, and its mark is lifted. */
void hy_cache_session_drop_found(struct hy_cache_session *session);
/* The prepared model has been made from it. Whether it goes on reading a guarded mapping of it,
 * which the session holds from then on. */
bool hy_cache_session_keep_guarded(struct hy_cache_session *session);
void hy_cache_session_set_writer(struct hy_cache_session *session, struct hy_entry_writer *writer);

/* The entry that these files, of this token, are those of; one holder more. NULL: there is none. */
struct hy_entry *hy_cache_sessions_find_entry(const struct hy_cache_files *files);

/* Notes that the driver goes on writing to the files of the token's writer; to all of them, where
 * models of one token are compiled into several folders at once. False: there is none. */
bool hy_cache_sessions_keep_open(const uint8_t token[HY_TOKEN_SIZE]);

/* Where entries of the token go: `store` is retained for the caller. False: nowhere; also while a
 * prepared model of the token reads a guarded mapping, since what somebody has changed there would
 * become a good entry. */
bool hy_cache_sessions_find_store(const uint8_t token[HY_TOKEN_SIZE], struct hy_store **store,
                                  struct hy_file_counts *counts, struct hy_entry_facts *facts);

/* Notes that an update has made an entry of so many bytes, in all sessions of the token whose
 * entries are in the same folder. */
void hy_cache_sessions_note_update(const uint8_t token[HY_TOKEN_SIZE], const struct hy_store *store,
                                   uint64_t bytes);

#endif
