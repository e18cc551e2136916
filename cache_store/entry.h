#ifndef HY_CACHE_STORE_ENTRY_H
#define HY_CACHE_STORE_ENTRY_H

#include "cache_store/store.h"
#include "halyard/driver.h"

/* How many files a device needs for one prepared model. */
struct hy_file_counts {
    uint32_t model; /* <= HY_MAX_CACHE_FILES, as the other */
    uint32_t data;
};

/* What people are told of an entry; kept in its sidecar, not used for anything else. */
struct hy_entry_facts {
    const char *device;
    const char *version;
    const char *build_id;
    uint32_t operations; /* of the step model */
    int32_t preference;
    int32_t priority;
};

/* A file of an entry. */
struct hy_entry_file {
    int fd;              /* open for reading and writing, where the disk can be written to; the
                            entry's */
    uint64_t length;     /* bytes */
    const void *address; /* data cache files: mapped to be read, page-aligned; NULL if it is empty,
                            and for model cache files and entries that are kept open */
    uint8_t digest[16];  /* XXH3-128 in its canonical form; zero in entries that are kept open */
};

/* An entry as it was found: its files stay what they are, also when another takes its place. */
struct hy_entry {
    struct hy_file_counts counts;
    bool is_kept_open; /* its driver may write to it at any time: nothing is checked or mapped */
    struct hy_entry_file model[HY_MAX_CACHE_FILES];
    struct hy_entry_file data[HY_MAX_CACHE_FILES];
    int restore_mark; /* see restore_mark.h; -1: none */
};

/*
 * Finds the entry of the token, checks its sidecar and each file against that, one pass over the
 * bytes, and notes the use. Whatever is wrong with it, the entry is removed and is a miss. The
 * entry is marked until hy_entry_note_restored or hy_entry_close: a process that dies in between
 * has the next one remove the entry.
 * Errors, in words that say why: BAD_STATE (there is none, or the limit is 0); BAD_DATA (there was
 * one, which is gone now if it can be removed); FAILED (no descriptor, no permission);
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_entry_open(struct hy_store *store, const uint8_t token[HY_TOKEN_SIZE],
                                         struct hy_file_counts counts, struct hy_entry **ret,
                                         struct hy_error *err);

/* The same for a driver in another process: nothing is mapped here, and nothing marked. That
 * process has written the files of its entries, and may still cut them; and this one outlives it.
 */
HY_MUST_CHECK enum hy_code hy_entry_open_to_hand_on(struct hy_store *store,
                                                    const uint8_t token[HY_TOKEN_SIZE],
                                                    struct hy_file_counts counts,
                                                    struct hy_entry **ret, struct hy_error *err);
void hy_entry_close(struct hy_entry *entry); /* takes NULL */

/* The driver has returned from restoring the entry, whatever came of it. */
void hy_entry_note_restored(struct hy_entry *entry);

/* Removes the entry of the token, if it is there: its driver did not take it. */
void hy_entry_remove(struct hy_store *store, const uint8_t token[HY_TOKEN_SIZE]);

#endif
