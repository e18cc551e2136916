/*
 * HELLO between an app and a driver host of another version of the driver ABI, both ways: the words
 * name the plugin and both versions.
 */
#include "plugins/service/client/service.h"
#include "plugins/service/wire/reply.h"
#include "plugins/service/wire/session.h"
#include "tests/kit/test.h"

#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONTROL 3 /* the socket that a host is started with */
#define ROLE    "HALYARD_TEST_HELLO"

extern char **environ;

/* ---- A host of another version: this program, started as one --------------------------------- */

static void be_a_host(void)
{
    const struct hy_hello hello = {
        .abi = HY_ABI(2, 3), .pid = (int32_t)getpid(), .pidfd = -1, .end_page = -1};
    struct hy_outgoing reply;
    struct hy_incoming received;
    struct hy_socket control;
    struct hy_error err;

    hy_socket_init(&control, CONTROL);
    hy_outgoing_init(&reply);
    hy_incoming_init(&received);
    if (hy_frame_receive(&control, &received, HY_NO_DEADLINE, &err) != HY_OK)
        _exit(1);
    hy_reply_begin(&reply, &received.header, 0);
    hy_hello_pack(&reply.body, &hello);
    if (hy_frame_send(&control, &reply, HY_NO_DEADLINE, &err) != HY_OK)
        _exit(1);
    (void)!hy_frame_receive(&control, &received, HY_NO_DEADLINE, &err); /* until the app lets go */
    _exit(0);
}

__attribute__((constructor)) static void choose_role(void)
{
    struct stat info;
    if (getenv(ROLE) && fstat(CONTROL, &info) == 0 && S_ISSOCK(info.st_mode))
        be_a_host();
}

static void drop_line(void *context, int32_t level, const char *text)
{
    (void)context, (void)level, (void)text;
}

TEST(driver_abi_hello, a_host_of_another_major_version_is_refused)
{
    const struct hy_host host = {
        .struct_size = sizeof host, .abi = HY_DRIVER_ABI, .log = drop_line};
    const struct hy_service_settings settings = {.program = "/proc/self/exe",
                                                 .hang_timeout_seconds = 60};
    const struct hy_service_launch launch = {.library = FROZEN_DRIVER, .arguments = "{}"};
    struct hy_service *service = NULL;
    struct hy_error err = {0};

    setenv(ROLE, "host", 1);
    EXPECT_INT(hy_service_open(&launch, &settings, &host, &service, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "the driver ABI of its process is 2.3, Halyard has 1.1");
    if (service)
        hy_service_driver()->destroy(service);
    unsetenv(ROLE);
}

/* ---- An app of another version --------------------------------------------------------------- */

static pid_t start_driverd(int socket)
{
    posix_spawn_file_actions_t actions;
    char *const arguments[] = {DRIVERD, "--private", NULL};
    pid_t pid = -1;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, socket, CONTROL);
    if (posix_spawn(&pid, DRIVERD, &actions, NULL, arguments, environ) != 0)
        pid = -1;
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static void expect_answer(struct hy_socket *control, uint32_t abi, int32_t status,
                          const char *expected)
{
    const struct hy_hello hello = {
        .abi = abi, .pid = (int32_t)getpid(), .pidfd = -1, .end_page = -1};
    struct hy_arena arena = {0};
    struct hy_outgoing call;
    struct hy_incoming reply;
    struct hy_unpack in;
    struct hy_error err = {0};

    hy_outgoing_init(&call);
    hy_incoming_init(&reply);
    hy_outgoing_begin(&call, HY_WIRE_HELLO, 0);
    hy_hello_pack(&call.body, &hello);
    EXPECT_INT(hy_frame_send(control, &call, HY_NO_DEADLINE, &err), HY_OK);
    EXPECT_INT(hy_frame_receive(control, &reply, HY_NO_DEADLINE, &err), HY_OK);
    EXPECT_INT(reply.header.status, status);
    if (expected) {
        hy_incoming_unpack(&reply, &arena, &in, &err);
        EXPECT_CONTAINS(hy_unpack_text(&in), expected);
    }
    hy_arena_finish(&arena);
    hy_outgoing_finish(&call);
    hy_incoming_clear(&reply);
    hy_incoming_finish(&reply);
}

static void greet_as(uint32_t abi, int32_t status, const char *expected)
{
    int sockets[2];
    struct hy_socket control;

    REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0);
    const pid_t pid = start_driverd(sockets[1]);
    REQUIRE(pid > 0);
    close(sockets[1]);
    hy_socket_init(&control, sockets[0]);
    expect_answer(&control, abi, status, expected);
    close(sockets[0]);
    waitpid(pid, NULL, 0);
}

TEST(driver_abi_hello, an_app_of_another_major_version_is_refused)
{
    greet_as(HY_ABI(2, 3), HY_STATUS_GENERAL_FAILURE,
             "the driver ABI of the app is 2.3, Halyard has 1.1");
    greet_as(HY_ABI(0, 1), HY_STATUS_GENERAL_FAILURE,
             "the driver ABI of the app is 0.1, Halyard has 1.1");
}

TEST(driver_abi_hello, another_minor_version_is_welcome)
{
    greet_as(HY_ABI(1, 7), HY_STATUS_OK, NULL);
}
