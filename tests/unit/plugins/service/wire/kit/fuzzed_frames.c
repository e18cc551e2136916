#include "fuzzed_frames.h"

#include "bodies.h"
#include "ends.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/body_file.h"

#include <fcntl.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_FDS = 253, PREFIX = 8 };

static void demand(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_wire: %s\n", what);
    abort();
}

/* The lowest free one: whoever leaks below it is noticed. */
static int free_descriptor(void)
{
    const int fd = dup(STDERR_FILENO);

    close(fd);
    return fd;
}

/* ---- The datagram ---------------------------------------------------------------------------- */

struct shipment {
    uint32_t fd_count;
    int is_long;
    int is_raw;
    uint8_t *bytes; /* header and body */
    size_t size;
};

static void send_bytes(const struct ends *ends, const struct shipment *shipment, int file)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE((MOST_FDS + 1) * sizeof(int))] = {0};
    const uint32_t first = file >= 0 ? 1 : 0;
    uint32_t count = first + shipment->fd_count;
    struct iovec part = {shipment->bytes, shipment->size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    int fds[MOST_FDS + 1];

    if (count > MOST_FDS)
        count = MOST_FDS;
    for (uint32_t i = 0; i < count; i++)
        fds[i] = i < first ? file : STDERR_FILENO;
    if (count > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(rights), fds, count * sizeof(int));
    }
    (void)!sendmsg(ends->near.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void put_right(const struct shipment *shipment, int with_file)
{
    struct hy_frame_header header;

    memcpy(&header, shipment->bytes, sizeof header);
    header.body_bytes = (uint32_t)(shipment->size - sizeof header);
    header.fd_count = shipment->fd_count + (with_file ? 1 : 0);
    memcpy(shipment->bytes, &header, sizeof header);
}

static void send_shipment(const struct ends *ends, struct shipment shipment)
{
    const size_t header = sizeof(struct hy_frame_header);
    const int with_file =
        shipment.size > header + HY_FRAME_INLINE || (shipment.is_long && shipment.size > header);
    int file = -1;

    if (!shipment.is_raw && shipment.size >= header)
        put_right(&shipment, with_file);
    if (with_file) {
        demand(hy_body_file_make(shipment.bytes + header, shipment.size - header, &file, NULL) ==
                   HY_OK,
               "no body file");
        shipment.size = header;
    }
    send_bytes(ends, &shipment, file);
    if (file >= 0)
        close(file);
}

/* ---- What it says ---------------------------------------------------------------------------- */

/* Answers come from whoever is called. */
static int comes_from(uint32_t kind, enum hy_wire_sender sender)
{
    switch (kind) {
#define MESSAGE(number, NAME, label, sender_, position, way, ...) \
    case number: \
        return sender == sender_; \
    case number | HY_WIRE_REPLY: \
        return sender != sender_;
#include "plugins/service/wire/messages.def"
#undef MESSAGE
    default:
        return 0;
    }
}

static void read_frame(const struct hy_incoming *frame, struct hy_pack *again)
{
    struct hy_error err;

    for (uint32_t i = 0; hy_wire_body(i); i++) {
        if (hy_wire_body(i)->kind == frame->header.kind)
            (void)hy_wire_try(hy_wire_body(i), frame->body, frame->header.body_bytes, frame->fds,
                              frame->fd_count, again, &err);
    }
}

int hy_wire_fuzz_frame(const uint8_t *data, size_t size, enum hy_wire_sender sender)
{
    const int before = free_descriptor();
    uint8_t *copy = malloc(size);
    struct hy_error err = {0};
    struct ends ends;

    if (size <= PREFIX) {
        free(copy);
        return 0;
    }
    demand(copy != NULL, "out of memory");
    memcpy(copy, data, size);
    ends_open(&ends);
    send_shipment(&ends, (struct shipment){.fd_count = data[0],
                                           .is_long = data[1] & 1,
                                           .is_raw = data[2] & 1,
                                           .bytes = copy + PREFIX,
                                           .size = size - PREFIX});
    if (hy_frame_receive(&ends.far, &ends.in, 0, &err) != HY_OK)
        demand(err.text[0] != '\0', "refused without words");
    else if (comes_from(ends.in.header.kind, sender))
        read_frame(&ends.in, &ends.out.body);
    ends_close(&ends);
    free(copy);
    demand(free_descriptor() == before, "a descriptor is left");
    return 0;
}

/* ---- Seeds ----------------------------------------------------------------------------------- */

static uint8_t *make_seed(const struct hy_wire_body *body, uint64_t number, size_t *length)
{
    struct hy_wire_samples samples = {.chance = {number}};
    struct hy_frame_header header = {.kind = body->kind, .object = number};
    struct hy_pack pack;
    uint8_t *seed = NULL;

    hy_pack_init(&pack);
    hy_wire_make(body, &samples, &pack);
    if (pack.size > 0 || pack.fd_count > 0) {
        header.body_bytes = (uint32_t)pack.size;
        header.fd_count = pack.fd_count;
        *length = PREFIX + sizeof header + pack.size;
        seed = calloc(*length, 1);
        demand(seed != NULL, "out of memory");
        seed[0] = (uint8_t)pack.fd_count;
        memcpy(seed + PREFIX, &header, sizeof header);
        if (pack.size > 0)
            memcpy(seed + PREFIX + sizeof header, pack.bytes, pack.size);
    }
    hy_arena_finish(&samples.arena);
    hy_pack_finish(&pack);
    return seed;
}

/* Number `index` of those that have anything in them. */
uint8_t *hy_wire_fuzz_seed(unsigned index, size_t *length, enum hy_wire_sender sender)
{
    for (uint32_t i = 0; hy_wire_body(i); i++) {
        if (!comes_from(hy_wire_body(i)->kind, sender))
            continue;
        uint8_t *seed = make_seed(hy_wire_body(i), 40 + i, length);
        if (seed && index-- == 0)
            return seed;
        free(seed);
    }
    return NULL;
}
