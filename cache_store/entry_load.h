#ifndef HY_CACHE_STORE_ENTRY_LOAD_H
#define HY_CACHE_STORE_ENTRY_LOAD_H

#include "cache_store/metadata.h"

#include <sys/stat.h>

/* Reading the folder of one entry: what hy_entry_open and the inventory have in common. */

struct hy_loading {
    int folder;                           /* of the entry */
    const uint8_t *token;                 /* that it must have */
    bool with_bytes;                      /* checks them; else only lengths are compared */
    const struct hy_entry_access *access; /* of a use, which is noted; NULL: it is only looked at,
                                             and what is wrong with the entry removes it anyway */
    struct hy_entry *entry; /* hy_entry_finish frees what is in it, also after a failure */
    struct hy_metadata metadata;
    struct stat metadata_info; /* st_mtim: the last use */
    int metadata_fd;           /* the caller's to close; -1: none */
};

/* `entry` need not be initialised. */
void hy_loading_init(struct hy_loading *loading, int folder, const uint8_t *token,
                     struct hy_entry *entry);

/* Errors: BAD_DATA in words (missing, strange, or not as the metadata says), FAILED, EXHAUSTED,
 * OUT_OF_MEMORY. With a failure the metadata is zeroed or whole. */
HY_MUST_CHECK enum hy_code hy_loading_run(struct hy_loading *loading, struct hy_error *err);

/* Closes and unmaps everything, lifts the mark, and leaves the entry without a file. */
void hy_entry_finish(struct hy_entry *entry);

#endif
