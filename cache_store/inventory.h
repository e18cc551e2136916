#ifndef HY_CACHE_STORE_INVENTORY_H
#define HY_CACHE_STORE_INVENTORY_H

#include "cache_store/entry.h"

/* Inventory of a cache directory, for the command `halyard cache`. */

/* The description of an entry from its metadata. Strings are valid during the call. */
struct hy_listed_entry {
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_entry_info info;
    struct hy_file_counts counts;
    uint64_t bytes;  /* size of all files */
    int64_t created; /* seconds since 1970 */
    int64_t used;    /* last use, seconds since 1970 */
    bool is_kept_open;
    const char *fault; /* description of a fault; NULL: no fault found */
};

struct hy_inventory_summary {
    uint64_t entries;
    uint64_t bytes;
    uint64_t faulty;
    uint64_t removed;       /* entries */
    uint64_t removed_bytes; /* of entries and leftovers */
    uint64_t leftovers;     /* removed leftovers of dead processes */
};

typedef void (*hy_inventory_visit_fn)(void *context, const struct hy_listed_entry *entry);

/* Visits all entries in the order of their tokens. `verify`: also checks all bytes. */
HY_MUST_CHECK enum hy_code hy_inventory_list(struct hy_store *store, bool verify,
                                             hy_inventory_visit_fn visit, void *context,
                                             struct hy_inventory_summary *summary,
                                             struct hy_error *err);

/* Removes faulty entries and leftovers, then the least recently used entries until at most `limit`
 * bytes are left. `visit` (may be NULL) is called for removed entries. */
HY_MUST_CHECK enum hy_code hy_inventory_collect(struct hy_store *store, uint64_t limit,
                                                hy_inventory_visit_fn visit, void *context,
                                                struct hy_inventory_summary *summary,
                                                struct hy_error *err);

#endif
