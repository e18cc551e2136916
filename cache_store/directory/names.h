#ifndef HY_CACHE_STORE_DIRECTORY_NAMES_H
#define HY_CACHE_STORE_DIRECTORY_NAMES_H

#include "halyard/driver.h"

#include <stdbool.h>

/*
 * Names in a cache directory; docs/cache.md has the complete description:
 *
 *     <dir>/halyard-cache/3f/<token>/metadata, model-0…, data-0…       an entry
 *     <dir>/halyard-cache/3f/<token>/restoring                         its mark, restore_mark.h
 *     <dir>/halyard-cache/new/<token>/                                 a staging directory
 *     <dir>/halyard-cache/old/<number>/                                trash, removed by any
 *                                                                      process
 *     <dir>/halyard-cache/used                                         bytes of all entries
 */
#define HY_NAME_ROOT      "halyard-cache"
#define HY_NAME_STAGING   "new"
#define HY_NAME_TRASH     "old"
#define HY_NAME_USED      "used"
#define HY_NAME_METADATA  "metadata"
#define HY_NAME_RESTORING "restoring"

#define HY_SHARD_COUNT 256u

struct hy_shard_name {
    char text[3];
};

struct hy_token_name {
    char text[2 * HY_TOKEN_SIZE + 1];
};

struct hy_file_name {
    char text[16];
};

struct hy_shard_name hy_shard_name_make(uint8_t first); /* first byte of the token */
struct hy_token_name hy_token_name_make(const uint8_t token[HY_TOKEN_SIZE]);
struct hy_file_name hy_model_name_make(uint32_t index);
struct hy_file_name hy_data_name_make(uint32_t index);

/* Format and parse lower-case hexadecimal digits. `parse` writes `bytes` even after a failure. */
void hy_hex_format(const uint8_t *bytes, size_t count, char *text);
bool hy_hex_parse(const char *text, uint8_t *bytes, size_t count);

#endif
