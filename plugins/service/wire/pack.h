#ifndef HY_SERVICE_WIRE_PACK_H
#define HY_SERVICE_WIRE_PACK_H

#include "common/error.h"
#include "common/memory/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes and reads the bodies of frames. A body is a sequence of pieces, each padded with zeros to
 * a multiple of 8 bytes: arrays of records of fixed-width members, and texts. Descriptors are not
 * numbered; writer and reader use the same order.
 *
 * Writer and reader record the first failure and ignore all later steps, so code for a body is a
 * plain list of its pieces. hy_frame_send reports a writer's failure, hy_unpack_end a reader's.
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

/* Initializes an empty body without allocating. */
void hy_pack_init(struct hy_pack *pack);
void hy_pack_finish(struct hy_pack *pack);

/* Starts a new body in the same memory; frees the memory if it is large. */
void hy_pack_reset(struct hy_pack *pack);

/* Appends `count` zeroed records of `size` bytes; NULL with a count of 0 and after a failure. The
 * pointer is valid until the next piece is packed. */
void *hy_pack_records(struct hy_pack *pack, size_t count, size_t size);

/* Appends copies of `count` records; with a count of 0 `source` may be NULL. */
void hy_pack_copy(struct hy_pack *pack, const void *source, size_t count, size_t size);

/* Appends a text; NULL is a failure. */
void hy_pack_text(struct hy_pack *pack, const char *text);

/* Appends a descriptor. A value below 0 is a failure. The descriptor must stay open until the frame
 * has been sent. */
void hy_pack_fd(struct hy_pack *pack, int fd);

/* Appends the bytes and descriptors of another pack, and adopts its failure. */
void hy_pack_append(struct hy_pack *pack, const struct hy_pack *other);

/* Records a failure: the value cannot be packed. */
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
    struct hy_arena *arena; /* for views with a layout different from the bytes */
    const char *what;       /* name of the message, for error texts */
    enum hy_code code;      /* of the first failure */
    struct hy_error *err;
};

/* Starts reading `size` private bytes, aligned to 8, and `fd_count` borrowed descriptors. */
void hy_unpack_init(struct hy_unpack *in, const char *what, const void *bytes, size_t size,
                    const int *fds, uint32_t fd_count, struct hy_arena *arena,
                    struct hy_error *err);

/* Copies the bytes to the arena, so the read values live as long as the arena. Call before
 * reading. */
void hy_unpack_retain(struct hy_unpack *in);

/* Reads `count` records of `size` bytes (size > 0): a pointer into the body, aligned to 8; NULL
 * with a count of 0 and after a failure. */
const void *hy_unpack_records(struct hy_unpack *in, uint64_t count, size_t size);

/* Reads a text. Never NULL: "" after a failure. */
const char *hy_unpack_text(struct hy_unpack *in);

/* Reads the next descriptor, which still belongs to the frame; -1 after a failure. */
int hy_unpack_fd(struct hy_unpack *in);

/* Reads the next `count` descriptors into an array in the arena; NULL with a count of 0 and after a
 * failure. */
const int *hy_unpack_fds(struct hy_unpack *in, uint64_t count);

/*
 * Allocates zeroed memory in the arena for `count` elements of `size` bytes. Each element is read
 * from at least `least` bytes of the body, and the call fails when fewer bytes are left: a false
 * count cannot cause a large allocation. NULL with a count of 0 and after a failure.
 */
void *hy_unpack_reserve(struct hy_unpack *in, uint64_t count, size_t size, size_t least);

/* Records a failure (HY_BAD_DATA): the body breaks a rule. */
void hy_unpack_fail(struct hy_unpack *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline bool hy_unpack_good(const struct hy_unpack *in)
{
    return in->code == HY_OK;
}

/*
 * Ends the reading; use the read values only after HY_OK. All pieces must be well-formed, and no
 * byte and no descriptor may be left over. Errors: HY_BAD_DATA, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_unpack_end(struct hy_unpack *in);

#endif
