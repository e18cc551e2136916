#ifndef HY_RUNTIME_CACHE_SETTING_H
#define HY_RUNTIME_CACHE_SETTING_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

#define HY_DEFAULT_CACHE_LIMIT \
    (UINT64_C(1) << 30) /* limit in bytes for all entries of a directory */

/*
 * The cache setting of a compilation: a directory, or open files. Zeroed: caching was not
 * requested. A new setting replaces the old one; a failed call leaves the old setting unchanged.
 */
struct hy_caching {
    bool is_wanted;               /* requested by the app */
    bool is_automatic;            /* requested by the environment: a directory without a token */
    uint8_t token[HY_TOKEN_SIZE]; /* token of the app */
    const char *cpu_features;     /* target features of the artifacts; NULL: features of this CPU */
    uint64_t limit;               /* see hy_store_open */
    char *dir;                    /* empty or ending in '/'; NULL with files */
    int *files; /* model cache files, then data cache files; NULL with a directory */
    uint32_t model_file_count;
    uint32_t data_file_count;
};

/* Descriptors of open files. A list of length 0 may be NULL. */
struct hy_caching_files {
    const int *model_files;
    const int *data_files;
    uint32_t model_file_count;
    uint32_t data_file_count;
};

/* Copies the directory and the token (HY_TOKEN_SIZE bytes). Nothing is checked or opened yet.
 * Errors: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_caching_set_dir(struct hy_caching *caching, const char *dir,
                                              const uint8_t *token, struct hy_error *err);

/* Duplicates the files. Errors: HY_BAD_DATA (a descriptor cannot be duplicated),
 * HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_caching_set_files(struct hy_caching *caching,
                                                const struct hy_caching_files *files,
                                                const uint8_t *token, struct hy_error *err);

/* Sets a directory for all models, unless the app has requested a cache. Without memory the setting
 * stays unchanged and a warning is logged. */
void hy_caching_set_automatic(struct hy_caching *caching, const char *dir);

/* Parses the value of HALYARD_CACHE_LIMIT in bytes. NULL or an invalid number:
 * HY_DEFAULT_CACHE_LIMIT. */
uint64_t hy_caching_limit(const char *text);

/* Closes the duplicated files and frees the memory of the setting. */
void hy_caching_finish(struct hy_caching *caching);

#endif
