#include "session_play.h"

#include "plugins/service/queue/rings.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/session.h"
#include "plugins/service/wire/transport/frame.h"
#include "tests/kit/sanitizers.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    CHANNELS = 6,
    MEMORIES = 8,
    RING = 64,      /* elements */
    REPLY_MS = 50,  /* how long an answer is waited for */
    RESULT_MS = 20, /* and one in the ring */
    MOST_STEPS = 200,
};

struct scribbler {
    pthread_t thread;
    atomic_bool stops;
    bool runs;
    const uint8_t *content;
    size_t bytes;
    struct hy_rings *rings;
    uint64_t words; /* that it has written; its own while it runs */
};

struct app {
    int control;
    const struct hy_opening *opening; /* NULL: what the script says */
    int channels[CHANNELS];
    uint32_t channel_count; /* ever made */
    int memories[MEMORIES]; /* the last ones that were sent */
    uint32_t memory_count;
    struct hy_rings rings;
    bool has_rings;
    struct scribbler scribbler;
    struct session_count count;
};

static _Noreturn void complain(const char *what)
{
    fprintf(stderr, "session_play: %s\n", what);
    abort();
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

static void close_rings(struct app *app)
{
    if (app->scribbler.runs) {
        atomic_store(&app->scribbler.stops, true);
        pthread_join(app->scribbler.thread, NULL);
        app->scribbler.runs = false;
        app->count.rewrites += app->scribbler.words;
    }
    if (app->has_rings)
        hy_rings_close(&app->rings);
    app->has_rings = false;
}

static int make_rings(struct app *app)
{
    int fd = -1;

    close_rings(app);
    if (hy_rings_create(RING, &app->rings, &fd, NULL) != HY_OK)
        complain("no rings");
    app->has_rings = true;
    return fd;
}

static int make_channel(struct app *app)
{
    int ends[2];

    if (app->channel_count == CHANNELS)
        return session_fd_open(SESSION_FD_LONELY);
    if (hy_socket_pair(ends, NULL) != HY_OK)
        complain("no channel");
    app->channels[app->channel_count++] = ends[0];
    return ends[1];
}

static void remember(struct app *app, int fd)
{
    int *position = &app->memories[app->memory_count++ % MEMORIES];

    if (app->memory_count > MEMORIES)
        close(*position);
    *position = dup(fd);
}

/* An end of a pair is like any other one: a service that is given it serves until its app ends,
 * which is this process. */
static int make_control(const struct app *app)
{
    return hy_socket_leads_to_service(app->control) ? dup(app->control)
                                                    : session_fd_open(SESSION_FD_LONELY);
}

static int make_fd(struct app *app, enum session_fd kind)
{
    if (kind == SESSION_FD_CHANNEL)
        return make_channel(app);
    if (kind == SESSION_FD_RINGS)
        return make_rings(app);
    if (kind == SESSION_FD_CONTROL)
        return make_control(app);
    const int fd = session_fd_open(kind);
    if (kind == SESSION_FD_MEMORY || kind == SESSION_FD_SMALL)
        remember(app, fd);
    return fd;
}

/* The guard changes mappings under the eyes of the driver, as it should. */
static void cut(struct app *app, const struct session_step *step)
{
    const uint32_t count = app->memory_count < MEMORIES ? app->memory_count : MEMORIES;

#ifdef HY_WITH_THREAD_SANITIZER
    return;
#endif
    if (count > 0 && ftruncate(app->memories[step->socket % count], 0) != 0)
        complain("memory that cannot be cut");
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static int socket_of(const struct app *app, const struct session_step *step)
{
    const uint32_t position = step->socket % (app->channel_count + 1);
    return position == 0 ? app->control : app->channels[position - 1];
}

static void close_received(struct msghdr *message)
{
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
            close(fd);
        }
    }
}

/* Takes all that is there. True: an answer, a question, or the end is among it. */
static bool drain(int fd)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(HY_FRAME_MOST_FDS * sizeof(int))];
    static uint8_t body[HY_FRAME_INLINE];
    bool is_news = false;

    for (;;) {
        struct hy_frame_header header = {0};
        struct iovec parts[] = {{&header, sizeof header}, {body, sizeof body}};
        struct msghdr message = {.msg_iov = parts,
                                 .msg_iovlen = 2,
                                 .msg_control = control,
                                 .msg_controllen = sizeof control};
        const ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (got <= 0)
            return is_news || got == 0;
        close_received(&message);
        is_news |= header.kind != HY_WIRE_LOG;
    }
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Also returns when the host asks: the script may go on with what it says to that. */
static void await_reply(const struct app *app, int socket)
{
    const int64_t until = now_ms() + REPLY_MS;
    bool is_news = false;

    while (!is_news && now_ms() < until) {
        struct pollfd look[] = {{.fd = socket, .events = POLLIN},
                                {.fd = app->control, .events = POLLIN}};
        if (poll(look, 2, REPLY_MS) > 0)
            is_news =
                (look[0].revents && drain(socket)) || (look[1].revents && drain(app->control));
    }
}

static bool has_reply(uint32_t kind)
{
    switch (kind) {
#define WAY_CALL   true
#define WAY_NOTIFY false
#define MESSAGE(number, NAME, label, sender, position, way, ...) \
    case number: \
        return WAY_##way;
#include "plugins/service/wire/messages.def"
#undef MESSAGE
    default:
        return false;
    }
}

/* The versions are those of this build, since scripts are older; and the driver is the one that
 * there is. */
