#ifndef HY_RUNTIME_CACHE_UPDATE_H
#define HY_RUNTIME_CACHE_UPDATE_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

/* cache_begin and cache_commit of struct hy_host: a new entry in the place of the one of a token
 * that is in use. */
struct hy_cache_update;

/* Writes as many descriptors as the device needs files. Errors: BAD_STATE (the token is not in use
 * or has no folder; somebody else is at it), those of hy_entry_writer_create. */
HY_MUST_CHECK enum hy_code hy_cache_update_begin(const uint8_t token[HY_TOKEN_SIZE], int32_t *model,
                                                 int32_t *data, struct hy_cache_update **ret,
                                                 struct hy_error *err);

/* Ends it in either case. Errors: those of hy_entry_writer_publish. */
HY_MUST_CHECK enum hy_code hy_cache_update_commit(struct hy_cache_update *update, bool keep,
                                                  struct hy_error *err);

#endif
