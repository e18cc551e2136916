/*
 * A hostile host: plays a script (session_script.h) against the real client, in the place of the
 * process that the client starts. Whatever a call is answered, the app comes to its end, and
 * nothing is left of the service.
 */
#include "tests/fuzz/fuzz.h"

#include "plugins/service/queue/rings.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/session.h"
#include "plugins/service/wire/transport/frame.h"
#include "tests/fuzz/session/session_app.h"
#include "tests/fuzz/session/session_launch.h"
#include "tests/fuzz/session/session_script.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SOCKETS = 16, CONTROL = 0, LOOK_MS = 1 };

static struct {
    struct session_script script;
    pthread_t thread;
    bool runs;
    atomic_bool is_killed;
    int sockets[SOCKETS]; /* the control socket first */
    uint32_t socket_count;
    struct hy_rings rings;
    bool has_rings;
} host;

static _Noreturn void complain(const char *what)
{
    fprintf(stderr, "fuzz_service_answers: %s\n", what);
    abort();
}

/* ---- What comes from the client -------------------------------------------------------------- */

static void receive_rings(int fd)
{
    if (host.has_rings)
        hy_rings_close(&host.rings);
    host.has_rings = hy_rings_open(fd, &host.rings, NULL) == HY_OK;
}

/* The end of a channel, or rings; the rest is closed by whoever has received it. */
static void receive_fds(struct hy_incoming *frame)
{
    if (frame->fd_count == 0)
        return;
    if (frame->header.kind == HY_WIRE_BURST_OPEN) {
        receive_rings(frame->fds[0]);
    } else if (frame->header.kind == HY_WIRE_CHANNEL && host.socket_count < SOCKETS) {
        host.sockets[host.socket_count++] = frame->fds[0];
        hy_incoming_claim_fd(frame, frame->fds[0]);
    }
}

/* ---- What goes to the client ----------------------------------------------------------------- */

/* The versions are those of this build: scripts are older. */
static void send_hello(int socket)
{
    const struct hy_hello hello = {.abi = HY_DRIVER_ABI, .pid = 1, .pidfd = -1, .end_page = -1};
    struct hy_socket wrapped = {.fd = socket};
    struct hy_outgoing frame;

    hy_outgoing_init(&frame);
    hy_outgoing_begin(&frame, HY_WIRE_HELLO | HY_WIRE_REPLY, 0);
    hy_hello_pack(&frame.body, &hello);
    (void)!hy_frame_send(&wrapped, &frame, 0, NULL);
    hy_outgoing_finish(&frame);
}

static int make_fd(enum session_fd kind)
{
    int fd = -1;

    if (kind != SESSION_FD_RINGS)
        return session_fd_open(kind);
    struct hy_rings rings;
    if (hy_rings_create(64, &rings, &fd, NULL) != HY_OK)
        complain("no rings");
    hy_rings_close(&rings);
    return fd;
}

static void send_frame(int socket, const struct session_step *step, const uint8_t *content)
{
    int fds[SESSION_FDS];

    for (uint32_t i = 0; i < step->fd_count; i++)
        fds[i] = make_fd((enum session_fd)step->fds[i]);
    session_send(socket, step, content, fds);
    for (uint32_t i = 0; i < step->fd_count; i++)
        close(fds[i]);
}

static uint32_t kind_of(const struct session_step *step, const uint8_t *content)
{
    uint32_t kind = 0;

    if (step->kind == SESSION_FRAME && step->bytes >= sizeof kind)
        memcpy(&kind, content, sizeof kind);
    return kind;
}

static void scribble(const struct session_step *step, const uint8_t *content)
{
    uint32_t position, word;

    if (!host.has_rings || step->bytes < sizeof position)
        return;
    _Atomic uint32_t *const words = host.rings.address;
    memcpy(&position, content, sizeof position);
    for (size_t at = sizeof position; step->bytes - at >= sizeof word; at += sizeof word) {
        memcpy(&word, content + at, sizeof word);
        atomic_store_explicit(&words[position++ % (host.rings.bytes / sizeof word)], word,
                              memory_order_relaxed);
    }
    hy_rings_interrupt(&host.rings);
}

static void send_elements(const struct session_step *step, const uint8_t *content)
{
    union hy_element elements[64] = {0};
    const size_t most = step->bytes < sizeof elements ? step->bytes : sizeof elements;

    memcpy(elements, content, most);
    if (host.has_rings)
        (void)hy_ring_write(&host.rings.results, elements,
                            (uint32_t)((most + sizeof *elements - 1) / sizeof *elements));
}

