#ifndef HY_RUNTIME_CACHING_H
#define HY_RUNTIME_CACHING_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

/*
 * Where an app wants compiled artefacts kept: in a folder, or in files that are open already. A
 * setting of a compilation; zeroed, nothing was asked for. Setting it again replaces it, a failure
 * leaves it as it was.
 */
struct hy_caching {
    bool is_wanted;
    uint8_t token[HY_TOKEN_SIZE];
    char *folder; /* "" or ending in '/'; NULL with files */
    int *files;   /* model cache files, then data cache files; NULL with a folder */
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

/* Closes the duplicates and frees what it holds. */
void hy_caching_finish(struct hy_caching *caching);

#endif
