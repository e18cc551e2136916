#ifndef HY_RUNTIME_CACHE_SETTING_H
#define HY_RUNTIME_CACHE_SETTING_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

#define HY_DEFAULT_CACHE_LIMIT (UINT64_C(1) << 30) /* bytes of all entries of a folder */

/*
 * Where compiled artefacts are kept: in a folder, or in files that are open already. A setting of a
 * compilation; zeroed, nothing was asked for. Setting it again replaces it, a failure leaves it as
 * it was.
 */
struct hy_caching {
    bool is_wanted;               /* by the app */
    bool is_automatic;            /* by the environment: there is a folder and no token */
    uint8_t token[HY_TOKEN_SIZE]; /* the app's */
    const char *cpu_features;     /* that artefacts are for; NULL: those of this processor */
    uint64_t limit;               /* see hy_store_open */
    char *folder;                 /* "" or ending in '/'; NULL with files */
    int *files;                   /* model cache files, then data cache files; NULL with a folder */
    uint32_t model_file_count;
    uint32_t data_file_count;
};

/* Open files by their descriptors; a list of none may be NULL. */
struct hy_caching_files {
    const int *model_files;
    const int *data_files;
    uint32_t model_file_count;
    uint32_t data_file_count;
};

/* Folder and token (HY_TOKEN_SIZE bytes) are copied; nothing is looked at or opened. Errors:
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_caching_set_folder(struct hy_caching *caching, const char *folder,
                                                 const uint8_t *token, struct hy_error *err);

/* The files are duplicated. Errors: BAD_DATA (one cannot be), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_caching_set_files(struct hy_caching *caching,
                                                const struct hy_caching_files *files,
                                                const uint8_t *token, struct hy_error *err);

/* Where the app has asked for nothing: uses the folder, whatever model it is. Without memory it
 * stays as it was. */
void hy_caching_set_automatic(struct hy_caching *caching, const char *folder);

/* The bytes that HALYARD_CACHE_LIMIT names; NULL, or what is no number: the default. */
uint64_t hy_caching_limit(const char *text);

/* Closes the duplicates and frees what it holds. */
void hy_caching_finish(struct hy_caching *caching);

#endif
