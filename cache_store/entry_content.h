#ifndef HY_CACHE_STORE_ENTRY_CONTENT_H
#define HY_CACHE_STORE_ENTRY_CONTENT_H

#include "cache_store/entry.h"

/*
 * How a file of an entry comes to whoever opens the entry: read through, copied or mapped. The file
 * is open for reading, and for writing where `is_writable`; its length is known.
 */
struct hy_content_file {
    struct hy_entry *entry;
    struct hy_entry_file *file; /* of that entry */
    const char *name;
    bool is_data;
    bool is_writable;
};

/* The digest only. Errors, as of the others, name the file: BAD_DATA, FAILED, EXHAUSTED,
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_content_read(const struct hy_content_file *content,
                                           struct hy_error *err);

/* The digest, and address or descriptor as the access has it. */
HY_MUST_CHECK enum hy_code hy_content_take(const struct hy_content_file *content,
                                           const struct hy_entry_access *access,
                                           struct hy_error *err);

/* Of an entry that is kept open: a copy where a driver could not write. There is no digest. */
HY_MUST_CHECK enum hy_code hy_content_take_kept_open(const struct hy_content_file *content,
                                                     const struct hy_entry_access *access,
                                                     struct hy_error *err);

/* Unmaps or frees the bytes, and closes the file. */
void hy_content_drop(struct hy_entry_file *file);

#endif
