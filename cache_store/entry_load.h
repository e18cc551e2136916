#ifndef HY_CACHE_STORE_ENTRY_LOAD_H
#define HY_CACHE_STORE_ENTRY_LOAD_H

#include "cache_store/metadata.h"

#include <sys/stat.h>

/* Reading the directory of an entry, for hy_entry_open and the inventory. */

struct hy_loading {
    int dir;                              /* directory of the entry */
    const uint8_t *token;                 /* expected token */
    bool with_bytes;                      /* checks the bytes; false: compares only lengths */
    const struct hy_entry_access *access; /* access of a use; the use is noted. NULL: an inspection;
                                             a faulty entry will be removed anyway */
    struct hy_entry *entry;               /* free with hy_entry_finish, also after a failure */
    struct hy_metadata metadata;
    struct stat metadata_info; /* st_mtim: last use */
    int metadata_fd;           /* the caller closes it; -1: none */
};

/* Initializes a load. `entry` may be uninitialized. */
void hy_loading_init(struct hy_loading *loading, int dir, const uint8_t *token,
                     struct hy_entry *entry);

/* Loads an entry. Errors: HY_BAD_DATA with a reason (a file is missing, foreign or different from
 * the metadata), HY_FAILED, HY_EXHAUSTED, HY_OUT_OF_MEMORY. After a failure the metadata is zeroed
 * or complete. */
HY_MUST_CHECK enum hy_code hy_loading_run(struct hy_loading *loading, struct hy_error *err);

/* Closes and unmaps all files, removes the mark, and clears the entry. */
void hy_entry_finish(struct hy_entry *entry);

#endif
