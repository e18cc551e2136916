/* The program halyard-driverd: hostile drivers in it, ordinary ones, and calls by hand. */
#include "plugins/service/client/service.h"
#include "tests/kit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_MS = 60000 };

/* What a service says in the log of the app. */
static struct {
    pthread_mutex_t lock;
    char text[8192];
} logged = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void receive_line(void *context, int32_t level, const char *text)
{
    (void)context;
    (void)level;
    pthread_mutex_lock(&logged.lock);
    const size_t length = strlen(logged.text);
    snprintf(logged.text + length, sizeof logged.text - length, "%s\n", text);
    pthread_mutex_unlock(&logged.lock);
}

static const struct hy_host host = {
    .struct_size = sizeof host, .abi = HY_DRIVER_ABI, .log = receive_line};
static const struct hy_service_settings settings = {.program = DRIVERD_PATH,
                                                    .hang_timeout_seconds = 60};

static enum hy_code open_service(const char *library, const char *arguments,
                                 struct hy_service **service, struct hy_error *err)
{
    const struct hy_service_launch launch = {.library = library, .arguments = arguments};

    logged.text[0] = '\0';
    return hy_service_open(&launch, &settings, &host, service, err);
}

static void close_service(struct hy_service *service)
{
    if (service)
        hy_service_driver()->destroy(service);
}

/* ---- Hostile drivers ------------------------------------------------------------------------- */

/* Until the next call. */
static const char *arguments_for(const char *deed, const char *argument)
{
    static char text[256];
    snprintf(text, sizeof text, "{\"argument\":\"%s\",\"deed\":\"%s\"}", argument, deed);
    return text;
}

TEST(driverd, deeds_of_a_hostile_driver_fail_and_are_told_to_the_app)
{
    static const struct {
        const char *deed, *argument;
        int outcome;
        const char *line;
    } deeds[] = {
        {"read_file", "/etc/passwd", EACCES, "of /etc/passwd was refused"},
        {"read_with_signals_blocked", "/etc/passwd", EACCES, "of /etc/passwd was refused"},
        {"write_file", "/tmp/halyard-hostile", EACCES, "of /tmp/halyard-hostile was"},
        {"make_socket", "", EPERM, "system call socket ("},
        {"connect_socket", "", EPERM, "system call connect ("},
        {"execute", "/bin/true", EPERM, "system call execve ("},
        {"trace_parent", "", EPERM, "system call ptrace ("},
        {"kill_group", "", EPERM, "system call kill ("},
    };

    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        struct hy_service *service = NULL;
        struct hy_error err = {0};
        char outcome[64];

        snprintf(outcome, sizeof outcome, "%s came to %d", deeds[i].deed, deeds[i].outcome);
        EXPECT_INT(open_service(HOSTILE_PATH, arguments_for(deeds[i].deed, deeds[i].argument),
                                &service, &err),
                   HY_FAILED);
        EXPECT_CONTAINS(err.text, outcome);
        EXPECT_CONTAINS(logged.text, deeds[i].line);
        close_service(service);
    }
}

static void expect_known(const char *variable, bool known)
{
    struct hy_service *service = NULL;
    struct hy_error err = {0};
    char outcome[64];

    snprintf(outcome, sizeof outcome, "know_variable came to %d", known ? 0 : ENOENT);
    EXPECT_INT(open_service(HOSTILE_PATH, arguments_for("know_variable", variable), &service, &err),
               HY_FAILED);
    EXPECT_CONTAINS(err.text, outcome);
    close_service(service);
}

TEST(driverd, variables_of_the_app_are_not_the_driver_s_to_know)
{
    REQUIRE(setenv("SECRET_OF_THE_APP", "1", 1) == 0 && setenv("LC_TEST", "1", 1) == 0);
    expect_known("SECRET_OF_THE_APP", false);
    expect_known("PATH", false);
    expect_known("LC_TEST", true);
    REQUIRE(setenv("HALYARD_SERVICE_ENVIRONMENT", "SECRET_*", 1) == 0);
    expect_known("SECRET_OF_THE_APP", true);
    unsetenv("HALYARD_SERVICE_ENVIRONMENT");
    unsetenv("SECRET_OF_THE_APP");
    unsetenv("LC_TEST");
}

/* An app that waits for such a driver for ever. */
static _Noreturn void be_an_app(const char *fifo)
{
    const struct hy_service_launch launch = {.library = HOSTILE_PATH,
                                             .arguments = arguments_for("hang", fifo),
                                             .device_files = &fifo,
                                             .device_file_count = 1};
    struct hy_service *service = NULL;

    _exit(hy_service_open(&launch, &settings, &host, &service, NULL) == HY_OK ? 0 : 2);
}

static bool can_be_read(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    return poll(&look, 1, TIMEOUT_MS) == 1;
}

TEST(driverd, ends_soon_after_the_app_also_with_a_driver_that_does_not_come_back)
{
    char dir[] = "/tmp/halyard-driverd-XXXXXX", fifo[64], byte;

    REQUIRE(mkdtemp(dir) != NULL);
    snprintf(fifo, sizeof fifo, "%s/fifo", dir);
    REQUIRE(mkfifo(fifo, 0600) == 0);
    const int reader = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    fflush(stdout);
    const pid_t app = fork();
    if (app == 0)
        be_an_app(fifo);
    REQUIRE(app > 0);
    const bool hangs = can_be_read(reader) && read(reader, &byte, 1) == 1;
    EXPECT(hangs);
    kill(app, SIGKILL);
    waitpid(app, NULL, 0);
    EXPECT(hangs && can_be_read(reader) && read(reader, &byte, 1) == 0); /* nobody has it open */
    close(reader);
    unlink(fifo);
    rmdir(dir);
}

/* ---- Ordinary ones --------------------------------------------------------------------------- */

static void expect_at_home(const char *library)
{
    struct hy_service *service = NULL;
    struct hy_service_info info = {0};
    struct hy_error err = {0};

    const enum hy_code code = open_service(library, "{}", &service, &err);
    EXPECT_STR(err.text, "");
    REQUIRE(code == HY_OK);
    hy_service_get_info(service, &info);
    EXPECT(info.pid > 0 && info.pid != getpid());
    EXPECT_CONTAINS(info.sandbox, "seccomp");
    EXPECT(!strstr(logged.text, "was refused"));
    close_service(service);
}

TEST(driverd, ordinary_drivers_meet_no_refusal)
{
    expect_at_home("");
    expect_at_home(SAMPLE_PATH);
#ifdef XNNPACK_PATH
    expect_at_home(XNNPACK_PATH);
#endif
}

/* ---- By hand --------------------------------------------------------------------------------- */

static int status_of(const char *argument)
{
    char program[] = DRIVERD_PATH, *const arguments[] = {program, (char *)argument, NULL};
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t child;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 3, "/dev/null", O_RDONLY, 0);
    if (posix_spawn(&child, program, &actions, NULL, arguments, environ) == 0)
        (void)waitpid(child, &status, 0);
    posix_spawn_file_actions_destroy(&actions);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(driverd, refuses_to_be_started_by_hand)
{
    EXPECT_INT(status_of(NULL), 2);
    EXPECT_INT(status_of("--private"), 2); /* 3 is no socket */
}
