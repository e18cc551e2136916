#ifndef HY_RUNTIME_CACHE_STORES_H
#define HY_RUNTIME_CACHE_STORES_H

#include "cache_store/store.h"

/*
 * The cache folders of this process: each is opened once and kept, the few that were used last also
 * while nobody uses them. From any thread; nothing of it is on the path of an execution.
 */
struct hy_open_store {
    struct hy_store *store;
    char *folder; /* absolute */
    uint64_t limit;
    uint64_t device, inode; /* of the folder when it was opened */
    uint64_t last_use;
    uint32_t users;
    bool is_listed;
};

/* One user more. A folder that was replaced since is opened anew. Errors: those of hy_store_open.
 */
HY_MUST_CHECK enum hy_code hy_stores_take(const char *folder, bool create, uint64_t limit,
                                          struct hy_open_store **ret, struct hy_error *err);
struct hy_open_store *hy_stores_retain(struct hy_open_store *store);
void hy_stores_give_back(struct hy_open_store *store); /* takes NULL */

#endif
