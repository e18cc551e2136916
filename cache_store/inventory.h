#ifndef HY_CACHE_STORE_INVENTORY_H
#define HY_CACHE_STORE_INVENTORY_H

#include "cache_store/entry.h"

/* What `halyard cache` does: looking over all entries of a directory. */

/* An entry as its metadata describes it. Strings live during the call. */
struct hy_listed_entry {
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_entry_facts facts;
    struct hy_file_counts counts;
    uint64_t bytes;  /* of all its files */
    int64_t created; /* seconds since 1970 */
    int64_t used;    /* the same, of the last use */
    bool is_kept_open;
    const char *fault; /* what is wrong with it; NULL: nothing that was looked for */
};

struct hy_inventory_summary {
    uint64_t entries;
    uint64_t bytes;
    uint64_t faulty;
    uint64_t removed;       /* entries */
    uint64_t removed_bytes; /* of entries and leftovers */
    uint64_t leftovers;     /* of processes that died, removed */
};

typedef void (*hy_inventory_visit_fn)(void *context, const struct hy_listed_entry *entry);

/* Visits all entries in order of their tokens. `verify`: also reads every byte of them. */
HY_MUST_CHECK enum hy_code hy_inventory_list(struct hy_store *store, bool verify,
                                             hy_inventory_visit_fn visit, void *context,
                                             struct hy_inventory_summary *summary,
                                             struct hy_error *err);

/* Removes faulty entries and leftovers, then the least recently used ones until `limit` bytes are
 * left. `visit` (may be NULL) sees what is removed. */
HY_MUST_CHECK enum hy_code hy_inventory_collect(struct hy_store *store, uint64_t limit,
                                                hy_inventory_visit_fn visit, void *context,
                                                struct hy_inventory_summary *summary,
                                                struct hy_error *err);

#endif
