/*
 * A list of blobs in the cache engine of the host, with a limit on their number. The oldest blob is
 * removed first. One more blob stores the keys of the list. Two processes that store at the same
 * time may lose a key; the host evicts the unlisted blob later.
 *
 * Failures here never fail a compilation. A host without a cache engine stores nothing.
 */
#ifndef HY_DRIVER_KIT_BLOB_LIST_H
#define HY_DRIVER_KIT_BLOB_LIST_H

#include <halyard/driver.h>

#include <stdbool.h>

#define HY_BLOB_LIST_LIMIT 64u /* blobs of a list at most */

/* A key computed from bytes: the description of the input from which a blob is compiled. */
struct hy_blob_list_key {
    uint64_t lengths[2], checksums[2];
};

/*
 * Computes the key of two parts. The key is a checksum, which is enough if all blobs belong to one
 * user. If several users share blobs, use a cryptographic digest instead.
 */
struct hy_blob_list_key hy_blob_list_key_of(const struct hy_bytes parts[2]);

/* Whether the host has a cache engine. The other functions require one. */
bool hy_blob_list_has_engine(const struct hy_host *host);

/* Stores the blob, and removes the oldest blobs until the list has at most `most` entries (1 to
 * HY_BLOB_LIST_LIMIT). `list` is the key of the list, a short constant text. A blob above
 * HY_MAX_BLOB bytes is not stored. */
void hy_blob_list_store(const struct hy_host *host, const char *list, uint32_t most,
                        const struct hy_blob_list_key *key, const struct hy_bytes *blob);

/* Loads a blob; free the result with hy_quota_free. `*length` is in bytes. NULL: no such blob, or
 * memory is exhausted. */
uint8_t *hy_blob_list_load(const struct hy_host *host, const struct hy_blob_list_key *key,
                           uint64_t *length);

/* Removes a blob, for example one with unusable content. */
void hy_blob_list_remove(const struct hy_host *host, const struct hy_blob_list_key *key);

#endif