static void send_first_message(const struct app *app, int socket, uint32_t kind)
{
    const struct hy_hello hello = {.abi = HY_DRIVER_ABI, .pid = 1, .pidfd = -1, .end_page = -1};
    struct hy_socket wrapped = {.fd = socket};
    struct hy_outgoing frame;

    hy_outgoing_init(&frame);
    hy_outgoing_begin(&frame, kind, 0);
    if (kind == HY_WIRE_HELLO)
        hy_hello_pack(&frame.body, &hello);
    else
        hy_opening_pack(&frame.body, app->opening);
    (void)!hy_frame_send(&wrapped, &frame, 0, NULL);
    hy_outgoing_finish(&frame);
}

static bool is_first_message(const struct app *app, const struct session_step *step, uint32_t kind)
{
    return !(step->flags & SESSION_RAW) &&
           (kind == HY_WIRE_HELLO || (kind == HY_WIRE_OPEN && app->opening));
}

static void send_frame(struct app *app, const struct session_step *step, const uint8_t *content)
{
    const int socket = socket_of(app, step);
    int fds[SESSION_FDS];
    uint32_t kind = 0;

    if (step->bytes >= sizeof kind)
        memcpy(&kind, content, sizeof kind);
    if (is_first_message(app, step, kind)) {
        send_first_message(app, socket, kind);
    } else {
        for (uint32_t i = 0; i < step->fd_count; i++)
            fds[i] = make_fd(app, (enum session_fd)step->fds[i]);
        session_send(socket, step, content, fds);
        for (uint32_t i = 0; i < step->fd_count; i++)
            close(fds[i]);
    }
    if (has_reply(kind))
        await_reply(app, socket);
}

/* ---- The rings ------------------------------------------------------------------------------- */

static void consume_results(struct hy_ring *results)
{
    uint32_t fill = 0;

    const int64_t until = now_ms() + RESULT_MS;
    while (hy_ring_fill(results, &fill) == HY_RING_WAIT && now_ms() < until)
        usleep(50);
    if (fill > 0) {
        hy_ring_skip(results, fill);
        hy_ring_give_back(results);
    }
}

static void send_elements(struct app *app, const struct session_step *step, const uint8_t *content)
{
    union hy_element elements[RING] = {0};
    const size_t most = step->bytes < sizeof elements ? step->bytes : sizeof elements;

    memcpy(elements, content, most);
    if (!app->has_rings)
        return;
    if (hy_ring_write(&app->rings.requests, elements,
                      (uint32_t)((most + sizeof *elements - 1) / sizeof *elements)) == HY_RING_DONE)
        consume_results(&app->rings.results);
}

/* Gives how many words it wrote. */
static uint64_t scribble_once(const struct hy_rings *rings, const uint8_t *content, size_t bytes)
{
    _Atomic uint32_t *const words = rings->address;
    uint32_t position, word;

    if (bytes < sizeof position)
        return 0;
    memcpy(&position, content, sizeof position);
    for (size_t at = sizeof position; bytes - at >= sizeof word; at += sizeof word) {
        memcpy(&word, content + at, sizeof word);
        atomic_store_explicit(&words[position++ % (rings->bytes / sizeof word)], word,
                              memory_order_relaxed);
    }
    return bytes / sizeof word - 1;
}

static void *scribble_on(void *argument)
{
    struct scribbler *scribbler = argument;

    while (!atomic_load_explicit(&scribbler->stops, memory_order_relaxed))
        scribbler->words += scribble_once(scribbler->rings, scribbler->content, scribbler->bytes);
    return NULL;
}

static void scribble(struct app *app, const struct session_step *step, const uint8_t *content)
{
    struct scribbler *scribbler = &app->scribbler;

    if (!app->has_rings)
        return;
    app->count.rewrites += scribble_once(&app->rings, content, step->bytes);
    if (!(step->flags & SESSION_RAW) || scribbler->runs)
        return;
    scribbler->content = content;
    scribbler->bytes = step->bytes;
    scribbler->rings = &app->rings;
    scribbler->words = 0;
    atomic_store(&scribbler->stops, false);
    scribbler->runs = pthread_create(&scribbler->thread, NULL, scribble_on, scribbler) == 0;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void hang_up(const struct app *app, const struct session_step *step)
{
    shutdown(socket_of(app, step), SHUT_RDWR);
}

static void play(struct app *app, struct session_script script)
{
    struct session_step step;
    const uint8_t *content;

    for (uint32_t i = 0; i < MOST_STEPS && session_next(&script, &step, &content); i++) {
        switch (step.kind) {
        case SESSION_FRAME:
            send_frame(app, &step, content);
            app->count.frames++;
            break;
        case SESSION_ELEMENTS:
            send_elements(app, &step, content);
            app->count.packets += app->has_rings;
            break;
        case SESSION_SCRIBBLE:
            scribble(app, &step, content);
            break;
        case SESSION_CUT:
            cut(app, &step);
            break;
        case SESSION_HANG_UP:
            hang_up(app, &step);
            break;
        default:
            break;
        }
    }
}

static void close_app(struct app *app)
{
    close(app->control);
    for (uint32_t i = 0; i < app->channel_count; i++)
        close(app->channels[i]);
    close_rings(app);
    for (uint32_t i = 0; i < app->memory_count && i < MEMORIES; i++)
        close(app->memories[i]);
}

void session_play(int control, const struct hy_opening *opening, const uint8_t *data, size_t size,
                  struct session_count *count)
{
    struct app app = {.control = control, .opening = opening};

    signal(SIGPIPE, SIG_IGN);
    play(&app, (struct session_script){data, size});
    close_app(&app);
    if (count) {
        count->frames += app.count.frames;
        count->packets += app.count.packets;
        count->rewrites += app.count.rewrites;
    }
}
