#ifndef HY_RUNTIME_CACHE_SESSION_H
#define HY_RUNTIME_CACHE_SESSION_H

#include "cache_store/entry_writer.h"
#include "runtime/cache/identity.h"

#include <stdatomic.h>

/* What became of caching for a prepared model; the values are those of halyard.h. */
enum hy_cache_kind {
    HY_CACHE_OFF,        /* nobody asked */
    HY_CACHE_UNUSED,     /* the device does not cache */
    HY_CACHE_HIT,        /* prepared from files */
    HY_CACHE_STORED,     /* not found; prepared, and kept now */
    HY_CACHE_NOT_STORED, /* not found, and not kept either */
};

#define HY_CACHE_REASON_SIZE 256

/*
 * One prepared model and its entry, from before the model is compiled until it is destroyed. Around
 * the calls of the driver:
 *
 *     begin ── find ──(yes)── prepare_from_cache ── restored ──(taken)── …  ── finish
 *                └────(no)──────────┬──────────────────┘ (not taken)     │
 *                                 offer ── prepare ── publish ───────────┘
 *
 * A device without prepare_from_cache gets what was found in its call of prepare (entry_copies.h).
 *
 * Nothing in here fails a compilation: what goes wrong ends in the outcome and in the log. Zeroed:
 * nobody asked for a cache. A session that has begun stays where it is.
 */
struct hy_cache_session {
    /* The outcome as it is when the compilation ends; hy_cache_session_outcome tells what it has
     * become. */
    enum hy_cache_kind kind;
    char reason[HY_CACHE_REASON_SIZE]; /* one line; "" with HY_CACHE_OFF */
    uint64_t bytes;                    /* of the files, where they were used or kept */
    uint64_t find_ns;                  /* making the token, looking up, restoring */
    uint64_t keep_ns;                  /* making it the entry */
    const atomic_bool *is_torn;        /* of the guarded mapping that the prepared model reads
                                          (torn_guard.h); NULL: it reads none */

    /* What others find by the token, see session_list.h. */
    bool is_listed; /* from a begin that was true until finish */
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_store *store; /* NULL: its files are the app's */
    struct hy_file_counts counts;
    struct hy_entry_facts facts;    /* strings are the device's */
    struct hy_entry *found;         /* while a driver restores from it; else NULL */
    struct hy_entry *guarded;       /* whose guarded mapping the prepared model reads; else NULL */
    struct hy_entry_writer *writer; /* while a driver writes to it; else NULL */
    bool is_kept_open; /* its driver goes on writing; written only while there is a writer */
    atomic_uint_least64_t updated_bytes; /* of the entry that an update has made; 0: none has */
    struct hy_cache_session *next;

    /* While the model is compiled. */
    const struct hy_caching *caching;
    int64_t deadline;
    uint64_t start;
    bool can_restore; /* the device has prepare_from_cache */
    struct hy_entry_access access;
    struct hy_entry *lent; /* whose files prepare gets, all of them copies; else NULL */
    bool may_offer;        /* no: what is there stays */
    bool is_damaged;       /* what was there could not be used */
    int32_t files[2 * HY_MAX_CACHE_FILES];
};

/* False: prepare without a cache; the outcome says why. */
bool hy_cache_session_begin(struct hy_cache_session *session, const struct hy_caching *caching,
                            const struct hy_cache_subject *subject, int64_t deadline);

/* True: there are files to prepare from, which are in the options now. */
bool hy_cache_session_find(struct hy_cache_session *session, struct hy_prepare_options *options);

/* What the driver made of them. `status` may be OK without a prepared model: then it is none. */
bool hy_cache_session_restored(struct hy_cache_session *session, int32_t status,
                               const void *prepared, const char *words);

/* Puts files to be written to into the options, or those that the device is lent, or none. */
void hy_cache_session_offer(struct hy_cache_session *session, struct hy_prepare_options *options);

/*
 * The driver has prepared the model: what it has written is published. Or it failed. True: it
 * failed with files, and may do better with those that are in the options now: with empty files in
 * the place of a copy of the entry, with none in the place of empty files.
 */
bool hy_cache_session_publish(struct hy_cache_session *session, struct hy_prepare_options *options,
                              enum hy_code code);

/* After the prepared model is gone, or was never made. The outcome stays. */
void hy_cache_session_finish(struct hy_cache_session *session);

/* What reports tell. The reason lives as long as the session. */
struct hy_cache_outcome {
    enum hy_cache_kind kind;
    const char *reason;
    uint64_t bytes;
    uint64_t find_ns;
    uint64_t keep_ns;
};

/*
 * What has become of caching until now: a device that compiles just in time writes the entry after
 * the compilation has ended. From any thread, while the prepared model lives.
 */
struct hy_cache_outcome hy_cache_session_outcome(const struct hy_cache_session *session);

#endif
