/* How the process of a service has ended, as its clients read it from the end page, and services
 * that send another one. */
#include "plugins/service/client/service.h"
#include "plugins/service/process/end_page.h"
#include "plugins/service/wire/describe.h"
#include "plugins/service/wire/reply.h"
#include "plugins/service/wire/session.h"
#include "raw_client.h"
#include "shared_service.h"
#include "tests/kit/test.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char *const cpu[] = {"--cpu", NULL};

/* ---- A service ------------------------------------------------------------------------------- */

/* The page that comes with the first words, which stays the frame's; -1: there is none. */
static int page_of(struct raw_client *client)
{
    struct hy_hello hello = {.end_page = -1};
    struct hy_arena arena = {0};
    struct hy_unpack in;
    struct hy_error err;

    if (raw_hello(client) != HY_STATUS_OK)
        return -1;
    hy_incoming_unpack(&client->reply, &arena, &in, &err);
    hy_hello_unpack(&in, &hello);
    EXPECT_INT(hy_unpack_end(&in), HY_OK);
    hy_arena_finish(&arena);
    return hello.end_page;
}

/* What the kernel itself would tell of the end counts for nothing here. */
TEST(shared_end, page_of_a_service_tells_the_signal_that_ended_its_process)
{
    struct shared_service service;
    struct raw_client client;
    struct hy_process_end end = {0};
    int status;
    REQUIRE(shared_service_init(&service) && shared_service_start(&service, cpu, &status));
    REQUIRE(raw_connect(&client, service.socket));

    const int page = page_of(&client);
    EXPECT(hy_end_page_is_one(page));
    EXPECT(!hy_end_page_await(page, 0, &end));
    const pid_t host = shared_service_host(&service);
    REQUIRE(host > 0);
    kill(host, SIGKILL);
    EXPECT(hy_end_page_await(page, TIMEOUT_MS, &end));
    EXPECT_INT(end.kind, HY_END_SIGNAL);
    EXPECT_INT(end.number, SIGKILL);
    raw_close(&client);
    shared_service_finish(&service);
}

/* Who starts the listener may ignore SIGCHLD, and the listener inherits that. */
TEST(shared_end, page_tells_the_signal_also_if_the_service_was_started_with_sigchld_ignored)
{
    struct shared_service service;
    struct raw_client client;
    struct hy_process_end end = {0};
    int status;
    REQUIRE(shared_service_init(&service));
    (void)signal(SIGCHLD, SIG_IGN);
    const bool is_started = shared_service_start(&service, cpu, &status);
    (void)signal(SIGCHLD, SIG_DFL);
    REQUIRE(is_started && raw_connect(&client, service.socket));

    const int page = page_of(&client);
    const pid_t host = shared_service_host(&service);
    REQUIRE(host > 0);
    kill(host, SIGKILL);
    EXPECT(hy_end_page_await(page, TIMEOUT_MS, &end));
    EXPECT_INT(end.kind, HY_END_SIGNAL);
    EXPECT_INT(end.number, SIGKILL);
    raw_close(&client);
    shared_service_finish(&service);
}

TEST(shared_end, page_of_a_service_tells_that_it_ended_as_it_should)
{
    struct shared_service service;
    struct raw_client client;
    struct hy_process_end end = {0};
    int status;
    REQUIRE(shared_service_init(&service) && shared_service_start(&service, cpu, &status));
    REQUIRE(raw_connect(&client, service.socket));

    const int page = page_of(&client);
    EXPECT_INT(shared_service_end(&service, SIGTERM), 0);
    EXPECT(hy_end_page_await(page, 0, &end));
    EXPECT_INT(end.kind, HY_END_EXIT);
    EXPECT_INT(end.number, 0);
    raw_close(&client);
    shared_service_finish(&service);
}

TEST(shared_end, nobody_tells_when_the_doorman_was_killed)
{
    struct shared_service service;
    struct raw_client client;
    struct hy_process_end end = {0};
    struct hy_error err;
    int status;
    REQUIRE(shared_service_init(&service) && shared_service_start(&service, cpu, &status));
    REQUIRE(raw_connect(&client, service.socket));

    const int page = dup(page_of(&client));
    EXPECT_INT(shared_service_end(&service, SIGKILL), -SIGKILL);
    while (hy_frame_receive(&client.control, &client.reply, HY_NO_DEADLINE, &err) == HY_OK)
        ;
    EXPECT(!hy_end_page_await(page, 10, &end));
    close(page);
    raw_close(&client);
    shared_service_finish(&service);
}

/* ---- A service that sends something else ----------------------------------------------------- */

static struct {
    char dir[32], path[48];
    int listener, end_page;
} other;

