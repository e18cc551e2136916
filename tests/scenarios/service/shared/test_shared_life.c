/* A shared service from its start to its end. */
#include "raw_client.h"
#include "shared_service.h"
#include "tests/kit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const cpu[] = {"--cpu", NULL};

static bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/* A socket that a process has left which did not end as it should. */
static bool leave_stale_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    strcpy(address.sun_path, path);
    const bool good =
        bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1) == 0;
    close(fd);
    return good;
}

TEST(shared_life, socket_has_its_mode_and_goes_with_the_service)
{
    static const char *const arguments[] = {"--cpu", "--socket-mode", "0640", NULL};
    struct shared_service service;
    struct stat info = {0};
    int status;

    REQUIRE(shared_service_init(&service));
    EXPECT(shared_service_start(&service, arguments, &status));
    EXPECT(lstat(service.socket, &info) == 0 && S_ISSOCK(info.st_mode));
    EXPECT_INT(info.st_mode & 0777, 0640);
    EXPECT_INT(shared_service_end(&service, SIGTERM), 0);
    EXPECT(!exists(service.socket));
    shared_service_finish(&service);
}

TEST(shared_life, socket_of_a_dead_service_is_replaced)
{
    struct shared_service service;
    struct raw_client client;
    int status;

    REQUIRE(shared_service_init(&service));
    REQUIRE(leave_stale_socket(service.socket));
    EXPECT(shared_service_start(&service, cpu, &status));
    EXPECT(raw_begin(&client, service.socket, "", "{}"));
    raw_close(&client);
    shared_service_finish(&service);
}

TEST(shared_life, socket_of_a_living_service_is_left_alone)
{
    struct shared_service service, second;
    struct raw_client client;
    int status;

    REQUIRE(shared_service_init(&service));
    REQUIRE(shared_service_start(&service, cpu, &status));
    second = service;
    EXPECT(!shared_service_start(&second, cpu, &status));
    EXPECT_INT(status, 2);
    EXPECT(shared_service_logs(&service, "another service listens on ", 1));
    EXPECT(raw_begin(&client, service.socket, "", "{}"));
    raw_close(&client);
    shared_service_finish(&service);
}

TEST(shared_life, file_that_is_no_socket_is_left_alone)
{
    struct shared_service service;
    int status;

    REQUIRE(shared_service_init(&service));
    close(open(service.socket, O_CREAT | O_WRONLY, 0600));
    EXPECT(!shared_service_start(&service, cpu, &status));
    EXPECT_INT(status, 2);
    EXPECT(exists(service.socket));
    EXPECT(shared_service_logs(&service, "exists and is not a socket", 1));
    shared_service_finish(&service);
}

TEST(shared_life, driver_that_cannot_be_opened_ends_the_service)
{
    struct shared_service service;
    char manifest[96];
    int status;

    REQUIRE(shared_service_init(&service));
    snprintf(manifest, sizeof manifest, "%s/none.json", service.dir);
    FILE *file = fopen(manifest, "w");
    REQUIRE(file != NULL);
    fputs("{\"file_format_version\":\"1.0.0\",\"driver\":"
          "{\"library_path\":\"./libnone.so\",\"abi\":\"1.0\"}}",
          file);
    fclose(file);
    const char *const arguments[] = {"--manifest", manifest, NULL};
    EXPECT(!shared_service_start(&service, arguments, &status));
    EXPECT_INT(status, 1);
    EXPECT(shared_service_logs(&service, "libnone.so", 1));
    EXPECT(!exists(service.socket));
    shared_service_finish(&service);
}

TEST(shared_life, clients_are_told_of_the_end)
{
    struct shared_service service;
    struct raw_client client;
    struct hy_error err;
    int status;

    REQUIRE(shared_service_init(&service));
    REQUIRE(shared_service_start(&service, cpu, &status));
    EXPECT(raw_begin(&client, service.socket, "", "{}"));
    EXPECT_INT(shared_service_end(&service, SIGTERM), 0);
    EXPECT_INT(hy_frame_receive(&client.control, &client.reply, HY_NO_DEADLINE, &err), HY_OK);
    EXPECT_INT(client.reply.header.kind, HY_WIRE_BYE);
    EXPECT_INT(hy_frame_receive(&client.control, &client.reply, HY_NO_DEADLINE, &err), HY_DEAD);
    raw_close(&client);
    shared_service_finish(&service);
}

TEST(shared_life, death_of_the_driver_s_process_ends_the_service)
{
    struct shared_service service;
    int status;

    REQUIRE(shared_service_init(&service));
    REQUIRE(shared_service_start(&service, cpu, &status));
    const pid_t host = shared_service_host(&service);
    REQUIRE(host > 0);
    kill(host, SIGKILL);
    EXPECT_INT(shared_service_end(&service, 0), 1);
    EXPECT(shared_service_logs(&service, "was ended by SIGKILL (9)", 1));
    EXPECT(!exists(service.socket));
    shared_service_finish(&service);
}

