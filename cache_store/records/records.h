#ifndef HY_CACHE_STORE_RECORDS_RECORDS_H
#define HY_CACHE_STORE_RECORDS_RECORDS_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

/*
 * Persistent records for drivers, in an embedded database with a file per user: the map from tokens
 * to digests of model caches, and the cache engine for blobs. A single object per process serves
 * all threads; any number of processes share the file. A killed process loses at most its current
 * write.
 */
struct hy_records;

/* Opens the records. Creates a missing directory (not its parents) with mode 0700 and a missing
 * file with mode 0600. A damaged file is moved aside and replaced. Errors: FAILED (the file cannot
 * be opened or created), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_records_open(const char *dir, struct hy_records **ret,
                                           struct hy_error *err);
void hy_records_close(struct hy_records *records); /* NULL is allowed */

/*
 * The owner of records: a user, a driver and a build of the driver. A build cannot see the records
 * of another build. For each user and driver HY_MOST_BUILDS builds are stored (records_owner.h),
 * with common limits for digests and blobs.
 */
struct hy_records_owner {
    uint32_t user;      /* uid of the app */
    const char *driver; /* name of the driver */
    const char *build;  /* versions and builds of all devices */
};

/*
 * The digest map. find returns BAD_STATE for a missing digest, or FAILED. check compares the
 * recorded digest with `digest`, and also returns BAD_DATA for a different digest. A checked digest
 * is cached in the process: the cached digest stays valid even if another process removes or
 * replaces the record.
 */
HY_MUST_CHECK enum hy_code hy_digest_store(struct hy_records *records,
                                           const struct hy_records_owner *owner,
                                           const uint8_t token[HY_TOKEN_SIZE],
                                           const uint8_t digest[HY_DIGEST_SIZE],
                                           struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_digest_find(struct hy_records *records,
                                          const struct hy_records_owner *owner,
                                          const uint8_t token[HY_TOKEN_SIZE],
                                          uint8_t ret[HY_DIGEST_SIZE], struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_digest_check(struct hy_records *records,
                                           const struct hy_records_owner *owner,
                                           const uint8_t token[HY_TOKEN_SIZE],
                                           const uint8_t digest[HY_DIGEST_SIZE],
                                           struct hy_error *err);

/* The cache engine, see blob_store, blob_load and blob_remove of struct hy_host. BAD_DATA: key or
 * blob too long, or an empty key. Load returns 0 bytes for a missing or damaged blob. */
HY_MUST_CHECK enum hy_code hy_blob_store(struct hy_records *records,
                                         const struct hy_records_owner *owner, const void *key,
                                         uint64_t key_length, const void *blob,
                                         uint64_t blob_length, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_blob_load(struct hy_records *records,
                                        const struct hy_records_owner *owner, const void *key,
                                        uint64_t key_length, void *blob, uint64_t capacity,
                                        uint64_t *blob_length, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_blob_remove(struct hy_records *records,
                                          const struct hy_records_owner *owner, const void *key,
                                          uint64_t key_length, struct hy_error *err);

#endif
