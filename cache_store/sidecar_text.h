#ifndef HY_CACHE_STORE_SIDECAR_TEXT_H
#define HY_CACHE_STORE_SIDECAR_TEXT_H

#include "cache_store/sidecar.h"

/* The members of a sidecar as JSON, without the check at its end; sidecar.c has that. */

#define HY_SIDECAR_VERSION 1 /* of its format */

/* An object over several lines, ending in "\n}", for the caller to free. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_sidecar_write_json(const struct hy_sidecar *sidecar, char **ret,
                                                 struct hy_error *err);

/* Reads that, with the comma and the line's end that stand in the place of the object's; nothing
 * else. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_sidecar_read(const char *text, size_t length, struct hy_sidecar *ret,
                                           struct hy_error *err);

#endif
