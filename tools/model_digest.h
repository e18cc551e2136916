#ifndef HY_TOOLS_MODEL_DIGEST_H
#define HY_TOOLS_MODEL_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

/* The identity of the measured file: a hash as printed by `xxhsum -H2`. */
struct hy_model_digest {
    char xxh3_128[33];
    uint64_t bytes;
};

/* False: the file cannot be read, or the file is a pipe and was already read. */
bool hy_model_digest_make(const char *path, struct hy_model_digest *ret);

#endif
