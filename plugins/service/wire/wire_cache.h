#ifndef HY_SERVICE_WIRE_CACHE_H
#define HY_SERVICE_WIRE_CACHE_H

#include "halyard/driver.h"
#include "plugins/service/wire/fields.h"

/*
 * Host calls of a driver that only the app's process can execute. The service sends these calls
 * over the control socket; several calls may be pending. The header's object is a number chosen by
 * the service and returned in the reply.
 *
 *   CACHE_BEGIN      token; reply: update, files
 *   CACHE_COMMIT     update, keep
 *   CACHE_KEEP_OPEN  token
 *   CACHE_REOPEN     file; reply: the same file, opened anew
 */

struct hy_cache_token {
    const uint8_t *token; /* HY_TOKEN_SIZE bytes */
};

HY_STRUCT(cache_token);

/* The reply to CACHE_BEGIN. Both counts are at most HY_MAX_CACHE_FILES. */
struct hy_cache_update {
    uint64_t update; /* id for CACHE_COMMIT */
    uint32_t model_count;
    uint32_t data_count;
    const int32_t *model;
    const int32_t *data;
};

HY_STRUCT(cache_update);

struct hy_cache_commit {
    uint64_t update;
    uint32_t keep; /* 0 or 1 */
};

HY_STRUCT(cache_commit);

/* The bodies of CACHE_REOPEN and of its reply are a descriptor each. */

#endif
