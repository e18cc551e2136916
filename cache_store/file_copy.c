#include "cache_store/file_copy.h"

#include "cache_store/digest/file_digest.h"
#include "cache_store/digest/xxh3.h"
#include "cache_store/directory/private_dir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT  64u
#define LARGE_PAGE ((size_t)2 << 20)

/* A piece is hashed while it is in the second-level cache. */
#define PIECE_BYTES ((size_t)1 << 16)

/* ---- One pass over the file ------------------------------------------------------------------ */

/* The destination of pieces: their offset in `memory`, or through `piece` to `file`. */
struct sink {
    uint8_t *memory;
    uint8_t *piece;
    int file;
};

static enum hy_code read_piece(int fd, void *to, size_t capacity, uint64_t at, size_t *ret,
                               struct hy_error *err)
{
    ssize_t got;

    do
        got = pread(fd, to, capacity, (off_t)at);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return hy_fail(err, HY_FAILED, "%s", strerror(errno));
    if (got == 0)
        return hy_fail(err, HY_BAD_DATA, "the file was cut to %llu bytes while it was read",
                       (unsigned long long)at);
    *ret = (size_t)got;
    return HY_OK;
}

static enum hy_code copy_pieces(int fd, uint64_t length, const struct sink *sink,
                                XXH3_state_t *state, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    size_t got = 0;

    for (uint64_t at = 0; code == HY_OK && at < length; at += got) {
        const uint64_t left = length - at;
        uint8_t *piece = sink->memory ? sink->memory + at : sink->piece;

        code =
            read_piece(fd, piece, left < PIECE_BYTES ? (size_t)left : PIECE_BYTES, at, &got, err);
        if (code == HY_OK)
            XXH3_128bits_update(state, piece, got);
        if (code == HY_OK && !sink->memory)
            code = hy_file_write(sink->file, piece, got, at, err);
    }
    return code;
}

static enum hy_code copy(int fd, uint64_t length, const struct sink *sink, uint8_t *digest,
                         struct hy_error *err)
{
    XXH3_state_t *state = XXH3_createState(); /* aligned as the library requires */
    enum hy_code code;

    if (state && XXH3_128bits_reset(state) == XXH_OK)
        code = copy_pieces(fd, length, sink, state, err);
    else
        code = hy_fail(err, HY_OUT_OF_MEMORY, "digest of a cache file");
    if (code == HY_OK)
        XXH128_canonicalFromHash((XXH128_canonical_t *)digest, XXH3_128bits_digest(state));
    XXH3_freeState(state);
    return code;
}

static enum hy_code check_length(uint64_t length, struct hy_error *err)
{
    return length <= HY_FILE_COPY_MAX
               ? HY_OK
               : hy_fail(err, HY_EXHAUSTED,
                         "the file has more than %llu bytes, the most that a copy may have",
                         (unsigned long long)HY_FILE_COPY_MAX);
}

/* ---- Where the copy lies --------------------------------------------------------------------- */

/* Mapping a page costs more than copying its bytes, and huge pages are mapped faster. */
static void *allocate(uint64_t length)
{
    const size_t large = (size_t)length / LARGE_PAGE * LARGE_PAGE;
    void *memory = NULL;

    if (large == 0)
        return aligned_alloc(ALIGNMENT, ((size_t)length / ALIGNMENT + 1) * ALIGNMENT);
    if (posix_memalign(&memory, LARGE_PAGE, (size_t)length) != 0) /* without huge pages */
        return NULL;
    (void)madvise(memory, large, MADV_HUGEPAGE);
    return memory;
}

enum hy_code hy_file_copy_to_memory(int fd, uint64_t length, void **ret, uint8_t ret_digest[16],
                                    struct hy_error *err)
{
    enum hy_code code = check_length(length, err);
    if (code != HY_OK)
        return code;
    const struct sink sink = {.memory = allocate(length)};
    if (!sink.memory)
        return hy_fail(err, HY_OUT_OF_MEMORY, "copy of a cache file");

    code = copy(fd, length, &sink, ret_digest, err);
    if (code != HY_OK) {
        free(sink.memory);
        return code;
    }
    *ret = sink.memory;
    return HY_OK;
}

enum hy_code hy_file_copy_to_file(int fd, uint64_t length, int *ret, uint8_t ret_digest[16],
                                  struct hy_error *err)
{
    enum hy_code code = check_length(length, err);
    if (code != HY_OK)
        return code;
    struct sink sink = {.file = memfd_create("halyard-cache", MFD_CLOEXEC)};
    if (sink.file < 0)
        return hy_fail(err, hy_dir_code(errno), "copy of a cache file: %s", strerror(errno));

    sink.piece = malloc(PIECE_BYTES);
    code = sink.piece ? copy(fd, length, &sink, ret_digest, err)
                      : hy_fail(err, HY_OUT_OF_MEMORY, "copy of a cache file");
    free(sink.piece);
    if (code != HY_OK) {
        close(sink.file);
        return code;
    }
    *ret = sink.file;
    return HY_OK;
}
