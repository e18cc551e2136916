#ifndef HY_CACHE_STORE_SIDECAR_H
#define HY_CACHE_STORE_SIDECAR_H

#include "cache_store/entry.h"

#define HY_SIDECAR_MAX_BYTES 65536u
#define HY_SIDECAR_MAX_TEXT  255u /* of a device's name, version and build */

/* A file as it was when the entry was published. */
struct hy_sidecar_file {
    uint64_t length;    /* bytes, <= INT64_MAX */
    uint8_t digest[16]; /* XXH3-128, canonical; zero in entries that are kept open */
};

/* What a sidecar says: a small JSON file beside the cache files of an entry. */
struct hy_sidecar {
    uint8_t token[HY_TOKEN_SIZE];
    char device[HY_SIDECAR_MAX_TEXT + 1]; /* the first may be longer than the sidecar tells */
    char version[HY_SIDECAR_MAX_TEXT + 1];
    char build_id[HY_SIDECAR_MAX_TEXT + 1];
    uint32_t operations;
    int32_t preference;
    int32_t priority;
    int64_t created; /* seconds since 1970 */
    bool is_kept_open;
    struct hy_file_counts counts;
    struct hy_sidecar_file model[HY_MAX_CACHE_FILES];
    struct hy_sidecar_file data[HY_MAX_CACHE_FILES];
};

/* Copies the facts: texts are cut where they are too long, and made printable ASCII where they are
 * no UTF-8. */
void hy_sidecar_set_facts(struct hy_sidecar *sidecar, const struct hy_entry_facts *facts);

/* The facts, with the sidecar's texts. */
struct hy_entry_facts hy_sidecar_facts(const struct hy_sidecar *sidecar);

/*
 * The text, for the caller to free. Its last member, "check", is the XXH3-128 of every byte before
 * it, and nothing is free behind it: no bit can change unnoticed. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_sidecar_format(const struct hy_sidecar *sidecar, char **ret,
                                             size_t *ret_length, struct hy_error *err);

/* Reads what hy_sidecar_format wrote, and nothing else. Errors: BAD_DATA in words. */
HY_MUST_CHECK enum hy_code hy_sidecar_parse(const char *text, size_t length, struct hy_sidecar *ret,
                                            struct hy_error *err);

#endif
