#ifndef HY_TOOLS_CHECK_DRIVER_HOST_RECORDS_H
#define HY_TOOLS_CHECK_DRIVER_HOST_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The records of check-driver's host, in memory of this process: values under keys of bytes. One
 * map for all drivers and any number of threads.
 */
enum hy_record_kind {
    HY_RECORD_DIGEST,    /* digest_store */
    HY_RECORD_BLOB,      /* blob_store */
    HY_RECORD_SAVED,     /* cache_save: all bytes instead of a digest */
    HY_RECORD_KEPT_OPEN, /* cache_keep_open */
};

/* Replaces an existing value. False: no memory. */
bool hy_record_store(enum hy_record_kind kind, const void *key, uint64_t key_length,
                     const void *value, uint64_t length);

/* Returns the length of the value, or -1 without a value. Copies the value to `value` if its length
 * is at most `capacity` bytes. */
int64_t hy_record_load(enum hy_record_kind kind, const void *key, uint64_t key_length, void *value,
                       uint64_t capacity);

/* True if the value has these bytes from `offset` on. */
bool hy_record_has(enum hy_record_kind kind, const void *key, uint64_t key_length, uint64_t offset,
                   const void *bytes, uint64_t length);

void hy_record_remove(enum hy_record_kind kind, const void *key, uint64_t key_length);

#endif
