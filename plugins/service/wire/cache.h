#ifndef HY_SERVICE_WIRE_CACHE_H
#define HY_SERVICE_WIRE_CACHE_H

#include "halyard/driver.h"
#include "plugins/service/wire/fields.h"

/*
 * What a driver in the service asks of its host and only the app's process can do. The host calls,
 * over the control socket; several calls may be under way: the header's object is a number that the
 * host chooses, and comes back with the answer.
 *
 *   CACHE_BEGIN      token; answer: update, files
 *   CACHE_COMMIT     update, keep
 *   CACHE_KEEP_OPEN  token
 *   CACHE_REOPEN     file; answer: the same file, opened anew
 */

struct hy_cache_token {
    const uint8_t *token; /* HY_TOKEN_SIZE bytes */
};

HY_STRUCT(cache_token);

/* The answer to CACHE_BEGIN. Both counts are at most HY_MAX_CACHE_FILES. */
struct hy_cache_update {
    uint64_t update; /* names it in CACHE_COMMIT */
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

/* CACHE_REOPEN and its answer are a descriptor each. */

#endif
