#include "cache_store/digest/file_digest.h"

#include "cache_store/digest/xxh3.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Fits the second-level cache; the C library reuses the memory for the next allocation. */
#define PIECE_BYTES ((size_t)1 << 16)

static enum hy_code add_all(int fd, XXH3_state_t *state, void *piece, uint64_t *length,
                            struct hy_error *err)
{
    for (;;) {
        const ssize_t got = pread(fd, piece, PIECE_BYTES, (off_t)*length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return hy_fail(err, HY_FAILED, "%s", strerror(errno));
        if (got == 0)
            return HY_OK;
        XXH3_128bits_update(state, piece, (size_t)got);
        *length += (uint64_t)got;
    }
}

enum hy_code hy_file_digest(int fd, uint8_t ret[16], uint64_t *ret_length, struct hy_error *err)
{
    uint64_t length = 0;
    XXH3_state_t *state = XXH3_createState(); /* aligned as the library requires */
    void *piece = malloc(PIECE_BYTES);
    enum hy_code code = HY_OUT_OF_MEMORY;

    if (state && piece && XXH3_128bits_reset(state) == XXH_OK)
        code = add_all(fd, state, piece, &length, err);
    else
        code = hy_fail(err, HY_OUT_OF_MEMORY, "digest of a cache file");
    if (code == HY_OK) {
        XXH128_canonicalFromHash((XXH128_canonical_t *)ret, XXH3_128bits_digest(state));
        *ret_length = length;
    }
    free(piece);
    XXH3_freeState(state);
    return code;
}

void hy_bytes_digest(const void *bytes, size_t length, uint8_t ret[16])
{
    XXH128_canonicalFromHash((XXH128_canonical_t *)ret, XXH3_128bits(bytes, length));
}