TEST(shared_life, death_of_the_doorman_ends_the_driver_s_process)
{
    struct shared_service service;
    struct holdings holdings;
    int status;

    REQUIRE(shared_service_init(&service));
    REQUIRE(shared_service_start(&service, cpu, &status));
    const pid_t host = shared_service_host(&service);
    REQUIRE(host > 0);
    EXPECT_INT(shared_service_end(&service, SIGKILL), -SIGKILL);
    for (int waited = 0; holdings_of(host, &holdings) && holdings.fds > 0 && waited < TIMEOUT_MS;
         waited += 10)
        usleep(10000);
    EXPECT(!holdings_of(host, &holdings) || holdings.fds == 0); /* gone, or a zombie */
    shared_service_finish(&service);
}

TEST(shared_life, log_tells_of_the_start_and_the_end)
{
    struct shared_service service;
    struct raw_client client;
    char start[160], end[96];
    int status;

    REQUIRE(shared_service_init(&service));
    REQUIRE(shared_service_start(&service, cpu, &status));
    snprintf(start, sizeof start, " at %s, in process %d\n", service.socket,
             (int)shared_service_host(&service));
    EXPECT(shared_service_logs(&service, "serves halyard-cpu (halyard-cpu", 1));
    EXPECT(shared_service_logs(&service, start, 1));
    EXPECT(raw_begin(&client, service.socket, "", "{}"));
    raw_close(&client);
    EXPECT(shared_service_logs(&service, "has left", 1));
    EXPECT_INT(shared_service_end(&service, SIGTERM), 0);
    snprintf(end, sizeof end,
             "s, on SIGTERM from process %d (user %u); clients: 1, calls: ", (int)getpid(),
             getuid());
    EXPECT(shared_service_logs(&service, end, 1));
    shared_service_finish(&service);
}

TEST(shared_life, log_tells_of_an_end_that_nobody_has_asked_for)
{
    struct shared_service service;
    char end[96];
    int status;

    REQUIRE(shared_service_init(&service));
    REQUIRE(shared_service_start(&service, cpu, &status));
    const pid_t host = shared_service_host(&service);
    REQUIRE(host > 0);
    kill(host, SIGKILL);
    EXPECT_INT(shared_service_end(&service, 0), 1);
    snprintf(end, sizeof end,
             "s, as the process of the driver (%d) has ended; clients: 0, calls: 0", (int)host);
    EXPECT(shared_service_logs(&service, end, 1));
    shared_service_finish(&service);
}

TEST(shared_life, service_without_clients_ends_when_it_should)
{
    static const char *const arguments[] = {"--cpu", "--idle-seconds", "1", NULL};
    struct shared_service service;
    int status;

    REQUIRE(shared_service_init(&service));
    REQUIRE(shared_service_start(&service, arguments, &status));
    EXPECT_INT(shared_service_end(&service, 0), 0);
    EXPECT(!exists(service.socket));
    EXPECT(
        shared_service_logs(&service, "s, after a time without clients; clients: 0, calls: 0", 1));
    shared_service_finish(&service);
}

/* ---- Handed over ----------------------------------------------------------------------------- */

/* As whoever activates services does: the socket is descriptor 3, and LISTEN_PID the process. */
static _Noreturn void become_activated(int listening, const char *idle_seconds)
{
    char pid[16];

    snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv("LISTEN_PID", pid, 1);
    setenv("LISTEN_FDS", "1", 1);
    if (dup2(listening, 3) != 3 || (listening == 3 && fcntl(3, F_SETFD, 0) != 0))
        _exit(3);
    execl(DRIVERD_PATH, "halyard-driverd", "--shared", "--cpu", "--idle-seconds", idle_seconds,
          (char *)NULL);
    _exit(3);
}

/* Listens where the service is going to. */
static int listen_for(const struct shared_service *service)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    strcpy(address.sun_path, service->socket);
    if (bind(listening, (const struct sockaddr *)&address, sizeof address) == 0 &&
        listen(listening, 8) == 0)
        return listening;
    close(listening);
    return -1;
}

static void activate(struct shared_service *service, int listening, const char *idle_seconds)
{
    fflush(stdout);
    service->pid = fork();
    if (service->pid == 0)
        become_activated(listening, idle_seconds);
}

TEST(shared_life, socket_that_is_handed_over_is_used_and_left)
{
    struct shared_service service;
    struct raw_client client;

    REQUIRE(shared_service_init(&service));
    const int listening = listen_for(&service);
    REQUIRE(listening >= 0);
    activate(&service, listening, "0");
    EXPECT(raw_begin(&client, service.socket, "", "{}")); /* it waits in the queue until then */
    raw_close(&client);
    EXPECT_INT(shared_service_end(&service, SIGTERM), 0);
    EXPECT(exists(service.socket));
    close(listening);
    shared_service_finish(&service);
}

/* The client waits in the queue before the service is there, which cannot end too early then. */
TEST(shared_life, service_that_serves_does_not_end_and_does_when_its_last_client_has_left)
{
    struct shared_service service;
    struct raw_client client;

    REQUIRE(shared_service_init(&service));
    const int listening = listen_for(&service);
    REQUIRE(listening >= 0);
    EXPECT(raw_connect(&client, service.socket));
    activate(&service, listening, "2");
    EXPECT_INT(raw_open(&client, "", "{}"), HY_STATUS_OK);
    poll(NULL, 0, 2500); /* longer than it stays without a client */
    EXPECT_INT(waitpid(service.pid, NULL, WNOHANG), 0);
    raw_close(&client);
    EXPECT_INT(shared_service_end(&service, 0), 0);
    close(listening);
    shared_service_finish(&service);
}