static void reply(struct hy_socket *peer, const struct hy_frame_header *call)
{
    const struct hy_hello hello = {
        .abi = HY_DRIVER_ABI, .pid = 815, .pidfd = -1, .end_page = other.end_page};
    const struct hy_opened opened = {
        .driver = "other", .sandbox = "", .abi = HY_DRIVER_ABI, .device_count = 1};
    const struct hy_description device = {
        .info = {.name = "other", .version = "1", .build_id = "", .feature_level = 1}};
    struct hy_outgoing frame;
    struct hy_error err;

    hy_outgoing_init(&frame);
    hy_reply_begin(&frame, call, 0);
    if (call->kind == HY_WIRE_HELLO)
        hy_hello_pack(&frame.body, &hello);
    else if (call->kind == HY_WIRE_OPEN)
        hy_opened_pack(&frame.body, &opened);
    else
        hy_description_pack(&frame.body, &device);
    EXPECT_INT(hy_frame_send(peer, &frame, HY_NO_DEADLINE, &err), HY_OK);
    hy_outgoing_finish(&frame);
}

/* Answers the first words of one client, cuts its page, and hangs up. */
static void *serve(void *unused)
{
    struct hy_socket peer;
    struct hy_incoming call;
    struct hy_error err;

    hy_socket_init(&peer, accept4(other.listener, NULL, NULL, SOCK_CLOEXEC));
    hy_incoming_init(&call);
    for (int i = 0; i < 3; i++) {
        EXPECT_INT(hy_frame_receive(&peer, &call, HY_NO_DEADLINE, &err), HY_OK);
        reply(&peer, &call.header);
    }
    (void)!ftruncate(other.end_page, 0);
    hy_incoming_finish(&call);
    hy_socket_finish(&peer);
    return unused;
}

static bool start_other(pthread_t *thread)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    strcpy(other.dir, "/tmp/halyard-shared-XXXXXX");
    if (!mkdtemp(other.dir))
        return false;
    snprintf(other.path, sizeof other.path, "%s/other", other.dir);
    strcpy(address.sun_path, other.path);
    other.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    return bind(other.listener, (const struct sockaddr *)&address, sizeof address) == 0 &&
           listen(other.listener, 1) == 0 && pthread_create(thread, NULL, serve, NULL) == 0;
}

static void end_other(pthread_t thread)
{
    pthread_join(thread, NULL);
    close(other.listener);
    close(other.end_page);
    unlink(other.path);
    rmdir(other.dir);
}

static char last_line[1024]; /* of the client's log */

static void receive_line(void *context, int32_t level, const char *text)
{
    (void)context, (void)level;
    snprintf(last_line, sizeof last_line, "%s", text);
}

static void await_loss(struct hy_service *client)
{
    struct hy_service_info info = {.pid = -1};

    for (int waited = 0; waited < TIMEOUT_MS && info.pid != 0; waited++) {
        hy_service_get_info(client, &info);
        poll(NULL, 0, 1);
    }
    EXPECT_INT(info.pid, 0);
}

/* The descriptor becomes the service's. The client opens it, and knows nothing of its end. */
static void expect_nothing_known(int end_page)
{
    static const struct hy_host host = {
        .struct_size = sizeof host, .abi = HY_DRIVER_ABI, .log = receive_line};
    static const struct hy_service_settings settings = {.program = "/nowhere",
                                                        .hang_timeout_seconds = 120};
    struct hy_service_launch launch = {.library = "", .arguments = "{}"};
    struct hy_service *client = NULL;
    struct hy_error err = {0};
    pthread_t thread;

    other.end_page = end_page;
    REQUIRE(end_page >= 0 && start_other(&thread));
    launch.socket = other.path;
    EXPECT_INT(hy_service_open(&launch, &settings, &host, &client, &err), HY_OK);
    if (client) {
        await_loss(client);
        EXPECT_CONTAINS(last_line, "(process 815) ended or closed the connection");
        hy_service_driver()->destroy(client);
    }
    end_other(thread);
}

static int memory(off_t bytes, int seals)
{
    const int fd = memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    EXPECT(ftruncate(fd, bytes) == 0 && fcntl(fd, F_ADD_SEALS, seals) == 0);
    return fd;
}

TEST(shared_end, client_of_a_service_that_sends_another_page_goes_on_and_knows_nothing)
{
    expect_nothing_known(open("/dev/zero", O_RDWR | O_CLOEXEC));
    expect_nothing_known(memory(0, F_SEAL_SHRINK | F_SEAL_GROW));
    expect_nothing_known(memory(4, 0));
    expect_nothing_known(
        memory(4, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL));
}
