#ifndef HY_CACHE_STORE_METADATA_H
#define HY_CACHE_STORE_METADATA_H

#include "cache_store/entry.h"

#include <assert.h>
#include <stddef.h>

#define HY_METADATA_MAGIC    0x4d435948u
#define HY_METADATA_VERSION  2u   /* version of the layout; 1 was a JSON file with another name */
#define HY_METADATA_MAX_TEXT 255u /* length of a device's name, version and build */

/* A file at the time of publishing. */
struct hy_metadata_file {
    uint64_t length;    /* bytes, <= INT64_MAX */
    uint8_t digest[16]; /* XXH3-128, canonical; zero in entries that are kept open */
};

/*
 * The metadata file of an entry, in native byte order. The byte order is part of every cache token.
 */
struct hy_metadata {
    uint32_t magic;
    uint32_t version;
    uint8_t token[HY_TOKEN_SIZE];
    char device[HY_METADATA_MAX_TEXT + 1]; /* longer texts are truncated */
    char device_version[HY_METADATA_MAX_TEXT + 1];
    char build_id[HY_METADATA_MAX_TEXT + 1];
    uint32_t operations;
    int32_t preference;
    int32_t priority;
    uint32_t is_kept_open; /* 0 or 1 */
    int64_t created;       /* seconds since 1970 */
    struct hy_file_counts counts;
    struct hy_metadata_file model[HY_MAX_CACHE_FILES]; /* zero from counts.model on */
    struct hy_metadata_file data[HY_MAX_CACHE_FILES];
    uint8_t check[16]; /* XXH3-128, canonical, of all bytes before `check` */
};

static_assert(sizeof(struct hy_metadata_file) == 24, "no holes");
static_assert(offsetof(struct hy_metadata, operations) == 808, "no holes before");
static_assert(offsetof(struct hy_metadata, check) == 840 + 2 * 24 * HY_MAX_CACHE_FILES,
              "no holes before");
static_assert(sizeof(struct hy_metadata) == offsetof(struct hy_metadata, check) + 16,
              "no holes behind");

void hy_metadata_set_info(struct hy_metadata *metadata, const struct hy_entry_info *info);

/* Returns the entry information; the texts point into the metadata. */
struct hy_entry_info hy_metadata_info(const struct hy_metadata *metadata);

/* Sets magic, version and check. Call after all other members are set. */
void hy_metadata_seal(struct hy_metadata *metadata);

/* Checks that a file of `length` bytes with the beginning `metadata` was made by hy_metadata_seal.
 * Errors: HY_BAD_DATA with a reason. */
HY_MUST_CHECK enum hy_code hy_metadata_check(const struct hy_metadata *metadata, uint64_t length,
                                             struct hy_error *err);

#endif
