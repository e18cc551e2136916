/*
 * Blobs in the host's cache engine, of which a driver keeps a number: the blob that was stored
 * longest ago is removed first. One more blob lists the keys. Two processes that store at once may
 * lose a key of the list; the host removes that blob when it needs the room.
 *
 * Nothing here fails a compilation. A host without a cache engine holds nothing.
 */
#ifndef HY_DRIVER_KIT_BLOB_LIST_H
#define HY_DRIVER_KIT_BLOB_LIST_H

#include <halyard/driver.h>

#include <stdbool.h>

#define HY_BLOB_LIST_LIMIT 64u /* blobs of a list at most */

/* A key that is made from bytes: the description of what a blob is compiled from. */
struct hy_blob_list_key {
    uint64_t lengths[2], checksums[2];
};

/*
 * The key of two parts of bytes. Checksums are enough where the blobs belong to one user, who can
 * give a wrong blob to nobody but himself. Where users share blobs, take a digest of a
 * cryptographic library.
 */
struct hy_blob_list_key hy_blob_list_key_of(const struct hy_bytes parts[2]);

/* Whether the host has a cache engine. The other functions need one. */
bool hy_blob_list_has_engine(const struct hy_host *host);

/* Stores the blob, and removes older ones of the list until there are `most`, 1 to
 * HY_BLOB_LIST_LIMIT. `list` is the key of the list, a short text that never changes. */
void hy_blob_list_store(const struct hy_host *host, const char *list, uint32_t most,
                        const struct hy_blob_list_key *key, const struct hy_bytes *blob);

/* The blob, to be freed by hy_quota_free. NULL: there is none, or no memory. */
uint8_t *hy_blob_list_load(const struct hy_host *host, const struct hy_blob_list_key *key,
                           uint64_t *length);

/* Removes a blob that is of no use to the next one. */
void hy_blob_list_remove(const struct hy_host *host, const struct hy_blob_list_key *key);

#endif
