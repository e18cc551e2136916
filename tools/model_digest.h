#ifndef HY_TOOLS_MODEL_DIGEST_H
#define HY_TOOLS_MODEL_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

/* Which file a measurement is of: as `xxhsum -H2` prints it. */
struct hy_model_digest {
    char xxh3_128[33];
    uint64_t bytes;
};

/* False: the file cannot be read, or it is a pipe, which has been read. */
bool hy_model_digest_make(const char *path, struct hy_model_digest *ret);

#endif
