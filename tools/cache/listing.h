#ifndef HY_TOOLS_CACHE_LISTING_H
#define HY_TOOLS_CACHE_LISTING_H

#include <halyard/halyard.h>
#include <stdbool.h>

#include "common/error.h"

/* Entries of a cache directory, copied during a visit. A zeroed listing is empty. */
struct hy_cache_listing {
    uint32_t count;
    struct halyard_cache_entry *entries; /* strings belong to the listing */
    bool is_short;                       /* memory ran out for an entry */
    struct halyard_cache_summary summary;
};

/* A halyard_cache_visitor; `context` is the listing. */
void hy_cache_listing_add(void *context, const struct halyard_cache_entry *entry);
void hy_cache_listing_finish(struct hy_cache_listing *listing);

/* Converts `code`, the result of the visiting call; OUT_OF_MEMORY if the listing lacks an entry. */
HY_MUST_CHECK enum hy_code hy_cache_listing_check(const struct hy_cache_listing *listing, int code,
                                                  const char *call, struct hy_error *err);

/* Removes the entries whose tokens begin with none of the prefixes; removes nothing if `count` is
 * 0. */
void hy_cache_listing_narrow(struct hy_cache_listing *listing, uint32_t count,
                             char *const *prefixes);

/* The only entry whose token begins with the prefix. BAD_DATA: no entry, or several. */
HY_MUST_CHECK enum hy_code hy_cache_listing_find(const struct hy_cache_listing *listing,
                                                 const char *prefix,
                                                 const struct halyard_cache_entry **ret,
                                                 struct hy_error *err);

/* True if the text is the beginning of a token in hexadecimal. */
bool hy_cache_is_prefix(const char *text);

/* The purpose of the listing. */
enum hy_cache_view {
    HY_CACHE_VIEW_LISTED,
    HY_CACHE_VIEW_REMOVED,
};

/* Prints to stdout. `now`: seconds since 1970, for ages. */
void hy_cache_listing_print(const struct hy_cache_listing *listing, enum hy_cache_view view,
                            int64_t now);

/* {"entries" or "removed": [{"token", "device", "version", "build_id", "operations", "preference",
 * "priority", "model_files", "data_files", "kept_open", "bytes", "created", "used", "fault"}],
 * "summary": {"entries", "bytes", "faulty", "removed", "removed_bytes", "leftovers"}} */
HY_MUST_CHECK enum hy_code hy_cache_listing_print_json(const struct hy_cache_listing *listing,
                                                       enum hy_cache_view view,
                                                       struct hy_error *err);

#endif
