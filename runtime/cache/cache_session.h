#ifndef HY_RUNTIME_CACHE_SESSION_H
#define HY_RUNTIME_CACHE_SESSION_H

#include "cache_store/entry_writer.h"
#include "runtime/cache/identity.h"

#include <stdatomic.h>

/* The cache outcome of a prepared model. The values are those of halyard.h. */
enum hy_cache_kind {
    HY_CACHE_OFF,        /* caching was not requested */
    HY_CACHE_UNUSED,     /* the device does not cache */
    HY_CACHE_HIT,        /* prepared from files */
    HY_CACHE_STORED,     /* not found; prepared and stored */
    HY_CACHE_NOT_STORED, /* not found and not stored */
};

#define HY_CACHE_REASON_SIZE 256

/*
 * The cache state of one prepared model: created before the model is compiled, finished after the
 * prepared model is destroyed. Order of calls around the driver:
 *
 *     begin ── find ──(yes)── prepare_from_cache ── restored ──(accepted)── …  ── finish
 *                └────(no)──────────┬──────────────────┘ (refused)         │
 *                                 offer ── prepare ── publish ─────────────┘
 *
 * A device without prepare_from_cache gets the files of the entry in its prepare call
 * (entry_copies.h).
 *
 * No function here fails a compilation: errors end in the outcome and in the log. A zeroed session
 * means that caching was not requested. A session must not move in memory after begin.
 */
struct hy_cache_session {
    /* The outcome at the end of the compilation. hy_cache_session_outcome returns the current
     * outcome. */
    enum hy_cache_kind kind;
    char reason[HY_CACHE_REASON_SIZE]; /* one line; "" with HY_CACHE_OFF */
    uint64_t bytes;                    /* size of the files, if used or stored */
    uint64_t find_ns;                  /* time to make the token, look up and restore */
    uint64_t publish_ns;               /* time to write and publish the entry */
    const atomic_bool *is_truncated;   /* mark of the guarded mapping that the prepared model reads
                                     (sigbus_guard.h); NULL: no guarded mapping */

    /* Found by token, see session_list.h. */
    bool is_listed; /* from a successful begin until finish */
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_store *store; /* NULL: the app supplies the files */
    struct hy_file_counts counts;
    struct hy_entry_info entry_info; /* the device owns the strings */
    struct hy_entry *found;          /* owned while a driver restores */
    struct hy_entry *guarded;        /* has the guarded mapping; else NULL */
    struct hy_entry_writer *writer;  /* set while a driver writes the entry */
    bool is_kept_open; /* the driver writes on after publish; only set while a writer exists */
    atomic_uint_least64_t updated_bytes; /* of an update's entry; 0: none */
    struct hy_cache_session *next;

    /* Used only while the model is compiled. */
    const struct hy_caching *caching;
    int64_t deadline;
    uint64_t start;
    bool can_restore; /* the device has prepare_from_cache */
    struct hy_entry_access access;
    struct hy_entry *passed_entry; /* entry with copied files for prepare, or NULL */
    bool may_offer;                /* false: the existing entry stays */
    bool is_damaged;               /* the existing entry was unusable */
    int32_t files[2 * HY_MAX_CACHE_FILES];
};

/* False: prepare without a cache. The outcome has the reason. */
bool hy_cache_session_begin(struct hy_cache_session *session, const struct hy_caching *caching,
                            const struct hy_cache_subject *subject, int64_t deadline);

/* True: `options` now has the files for prepare_from_cache. */
bool hy_cache_session_find(struct hy_cache_session *session, struct hy_prepare_options *options);

/* Notes the result of prepare_from_cache and returns true if the model was restored. HY_STATUS_OK
 * without a prepared model counts as a failure. */
bool hy_cache_session_restored(struct hy_cache_session *session, int32_t status,
                               const void *prepared, const char *reason);

/* Puts the files for prepare into the options: empty files to write, copies of the entry, or no
 * files. */
void hy_cache_session_offer(struct hy_cache_session *session, struct hy_prepare_options *options);

/*
 * Call after prepare returned `code`. On success the files that the driver has written are
 * published. True: prepare failed with files and should be called again with the files now in the
 * options. The second call gets empty files after a copy of the entry, and no files after empty
 * files.
 */
bool hy_cache_session_publish(struct hy_cache_session *session, struct hy_prepare_options *options,
                              enum hy_code code);

/* Call after the prepared model is destroyed, or if no model was prepared. The outcome stays
 * valid. */
void hy_cache_session_finish(struct hy_cache_session *session);

/* The cache outcome for reports. The reason lives as long as the session. */
struct hy_cache_outcome {
    enum hy_cache_kind kind;
    const char *reason;
    uint64_t bytes;
    uint64_t find_ns;
    uint64_t publish_ns;
};

/*
 * Returns the current outcome. A device that compiles just in time may write the entry after the
 * compilation. Any thread may call while the prepared model lives.
 */
struct hy_cache_outcome hy_cache_session_outcome(const struct hy_cache_session *session);

#endif
