#include "attack_client.h"

#include "plugins/service/queue/rings.h"
#include "plugins/service/wire/bursts.h"
#include "plugins/service/wire/session.h"
#include "tests/fuzz/session/session_script.h"

#include <poll.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* How far a client has come when it sends what it should not. */
enum state {
    SILENT,    /* nothing said */
    GREETED,   /* HELLO */
    OPENED,    /* HELLO and OPEN: the control socket */
    AT_WORK,   /* a channel */
    IN_BURST,  /* the channel of a burst */
    OUT_BURST, /* the same, closed */
    STATES,
};

enum {
    MOST_KIND = 70,    /* of messages, and some that there are none of */
    MOST_FDS = 250,    /* that the kernel takes, and more than a frame may have */
    MOST_BODY = 65536, /* more than travels in a datagram */
    FRAMES = 24,       /* of a client */
    FLOOD = 600,       /* frames whose answers nobody reads */
    CLIENTS = 3,       /* of a round */
    DRAIN_MS = 2,
};

struct sender {
    struct raw_client client;
    struct hy_rings rings;
    enum state state;
    enum live_driver driver;
};

static unsigned long frames[STATES], descriptors, clients;
static uint8_t body[MOST_BODY];

/* ---- Into the state -------------------------------------------------------------------------- */

static void enter_burst(struct sender *sender, uint64_t prepared)
{
    int memory = -1;

    if (hy_rings_create(64, &sender->rings, &memory, NULL) != HY_OK)
        live_fail("no rings");
    raw_call(&sender->client, HY_WIRE_BURST_OPEN, prepared);
    hy_pack_fd(&sender->client.call.body, memory);
    if (raw_make(&sender->client) != HY_STATUS_OK)
        live_fail("no burst: %s", sender->client.error_text);
    close(memory);
    if (sender->state == OUT_BURST) {
        raw_call(&sender->client, HY_WIRE_BURST_CLOSE, 0);
        (void)raw_make(&sender->client);
    }
}

static void send_hello(struct raw_client *client)
{
    const struct hy_hello hello = {
        .abi = HY_DRIVER_ABI, .pid = (int32_t)getpid(), .pidfd = -1, .end_page = -1};

    raw_call(client, HY_WIRE_HELLO, 0);
    hy_hello_pack(&client->call.body, &hello);
    (void)!hy_frame_send(&client->control, &client->call, 0, NULL);
}

static void enter(struct sender *sender, struct hy_random *chance)
{
    const struct hy_opening *opening;

    sender->state = (enum state)hy_random_below(chance, STATES);
    sender->driver = (enum live_driver)hy_random_below(chance, LIVE_DRIVERS);
    opening = live_opening(sender->driver);
    if (sender->state >= AT_WORK) {
        attack_begin(&sender->client, sender->driver, true);
        if (sender->state > AT_WORK)
            enter_burst(sender, raw_prepare(&sender->client));
        return;
    }
    live_be_attacker(true);
    if (!raw_connect(&sender->client, live_socket(sender->driver)))
        live_fail("nobody listens");
    live_be_attacker(false);
    if (sender->state == GREETED)
        send_hello(&sender->client);
    if (sender->state == OPENED &&
        raw_open(&sender->client, opening->library, opening->arguments) != HY_STATUS_OK)
        live_fail("a client is not let in: %s", sender->client.error_text);
}

static void leave(struct sender *sender)
{
    raw_close(&sender->client);
    hy_rings_close(&sender->rings);
    memset(sender, 0, sizeof *sender);
    clients++;
}

