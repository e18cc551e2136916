#ifndef HY_CACHE_STORE_ENTRY_WRITER_H
#define HY_CACHE_STORE_ENTRY_WRITER_H

#include "cache_store/directory/names.h"
#include "cache_store/entry.h"

/*
 * Makes an entry, which nobody sees: empty files to be written, then all of it appears at once or
 * never. One writer per token at a time, over all processes; what a process has left that died is
 * taken over or cleared away.
 */
struct hy_entry_writer {
    struct hy_file_counts counts;
    int32_t model[HY_MAX_CACHE_FILES]; /* open for reading and writing; the writer's */
    int32_t data[HY_MAX_CACHE_FILES];
    /* What follows is its own. */
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_token_name name;
    uint64_t limit; /* of the store */
    int root;
    int staging; /* the folder of all staging directories */
    int folder;  /* the one of this writer: locked, so that nobody else touches it */
};

/*
 * Errors: BAD_STATE (somebody else makes it: do without), EXHAUSTED (the limit is 0, the disk is
 * full, no descriptors), FAILED (no permission and the like), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_entry_writer_create(struct hy_store *store,
                                                  const uint8_t token[HY_TOKEN_SIZE],
                                                  struct hy_file_counts counts,
                                                  struct hy_entry_writer **ret,
                                                  struct hy_error *err);

/*
 * Makes it the entry of its token, in the place of an older one: digests and facts go into its
 * metadata, and then all takes its name. When it comes to the disk is up to the system: until then
 * a power failure makes it a miss. The writer is gone after it, also with an error; an older entry
 * stays then. `kept_open`: the driver goes on writing to the files, so they get no digests.
 * Afterwards makes room within the limit.
 * Errors: BAD_DATA (every file is empty and it is not kept open: nothing was cached), EXHAUSTED
 * (full disk; larger than the limit), FAILED, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_entry_writer_publish(struct hy_entry_writer *writer,
                                                   const struct hy_entry_facts *facts,
                                                   bool kept_open, struct hy_error *err);
void hy_entry_writer_discard(struct hy_entry_writer *writer); /* takes NULL */

#endif