/* Steps up to one that answers the call, or the request. False: the script has ended. */
static bool reply(int socket, uint32_t call)
{
    struct session_step step;
    const uint8_t *content;

    while (session_next(&host.script, &step, &content)) {
        const uint32_t kind = kind_of(&step, content);
        if (step.kind == SESSION_HANG_UP)
            return false;
        if (step.kind == SESSION_APP)
            continue;
        if (step.kind == SESSION_SCRIBBLE || step.kind == SESSION_CUT) {
            scribble(&step, content);
        } else if (step.kind == SESSION_ELEMENTS) {
            send_elements(&step, content);
            if (call == 0)
                return true;
        } else if (!(kind & HY_WIRE_REPLY) && !(step.flags & SESSION_RAW)) {
            send_frame(host.sockets[CONTROL], &step, content); /* what a host says by itself */
        } else {
            if (kind == (HY_WIRE_HELLO | HY_WIRE_REPLY) && !(step.flags & SESSION_RAW))
                send_hello(socket);
            else
                send_frame(socket, &step, content);
            if (call != 0)
                return true;
        }
    }
    return false;
}

/* ---- The host -------------------------------------------------------------------------------- */

static bool is_call(uint32_t kind)
{
    switch (kind) {
    case HY_WIRE_CHANNEL:
    case HY_WIRE_MEMORY_DROP:
    case HY_WIRE_BURST_ANNOUNCE:
    case HY_WIRE_BURST_FREE:
        return false;
    default:
        return !(kind & HY_WIRE_REPLY);
    }
}

/* False: it is over. */
static bool handle_frame(int fd)
{
    struct hy_socket socket = {.fd = fd};
    struct hy_incoming frame;

    hy_incoming_init(&frame);
    bool goes_on = hy_frame_receive(&socket, &frame, 0, NULL) == HY_OK;
    if (goes_on)
        receive_fds(&frame);
    if (goes_on && is_call(frame.header.kind))
        goes_on = reply(fd, frame.header.kind);
    hy_incoming_finish(&frame);
    return goes_on;
}

static bool look_at_rings(void)
{
    uint32_t fill = 0;

    if (!host.has_rings || hy_ring_fill(&host.rings.requests, &fill) == HY_RING_WAIT)
        return true;
    if (fill > 0) {
        hy_ring_skip(&host.rings.requests, fill);
        hy_ring_give_back(&host.rings.requests);
    }
    return reply(host.sockets[CONTROL], 0);
}

static void close_socket(uint32_t index)
{
    close(host.sockets[index]);
    host.sockets[index] = -1;
}

static bool look_at_sockets(void)
{
    struct pollfd look[SOCKETS];
    const uint32_t count = host.socket_count;

    for (uint32_t i = 0; i < count; i++)
        look[i] = (struct pollfd){.fd = host.sockets[i], .events = POLLIN};
    if (poll(look, count, LOOK_MS) <= 0)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        if (look[i].revents & POLLIN && !handle_frame(host.sockets[i])) {
            if (i == CONTROL || host.script.left < sizeof(struct session_step))
                return false;
            close_socket(i); /* the client has closed it, or the script says so */
        } else if (look[i].revents & (POLLHUP | POLLERR) && !(look[i].revents & POLLIN)) {
            if (i == CONTROL)
                return false;
            close_socket(i);
        }
    }
    return true;
}

static void *play(void *argument)
{
    (void)argument;
    while (!atomic_load(&host.is_killed) && look_at_sockets() && look_at_rings())
        ;
    for (uint32_t i = 0; i < host.socket_count; i++) {
        if (host.sockets[i] >= 0)
            close(host.sockets[i]);
    }
    if (host.has_rings)
        hy_rings_close(&host.rings);
    host.has_rings = false;
    host.socket_count = 0;
    return NULL;
}

static void join(void)
{
    if (host.runs)
        pthread_join(host.thread, NULL);
    host.runs = false;
}

/* A client that starts a process again goes on with the script. */
void session_launched(int control)
{
    join();
    atomic_store(&host.is_killed, false);
    host.sockets[CONTROL] = control;
    host.socket_count = 1;
    host.runs = pthread_create(&host.thread, NULL, play, NULL) == 0;
    if (!host.runs)
        complain("no thread");
}

void session_killed(void)
{
    atomic_store(&host.is_killed, true);
}

static unsigned number_of_app(struct session_script script)
{
    struct session_step step;
    const uint8_t *content;

    return session_next(&script, &step, &content) && step.kind == SESSION_APP ? step.socket : 0;
}

/* ---- The whole ------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct hy_service_settings settings = {.program = "/none",
                                                        .hang_timeout_seconds = 1};
    static const struct hy_service_launch launch = {.library = "", .arguments = "{}"};
    static bool is_warm; /* what stays for the process has been made */
    struct hy_service *service = NULL;
    struct hy_error err = {0};

    signal(SIGPIPE, SIG_IGN);
    const int before = session_free_fd();
    const unsigned app = number_of_app((struct session_script){data, size});
    host.script = (struct session_script){data, size};
    if (hy_service_open(&launch, &settings, session_app_host(), &service, &err) == HY_OK) {
        session_app_run(service, app);
        hy_service_driver()->destroy(service);
    } else if (err.text[0] == '\0') {
        complain("refused without words");
    }
    join();
    if (is_warm && session_free_fd() != before)
        complain("a descriptor is left");
    is_warm = true;
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    return session_file(SESSION_DIR "/answers", index, length);
}