/* The service has had enough of it. */
static void begin_again(struct sender *sender, struct hy_random *chance)
{
    leave(sender);
    enter(sender, chance);
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* One time in four the header does not say what is there. */
static struct hy_frame_header make_header(struct hy_random *chance, uint32_t bytes, uint32_t fds)
{
    const bool is_odd = hy_random_below(chance, 4) == 0;
    const uint32_t kind = hy_random_below(chance, MOST_KIND);
    struct hy_frame_header header = {
        .kind = hy_random_below(chance, 6) == 0 ? kind | HY_WIRE_REPLY : kind,
        .body_bytes = bytes,
        .fd_count = fds,
        .status = (int32_t)hy_random_below(chance, 12) - 2,
        .object = hy_random_below(chance, 4) ? hy_random_below(chance, 6) : hy_random_next(chance)};

    if (is_odd && hy_random_below(chance, 2))
        header.body_bytes = (uint32_t)hy_random_next(chance) >> hy_random_below(chance, 32);
    if (is_odd && hy_random_below(chance, 2))
        header.fd_count = (uint32_t)hy_random_next(chance) >> hy_random_below(chance, 32);
    return header;
}

static uint32_t make_body(struct hy_random *chance)
{
    const uint32_t sizes[] = {0, 0, 4, 8, 16, 64, 1024, HY_FRAME_INLINE, HY_FRAME_INLINE + 64};
    const uint32_t bytes = sizes[hy_random_below(chance, 9)] + hy_random_below(chance, 3) * 4;
    const uint32_t sparse = hy_random_below(chance, 2); /* mostly small numbers */

    for (uint32_t i = 0; i < bytes && i < MOST_BODY; i += 4) {
        const uint32_t word = (uint32_t)hy_random_next(chance);
        const uint32_t written = sparse ? (word % 4 == 0 ? word >> 8 & 7 : 0) : word;
        memcpy(body + i, &written, 4);
    }
    return bytes;
}

/* The body is said to be in the file that comes first. */
static void move_body(struct hy_random *chance, struct hy_frame_header *header, uint32_t *bytes)
{
    static const uint32_t sizes[] = {HY_FRAME_INLINE + 1, SESSION_MEMORY, SESSION_MEMORY + 1,
                                     1 << 20, UINT32_MAX};

    header->body_bytes = sizes[hy_random_below(chance, 5)];
    *bytes = 0;
}

static uint32_t choose_fd_count(struct hy_random *chance)
{
    switch (hy_random_below(chance, 10)) {
    case 0:
        return MOST_FDS;
    case 1:
        return HY_FRAME_MOST_FDS + hy_random_below(chance, 3) - 1;
    case 2:
    case 3:
        return 1 + hy_random_below(chance, 4);
    case 4:
    case 5:
        return 1;
    default:
        return 0;
    }
}

static int odd_descriptor(struct hy_random *chance, const struct sender *sender)
{
    const enum session_fd kind = (enum session_fd)hy_random_below(chance, SESSION_FD_KINDS);

    return kind == SESSION_FD_CONTROL ? dup(sender->client.control.fd) : session_fd_open(kind);
}

/* The header may be cut, too. True: it is on its way. */
static bool send_one(int socket, const struct hy_frame_header *header, uint32_t bytes, int fd,
                     uint32_t fd_count, uint32_t cut)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE(MOST_FDS * sizeof(int))] = {0};
    struct iovec parts[] = {{(void *)header, sizeof *header - cut}, {body, cut > 0 ? 0 : bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

    if (fd_count > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
        for (uint32_t i = 0; i < fd_count; i++)
            memcpy(CMSG_DATA(rights) + i * sizeof fd, &fd, sizeof fd);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

/* False: the service has hung up. */
static bool drain(int socket)
{
    struct pollfd look = {.fd = socket, .events = POLLIN};
    ssize_t got;
    char byte;

    if (poll(&look, 1, DRAIN_MS) != 1)
        return true;
    do
        got = recv(socket, &byte, 1, MSG_DONTWAIT | MSG_TRUNC);
    while (got > 0);
    return got != 0 && !(look.revents & POLLHUP);
}

static int choose_socket(struct hy_random *chance, const struct sender *sender)
{
    const bool is_channel = sender->state >= AT_WORK && hy_random_below(chance, 4) != 0;
    return is_channel ? sender->client.channel.fd : sender->client.control.fd;
}

static void send_odd(struct sender *sender, struct hy_random *chance)
{
    uint32_t bytes = make_body(chance);
    const uint32_t fds = choose_fd_count(chance);
    struct hy_frame_header header = make_header(chance, bytes, fds);
    if (fds > 0 && hy_random_below(chance, 4) == 0)
        move_body(chance, &header, &bytes);
    const uint32_t cut =
        hy_random_below(chance, 16) == 0 ? 1 + hy_random_below(chance, sizeof header) : 0;
    const int socket = choose_socket(chance, sender);
    const int fd = fds > 0 ? odd_descriptor(chance, sender) : -1;

    if (send_one(socket, &header, bytes, fd, fds, cut)) {
        frames[sender->state]++;
        descriptors += fds;
    }
    if (fd >= 0)
        close(fd);
    if (hy_random_below(chance, 2) && !drain(socket))
        begin_again(sender, chance);
}

/* Nobody reads what comes of it. */
static void flood(struct sender *sender, struct hy_random *chance)
{
    const uint32_t bytes = make_body(chance) % 1024;
    const uint32_t fds = hy_random_below(chance, 3) == 0 ? 1 : 0;
    const struct hy_frame_header header = {.kind = hy_random_below(chance, MOST_KIND),
                                           .body_bytes = bytes,
                                           .fd_count = fds,
                                           .object = hy_random_below(chance, 6)};
    const int socket = choose_socket(chance, sender);
    const int fd = fds > 0 ? odd_descriptor(chance, sender) : -1;

    for (int i = 0; i < FLOOD && send_one(socket, &header, bytes, fd, fds, 0); i++) {
        frames[sender->state]++;
        descriptors += fds;
    }
    if (fd >= 0)
        close(fd);
}

/* ---- A round --------------------------------------------------------------------------------- */

/* Some clients at once, which take turns. */
void attack_frames(struct hy_random *chance)
{
    struct sender senders[CLIENTS];

    memset(senders, 0, sizeof senders);
    for (int i = 0; i < CLIENTS; i++)
        enter(&senders[i], chance);
    for (int i = 0; i < FRAMES * CLIENTS; i++) {
        struct sender *sender = &senders[hy_random_below(chance, CLIENTS)];
        if (hy_random_below(chance, 128) == 0)
            flood(sender, chance);
        else
            send_odd(sender, chance);
    }
    for (int i = 0; i < CLIENTS; i++)
        leave(&senders[i]);
}

void attack_frames_report(void)
{
    printf("%lu clients, %lu descriptors; frames of those that had said nothing %lu, HELLO %lu, "
           "OPEN %lu; over channels %lu, in bursts %lu, after bursts %lu\n",
           clients, descriptors, frames[SILENT], frames[GREETED], frames[OPENED], frames[AT_WORK],
           frames[IN_BURST], frames[OUT_BURST]);
}
