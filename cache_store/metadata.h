#ifndef HY_CACHE_STORE_METADATA_H
#define HY_CACHE_STORE_METADATA_H

#include "cache_store/entry.h"

#include <assert.h>
#include <stddef.h>

#define HY_METADATA_MAGIC    0x4d435948u
#define HY_METADATA_VERSION  2u   /* of this layout; 1 was a JSON file of another name */
#define HY_METADATA_MAX_TEXT 255u /* of a device's name, version and build */

/* A file as it was when the entry was published. */
struct hy_metadata_file {
    uint64_t length;    /* bytes, <= INT64_MAX */
    uint8_t digest[16]; /* XXH3-128, canonical; zero in entries that are kept open */
};

/*
 * The metadata of an entry: the file beside its cache files, in the byte order of the machine,
 * which is part of every cache token.
 */
struct hy_metadata {
    uint32_t magic;
    uint32_t version;
    uint8_t token[HY_TOKEN_SIZE];
    char device[HY_METADATA_MAX_TEXT + 1]; /* a longer text is cut */
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
    uint8_t check[16]; /* XXH3-128, canonical, of every byte before it */
};

static_assert(sizeof(struct hy_metadata_file) == 24, "no holes");
static_assert(offsetof(struct hy_metadata, operations) == 808, "no holes before");
static_assert(offsetof(struct hy_metadata, check) == 840 + 2 * 24 * HY_MAX_CACHE_FILES,
              "no holes before");
static_assert(sizeof(struct hy_metadata) == offsetof(struct hy_metadata, check) + 16,
              "no holes behind");

void hy_metadata_set_facts(struct hy_metadata *metadata, const struct hy_entry_facts *facts);

/* The facts, with the texts of the metadata. */
struct hy_entry_facts hy_metadata_facts(const struct hy_metadata *metadata);

/* Sets magic, version and check, when all else is set. */
void hy_metadata_seal(struct hy_metadata *metadata);

/* Whether a file of `length` bytes, of which `metadata` is the beginning, is what hy_metadata_seal
 * made. Errors: BAD_DATA in words. */
HY_MUST_CHECK enum hy_code hy_metadata_check(const struct hy_metadata *metadata, uint64_t length,
                                             struct hy_error *err);

#endif
