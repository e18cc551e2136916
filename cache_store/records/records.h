#ifndef HY_CACHE_STORE_RECORDS_RECORDS_H
#define HY_CACHE_STORE_RECORDS_RECORDS_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

/*
 * What drivers have the host remember, on an embedded store in one file per user: the map from a
 * token to the digest of its model cache, and the cache engine. One object per process serves all
 * threads; any number of processes share the file. A process that is killed loses at most what it
 * was about to write.
 */
struct hy_records;

/* Makes the folder, in one that is there, and the file where they are missing, 0700 and 0600. A
 * file that is damaged is set aside and begun anew. Errors: FAILED (it cannot be opened or made),
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_records_open(const char *folder, struct hy_records **ret,
                                           struct hy_error *err);
void hy_records_close(struct hy_records *records); /* takes NULL */

/*
 * Whose records: every key belongs to one user, driver and build of it. Builds do not see each
 * other's records. HY_MOST_BUILDS of a user and driver are kept (records_owner.h), and all of them
 * share the limits of digests and blobs.
 */
struct hy_records_owner {
    uint32_t user;      /* uid of the app */
    const char *driver; /* name */
    const char *build;  /* version and build of all its devices */
};

/*
 * Digest map. find: BAD_STATE (there is none), FAILED. check, whether it is just that digest: the
 * same, and BAD_DATA (it is another). What one process has checked it does not ask the file for
 * again: a digest that has been lost or replaced by another process since is still good in this
 * one.
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

/* Cache engine: see blob_store, blob_load and blob_remove of struct hy_host. BAD_DATA: a key or
 * blob that is too long, or an empty key; load tells 0 bytes where there is none, or a damaged one.
 */
HY_MUST_CHECK enum hy_code hy_blob_store(struct hy_records *records,
                                         const struct hy_records_owner *owner, const void *key,
                                         uint64_t key_length, const void *blob,
                                         uint64_t blob_length, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_blob_load(struct hy_records *records,
                                        const struct hy_records_owner *owner, const void *key,
                                        uint64_t key_length, void *blob, uint64_t room,
                                        uint64_t *blob_length, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_blob_remove(struct hy_records *records,
                                          const struct hy_records_owner *owner, const void *key,
                                          uint64_t key_length, struct hy_error *err);

#endif
