#ifndef HY_CACHE_STORE_ENTRY_CONTENT_H
#define HY_CACHE_STORE_ENTRY_CONTENT_H

#include "cache_store/entry.h"

/*
 * A file of an entry that is being opened: read, copied or mapped. The file is open for reading,
 * and with `is_writable` for writing; its length is known.
 */
struct hy_content_file {
    struct hy_entry *entry;
    struct hy_entry_file *file; /* in `entry` */
    const char *name;
    bool is_data;
    bool is_writable;
};

/* Computes only the digest. Errors of all functions name the file: HY_BAD_DATA, HY_FAILED,
 * HY_EXHAUSTED, HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_content_read(const struct hy_content_file *content,
                                           struct hy_error *err);

/* Computes the digest, and provides the address or descriptor that the access requests. */
HY_MUST_CHECK enum hy_code hy_content_acquire(const struct hy_content_file *content,
                                              const struct hy_entry_access *access,
                                              struct hy_error *err);

/* Provides a file of an entry that is kept open: a copy if a driver could not write to the file.
 * Without a digest. */
HY_MUST_CHECK enum hy_code hy_content_acquire_kept_open(const struct hy_content_file *content,
                                                        const struct hy_entry_access *access,
                                                        struct hy_error *err);

/* Unmaps or frees the bytes, and closes the file. */
void hy_content_drop(struct hy_entry_file *file);

#endif
