/* Services that accept and then say nothing, too little, or never what is asked: the list of
 * devices waits for all of them together no longer than for one, and tells why each is not used. */
#include "common/clock.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/session.h"
#include "plugins/service/wire/transport/frame.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"
#include "tests/unit/tools/kit/command_run.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A second for each would be more; the patience of this test is 20 seconds. */
enum { SERVICES = 12, BOUND_MS = 10000 * HY_SLOWNESS };

static char dir[64];

/* ---- What they do with a connection ---------------------------------------------------------- */

static void stay_silent(int fd)
{
    (void)fd;
}

static void read_and_stay_silent(int fd)
{
    char bytes[4096];
    while (recv(fd, bytes, sizeof bytes, 0) > 0)
        ;
}

/* Each line comes in time, and the answer never. */
static void chatter(int fd)
{
    struct hy_socket peer = {.fd = fd};
    struct hy_outgoing line;
    struct hy_error err;

    hy_outgoing_init(&line);
    do {
        hy_outgoing_begin(&line, HY_WIRE_LOG, 0);
        hy_log_line_pack(&line.body, &(struct hy_log_line){HY_LOG_DEBUG, "soon"});
    } while (hy_frame_send(&peer, &line, HY_NO_DEADLINE, &err) == HY_OK);
    hy_outgoing_finish(&line);
}

static void send_bytewise(int fd)
{
    while (send(fd, "", 1, MSG_NOSIGNAL) == 1)
        poll(NULL, 0, 900);
}

static void send_half_a_frame(int fd)
{
    const struct hy_frame_header header = {.kind = HY_WIRE_HELLO | HY_WIRE_REPLY, .body_bytes = 64};
    (void)!send(fd, &header, sizeof header, MSG_NOSIGNAL);
}

static const struct manner {
    const char *name;
    void (*serve)(int fd); /* NULL: nobody accepts, and there is no room for another one */
    const char *reason;
} manners[] = {
    {"silent", stay_silent, "does not reply to hello in time"},
    {"reading", read_and_stay_silent, "does not reply to hello in time"},
    {"chattering", chatter, "does not reply to hello in time"},
    {"slow", send_bytewise, "a frame of 1 bytes"},
    {"broken", send_half_a_frame, "a body of 64 bytes expected, 0 received"},
    {"full", NULL, "timed out"},
};
enum { MANNERS = sizeof manners / sizeof *manners };

/* ---- The services ---------------------------------------------------------------------------- */

struct service {
    const struct manner *manner;
    char path[96];
    int listener;
};

static struct service services[SERVICES + 1]; /* the last one is halyard-cpu's */

struct guest {
    const struct manner *manner;
    int fd;
};

static void *serve_guest(void *argument)
{
    struct guest *guest = argument;
    guest->manner->serve(guest->fd);
    pause(); /* what is open stays so */
    return NULL;
}

static void *serve(void *argument)
{
    struct service *service = argument;

    for (;;) {
        struct guest *guest = malloc(sizeof *guest);
        pthread_t thread;
        *guest = (struct guest){service->manner, accept(service->listener, NULL, NULL)};
        if (pthread_create(&thread, NULL, serve_guest, guest) != 0)
            _exit(1);
    }
}

/* Connections that nobody accepts, until there is no room for more. */
static void fill(const struct sockaddr_un *address)
{
    int fd;

    do {
        fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    } while (connect(fd, (const struct sockaddr *)address, sizeof *address) == 0);
}

static bool listen_at(struct service *service)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    strcpy(address.sun_path, service->path);
    service->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (bind(service->listener, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(service->listener, service->manner->serve ? 8 : 0) != 0)
        return false;
    if (!service->manner->serve)
        fill(&address);
    return true;
}

_Noreturn static void run_services(int ready)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i <= SERVICES; i++) {
        pthread_t thread;
        if (!listen_at(&services[i]) ||
            (services[i].manner->serve && pthread_create(&thread, NULL, serve, &services[i]) != 0))
            _exit(1);
    }
    (void)!write(ready, "", 1);
    for (;;)
        pause();
}

static void write_manifest(int number)
{
    char path[128], text[512];

    snprintf(path, sizeof path, "%s/%02d.json", dir, number);
    snprintf(text, sizeof text,
             "{\"file_format_version\": \"1.0.0\", \"driver\": {\"library_path\": \"%s\", "
             "\"abi\": \"1.0\", \"socket\": \"%s\", \"arguments\": {\"name\": \"silent-%d\"}}}",
             SAMPLE_PATH, services[number].path, number);
    write_whole_file(path, text);
}

/* 0: they do not run. */
static pid_t start_services(void)
{
    int ready[2];
    char byte;

    for (int i = 0; i <= SERVICES; i++) {
        services[i].manner = &manners[i < SERVICES ? i % MANNERS : 0];
        snprintf(services[i].path, sizeof services[i].path, "%s/socket-%d", dir, i);
        if (i < SERVICES)
            write_manifest(i);
    }
    if (pipe(ready) != 0)
        return 0;
    const pid_t child = fork();
    if (child == 0)
        run_services(ready[1]);
    close(ready[1]);
    const bool are_ready = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    return are_ready ? child : 0;
}

static int64_t clock_ms(void)
{
    return hy_clock_read(CLOCK_MONOTONIC) / HY_MILLISECOND;
}

/* ---- The list -------------------------------------------------------------------------------- */

/* The reason for the driver whose name ends so, in the JSON of the command. */
static const char *reason_of(json_t *list, const char *end)
{
    json_t *refused = json_object_get(list, "refused"), *each;
    size_t i;

    json_array_foreach(refused, i, each)
    {
        const char *manifest = json_string_value(json_object_get(each, "manifest"));
        const size_t length = manifest ? strlen(manifest) : 0;
        if (length >= strlen(end) && strcmp(manifest + length - strlen(end), end) == 0)
            return json_string_value(json_object_get(each, "reason"));
    }
    return "(it is not among the refused)";
}

static void check_json(void)
{
    const int64_t before = clock_ms();
    struct command_run run = RUN("devices", "--json");
    const int64_t elapsed = clock_ms() - before;
    json_t *list = command_run_json(&run);

    EXPECT_INT(run.status, 0);
    if (elapsed >= BOUND_MS)
        hy_test_fail(__FILE__, __LINE__, "the list of devices took %lld ms", (long long)elapsed);
    for (int i = 0; i < SERVICES; i++) {
        char end[16];
        snprintf(end, sizeof end, "/%02d.json", i);
        EXPECT_CONTAINS(reason_of(list, end), services[i].manner->reason);
    }
    EXPECT_CONTAINS(reason_of(list, "halyard-cpu"), "does not reply to hello in time");
    json_decref(list);
    command_run_finish(&run);
}

static void check_text(void)
{
    struct command_run run = RUN("devices");

    EXPECT_CONTAINS(run.out, "refused: halyard-cpu");
    EXPECT_CONTAINS(run.out, " does not reply to hello in time");
    command_run_finish(&run);
}

TEST(shared_silent, services_that_say_nothing_do_not_hold_up_the_list_and_it_tells_why)
{
    char socket[128];

    make_dir(dir);
    snprintf(socket, sizeof socket, "halyard-cpu=%s/socket-%d", dir, SERVICES);
    setenv("HALYARD_SERVICE_SOCKETS", socket, 1);
    setenv("HALYARD_DRIVER_FILES", dir, 1);
    const pid_t child = start_services();
    EXPECT(child > 0);
    if (child > 0) {
        check_json();
        check_text();
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    remove_dir(dir);
}
