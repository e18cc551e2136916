#ifndef HY_CACHE_STORE_ENTRY_WRITER_H
#define HY_CACHE_STORE_ENTRY_WRITER_H

#include "cache_store/directory/names.h"
#include "cache_store/entry.h"

/*
 * Writes an entry in a staging directory and publishes the entry atomically. Each token has a
 * single writer at a time, across all processes. Leftovers of dead processes are reused or removed.
 */
struct hy_entry_writer {
    struct hy_file_counts counts;
    int32_t model[HY_MAX_CACHE_FILES]; /* open for reading and writing; owned by the writer */
    int32_t data[HY_MAX_CACHE_FILES];
    /* Private members. */
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_token_name name;
    uint64_t limit; /* limit of the store */
    int root;
    int staging; /* parent of all staging directories */
    int dir;     /* locked staging directory of the writer */
};

/*
 * Creates a writer with empty files. Errors: HY_BAD_STATE (another writer is active: continue
 * without a cache), HY_EXHAUSTED (the limit is 0, the disk is full, no descriptors), HY_FAILED (no
 * permission and similar), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_entry_writer_create(struct hy_store *store,
                                                  const uint8_t token[HY_TOKEN_SIZE],
                                                  struct hy_file_counts counts,
                                                  struct hy_entry_writer **ret,
                                                  struct hy_error *err);

/*
 * Publishes the entry, in place of an older entry: writes the metadata with digests and
 * `entry_info`, then renames the staging directory. Nothing waits for the disk: after a power
 * failure the entry may be a miss. The writer is destroyed, also after an error; the older entry
 * stays after an error. `kept_open`: the driver continues to write, and the files get no digests.
 * Finally evicts old entries above the limit. Errors: HY_BAD_DATA (all files are empty and not kept
 * open: nothing was cached), HY_EXHAUSTED (full disk; larger than the limit), HY_FAILED,
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_entry_writer_publish(struct hy_entry_writer *writer,
                                                   const struct hy_entry_info *entry_info,
                                                   bool kept_open, struct hy_error *err);
void hy_entry_writer_discard(struct hy_entry_writer *writer); /* NULL is allowed */

#endif
