#ifndef HY_RUNTIME_CACHE_FLOW_H
#define HY_RUNTIME_CACHE_FLOW_H

#include "cache_store/entry.h"
#include "runtime/cache/identity.h"
#include "runtime/cache/outcome.h"

#include <stdbool.h>

/*
 * The way of one prepared model through the cache, around the calls of its driver:
 *
 *     begin ── find ──(yes)── prepare_from_cache ── restored ──(taken)── end
 *                └────(no)──────────┬──────────────────┘ (not taken)
 *                                 offer ── prepare ── end
 *
 * A device without prepare_from_cache gets what was found in its call of prepare (lend.h).
 *
 * Nothing in here fails a compilation: what goes wrong ends in the outcome and in the log.
 */
struct hy_cache_flow {
    const struct hy_caching *caching;
    const struct hy_device_info *info;
    struct hy_cache_outcome *outcome;
    int64_t deadline;
    uint64_t start;
    bool can_restore; /* the device has prepare_from_cache */
    struct hy_entry_access access;
    struct hy_found_entry *lent; /* an entry whose files prepare gets, all of them copies; else
                                    NULL */
    bool may_offer;              /* no: what is there stays */
    bool is_damaged;             /* what was there could not be used */
    int32_t files[2 * HY_MAX_CACHE_FILES];
};

/* False: prepare without a cache; the outcome says why. `outcome` lives as long as the prepared
 * model, and has a use if true. */
bool hy_cache_flow_begin(struct hy_cache_flow *flow, const struct hy_caching *caching,
                         const struct hy_cache_subject *subject, int64_t deadline,
                         struct hy_cache_outcome *outcome);

/* True: there are files to prepare from, which are in the options now. */
bool hy_cache_flow_find(struct hy_cache_flow *flow, struct hy_prepare_options *options);

/* What the driver made of them. `status` may be OK without a prepared model: then it is none. */
bool hy_cache_flow_restored(struct hy_cache_flow *flow, int32_t status, const void *prepared,
                            const char *words);

/* Puts files to be written to into the options, or those that the device is lent, or none. */
void hy_cache_flow_offer(struct hy_cache_flow *flow, struct hy_prepare_options *options);

/*
 * The driver has prepared the model, or failed to. True: it failed with files, and may do better
 * with those that are in the options now: with empty files in the place of a copy of the entry,
 * with none in the place of empty files. Otherwise this was the end.
 */
bool hy_cache_flow_end(struct hy_cache_flow *flow, struct hy_prepare_options *options,
                       enum hy_code code);

/* After the prepared model is gone, or was never made. Zeroed is fine. */
void hy_cache_outcome_finish(struct hy_cache_outcome *outcome);

#endif
