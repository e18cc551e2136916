#ifndef HY_RUNTIME_CACHE_UPDATE_H
#define HY_RUNTIME_CACHE_UPDATE_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

/* cache_begin and cache_commit of struct hy_host: replace the entry of a token in use by a new
 * entry. */
struct hy_cache_update;

/* Creates empty files for a new entry and writes their descriptors to `model` and `data`, as many
 * as the device needs. Errors: HY_BAD_STATE (the token is not in use or has no directory, or
 * another writer is active), those of hy_entry_writer_create. */
HY_MUST_CHECK enum hy_code hy_cache_update_begin(const uint8_t token[HY_TOKEN_SIZE], int32_t *model,
                                                 int32_t *data, struct hy_cache_update **ret,
                                                 struct hy_error *err);

/* Publishes the entry if `keep` is true and destroys the update in any case. Errors: those of
 * hy_entry_writer_publish. */
HY_MUST_CHECK enum hy_code hy_cache_update_commit(struct hy_cache_update *update, bool keep,
                                                  struct hy_error *err);

#endif
