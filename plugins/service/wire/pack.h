#ifndef HY_SERVICE_WIRE_PACK_H
#define HY_SERVICE_WIRE_PACK_H

#include "common/error.h"
#include "common/memory/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writing and reading the bodies of frames. A body is a sequence of pieces, each padded with zeros
 * to a multiple of 8 bytes: arrays of records of fixed-width members, and texts. Descriptors are
 * not numbered: they are written and read in order, beside the bytes.
 *
 * Both directions remember the first failure and do nothing after it, so that the code for a body
 * is a list of its pieces: writing tells in hy_frame_send, reading in hy_unpack_end.
 */
#define HY_FRAME_MOST_BODY ((size_t)256 << 20)
#define HY_FRAME_MOST_FDS  200u

/* ---- Writing --------------------------------------------------------------------------------- */

struct hy_pack {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    uint32_t fd_count;
    int fds[HY_FRAME_MOST_FDS]; /* borrowed */
    enum hy_code code;          /* of the first failure */
    struct hy_error error;
};

/* Allocates nothing. */
void hy_pack_init(struct hy_pack *pack);
void hy_pack_finish(struct hy_pack *pack);

/* Starts again in the same memory; much memory is given back. */
void hy_pack_reset(struct hy_pack *pack);

/* Room for `count` records of `size` bytes, all zero; NULL with none and after a failure. Valid
 * until something more is packed. */
void *hy_pack_records(struct hy_pack *pack, size_t count, size_t size);

/* The records themselves; with a count of 0 `source` may be NULL. */
void hy_pack_copy(struct hy_pack *pack, const void *source, size_t count, size_t size);

/* A text; NULL is a failure. */
void hy_pack_text(struct hy_pack *pack, const char *text);

/* A descriptor, which must stay open until the frame has been sent. Below 0 is a failure. */
void hy_pack_fd(struct hy_pack *pack, int fd);

/* All that another pack holds, its descriptors and its failure too. */
void hy_pack_append(struct hy_pack *pack, const struct hy_pack *other);

/* Notes a failure: what is to be packed cannot be. */
void hy_pack_fail(struct hy_pack *pack, enum hy_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Reading --------------------------------------------------------------------------------- */

struct hy_unpack {
    const uint8_t *bytes;
    size_t size;
    size_t at;
    const int *fds;
    uint32_t fd_count;
    uint32_t fd_at;
    struct hy_arena *arena; /* for views whose layout is not that of the bytes */
    const char *what;       /* the message, for words */
    enum hy_code code;      /* of the first failure */
    struct hy_error *err;
};

/* Reads `size` private bytes, aligned to 8, and `fd_count` borrowed descriptors. */
void hy_unpack_init(struct hy_unpack *in, const char *what, const void *bytes, size_t size,
                    const int *fds, uint32_t fd_count, struct hy_arena *arena,
                    struct hy_error *err);

/* Copies the bytes to the arena first: what is read lives as long as that. Before anything else. */
void hy_unpack_keep(struct hy_unpack *in);

/* `count` records of `size` bytes (size > 0), inside the body, aligned to 8; NULL with none and
 * after a failure. */
const void *hy_unpack_records(struct hy_unpack *in, uint64_t count, size_t size);

/* A text, never NULL: "" after a failure. */
const char *hy_unpack_text(struct hy_unpack *in);

/* The next descriptor, still the frame's; -1 after a failure. */
int hy_unpack_fd(struct hy_unpack *in);

/* The next `count` of them, in the arena; NULL with none and after a failure. */
const int *hy_unpack_fds(struct hy_unpack *in, uint64_t count);

/*
 * Memory of the arena, all zero, for `count` elements of `size` bytes that are read from at least
 * `least` bytes each: fails when fewer bytes than that are left, so that a count alone reserves
 * nothing. NULL with a count of 0 and after a failure.
 */
void *hy_unpack_reserve(struct hy_unpack *in, uint64_t count, size_t size, size_t least);

/* Notes a failure (HY_BAD_DATA): the body breaks a rule. */
void hy_unpack_fail(struct hy_unpack *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline bool hy_unpack_good(const struct hy_unpack *in)
{
    return in->code == HY_OK;
}

/*
 * What has been read may be used only after this: HY_OK when all pieces were well-formed and no
 * byte and no descriptor is left over. Errors: HY_BAD_DATA, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_unpack_end(struct hy_unpack *in);

#endif
