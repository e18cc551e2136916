#include "tools/model_digest.h"

#include <stdio.h>
#include <sys/stat.h>
#include <xxhash.h>

static void write_digits(XXH128_hash_t hash, char text[33])
{
    XXH128_canonical_t canonical;

    XXH128_canonicalFromHash(&canonical, hash);
    for (size_t i = 0; i < sizeof canonical.digest; i++)
        snprintf(text + 2 * i, 3, "%02x", canonical.digest[i]);
}

/* Whole; false: a part of it cannot be read. */
static bool digest_file(FILE *file, struct hy_model_digest *digest)
{
    XXH3_state_t *state = XXH3_createState();
    char block[1 << 16];
    size_t length;

    if (!state)
        return false;
    XXH3_128bits_reset(state);
    digest->bytes = 0;
    while ((length = fread(block, 1, sizeof block, file)) > 0) {
        XXH3_128bits_update(state, block, length);
        digest->bytes += length;
    }
    write_digits(XXH3_128bits_digest(state), digest->xxh3_128);
    XXH3_freeState(state);
    return !ferror(file);
}

bool hy_model_digest_make(const char *path, struct hy_model_digest *ret)
{
    struct stat info;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    const bool is_whole = digest_file(file, ret);
    fclose(file);
    return is_whole;
}
