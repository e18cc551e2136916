#ifndef HY_SERVICE_WIRE_CACHE_H
#define HY_SERVICE_WIRE_CACHE_H

#include "halyard/driver.h"
#include "plugins/service/wire/pack.h"

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

void hy_cache_token_pack(struct hy_pack *out, const uint8_t *token);
void hy_cache_token_unpack(struct hy_unpack *in, const uint8_t **token);

/* The answer to CACHE_BEGIN. Both counts are at most HY_MAX_CACHE_FILES. */
struct hy_cache_update {
    uint64_t update; /* names it in CACHE_COMMIT */
    uint32_t model_count;
    uint32_t data_count;
    const int32_t *model;
    const int32_t *data;
};

void hy_cache_update_pack(struct hy_pack *out, const struct hy_cache_update *update);

/* The descriptors stay the frame's. */
void hy_cache_update_unpack(struct hy_unpack *in, struct hy_cache_update *update);

void hy_cache_commit_pack(struct hy_pack *out, uint64_t update, uint32_t keep);
void hy_cache_commit_unpack(struct hy_unpack *in, uint64_t *update, uint32_t *keep);

/* One descriptor, in the call and in its answer; it stays the frame's. */
void hy_cache_file_pack(struct hy_pack *out, int32_t fd);
void hy_cache_file_unpack(struct hy_unpack *in, int32_t *fd);

#endif
