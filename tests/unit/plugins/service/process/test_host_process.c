/* Host processes, and what the app notices of them: nothing. */
#include "plugins/service/process/fork.h"
#include "started.h"
#include "tests/kit/held.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* SIGTTOU is ignored. */
static const char as_it_should_be[] = "open 4 blocked 0 ignored 1 group 1 session 0 folder /";

static void before_fork(void)
{
    hy_processes_fork(HY_SERVICE_FORK_BEFORE);
}

static void in_parent(void)
{
    hy_processes_fork(HY_SERVICE_FORK_PARENT);
}

static void in_child(void)
{
    hy_processes_fork(HY_SERVICE_FORK_CHILD);
}

__attribute__((constructor)) static void guard_forks(void)
{
    (void)pthread_atfork(before_fork, in_parent, in_child);
}

/* Starts one, sees that it is as it should be, and ends it. */
static bool starts_well(void)
{
    char report[256] = "";
    struct hy_host_process *process = started();
    if (!process)
        return false;

    bool good =
        started_read_info(process, report, sizeof report) && strcmp(report, as_it_should_be) == 0;
    if (!good)
        hy_test_fail(__FILE__, __LINE__, "the host says: %s", report);
    hy_host_process_kill(process);
    good &= started_has_ended(hy_host_process_pidfd(process));
    hy_host_process_destroy(process);
    return good;
}

/* The exit status of a child that does one thing; failures in it are printed, not counted. */
static int child_status(bool (*act)(void))
{
    int status = -1;

    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        _exit(act() ? 0 : 2);
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

TEST(host_process, has_its_control_socket_and_nothing_else_of_the_app)
{
    char report[256] = "";
    sigset_t all, before;
    const int surplus = open("/dev/null", O_RDONLY); /* not even closed on exec */

    sigfillset(&all);
    REQUIRE(signal(SIGUSR1, SIG_IGN) != SIG_ERR);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct hy_host_process *process = started();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    REQUIRE(process != NULL);

    EXPECT(started_read_info(process, report, sizeof report));
    EXPECT_STR(report, as_it_should_be);
    EXPECT(hy_host_process_pid(process) > 0);
    EXPECT_INT(getsid(hy_host_process_pid(process)), getsid(0));
    EXPECT(hy_host_process_is_here(process));
    hy_host_process_destroy(process);
    signal(SIGUSR1, SIG_DFL);
    close(surplus);
}

static atomic_uint child_signals;

static void count_child_signal(int signal)
{
    (void)signal;
    child_signals++;
}

TEST(host_process, shows_in_no_wait_and_raises_no_signal)
{
    struct sigaction action = {.sa_handler = count_child_signal}, before;

    REQUIRE(sigaction(SIGCHLD, &action, &before) == 0);
    struct hy_host_process *process = started();
    REQUIRE(process != NULL);
    EXPECT(started_left_no_child());
    hy_host_process_kill(process);
    EXPECT(started_has_ended(hy_host_process_pidfd(process)));
    EXPECT(started_left_no_child());
    EXPECT_INT(child_signals, 0);
    hy_host_process_destroy(process);
    sigaction(SIGCHLD, &before, NULL);
}

static atomic_bool waiting_is_over;
static atomic_uint strangers;

/* An app with children of its own, which takes whatever child there is. */
static void *wait_for_anything(void *argument)
{
    while (!waiting_is_over) {
        const pid_t child = waitpid(-1, NULL, 0);
        strangers += child > 0 && child != *(const pid_t *)argument;
    }
    return NULL;
}

TEST(host_process, does_not_show_to_a_thread_that_waits_for_all_children)
{
    pthread_t waiter;
    fflush(stdout);
    pid_t own = fork(); /* so that there is something to wait for */
    if (own == 0) {
        pause();
        _exit(0);
    }
    REQUIRE(own > 0);
    REQUIRE(pthread_create(&waiter, NULL, wait_for_anything, &own) == 0);
    for (int i = 0; i < 50; i++)
        EXPECT(starts_well());
    waiting_is_over = true;
    kill(own, SIGKILL);
    pthread_join(waiter, NULL);
    EXPECT_INT(strangers, 0);
}

TEST(host_process, a_thousand_starts_leave_no_descriptor_memory_or_child)
{
    enum { STARTS = 1000 / HY_SLOWNESS };
    struct hy_held before, after;

    EXPECT(starts_well());
    REQUIRE(hy_held_look(&before));
    for (int i = 0; i < STARTS; i++) {
        struct hy_host_process *process = started();
        REQUIRE(process != NULL);
        hy_host_process_destroy(process);
    }
    REQUIRE(hy_held_wait_released(&before, &after));
    EXPECT_INT(after.files, before.files);
    EXPECT(after.maps <= before.maps + 1);
    EXPECT(started_left_no_child());
}

struct starter {
    bool good;
};

static void start_some(void *argument)
{
    struct starter *starter = argument;

    starter->good = true;
    for (int i = 0; i < 10; i++)
        starter->good &= starts_well();
}

TEST(host_process, eight_threads_may_start_some_at_once)
{
    struct starter starters[8] = {0};

    REQUIRE(hy_threads_run(8, start_some, starters, sizeof *starters));
    for (int i = 0; i < 8; i++)
        EXPECT(starters[i].good);
    EXPECT(started_left_no_child());
}

static void *start_one(void *argument)
{
    *(struct hy_host_process **)argument = started();
    return NULL;
}

TEST(host_process, outlives_the_thread_that_started_it)
{
    struct hy_host_process *process = NULL;
    char reply[256];
    pthread_t thread;

    REQUIRE(pthread_create(&thread, NULL, start_one, &process) == 0);
    pthread_join(thread, NULL);
    REQUIRE(process != NULL);
    EXPECT(started_read_info(process, reply, sizeof reply));
    EXPECT(send(hy_host_process_control(process), "here", 4, MSG_NOSIGNAL) == 4);
    EXPECT(started_read_info(process, reply, sizeof reply));
    EXPECT_STR(reply, "here");
    hy_host_process_destroy(process);
}

/* An app that starts one, tells which, and waits for its end. */
static _Noreturn void be_an_app(int report_fd)
{
    struct hy_host_process *process = started();
    const pid_t pid = process ? hy_host_process_pid(process) : -1;

    (void)!write(report_fd, &pid, sizeof pid);
    for (;;)
        pause();
}

TEST(host_process, ends_when_the_app_is_killed)
{
    int notified[2];
    pid_t host = -1;

    REQUIRE(pipe2(notified, O_CLOEXEC) == 0);
    fflush(stdout);
    const pid_t app = fork();
    if (app == 0)
        be_an_app(notified[1]);
    REQUIRE(app > 0);
    EXPECT(read(notified[0], &host, sizeof host) == sizeof host && host > 0);
    const int pidfd = (int)syscall(SYS_pidfd_open, host, 0);
    EXPECT(pidfd >= 0);
    kill(app, SIGKILL);
    waitpid(app, NULL, 0);
    EXPECT(started_has_ended(pidfd));
    close(pidfd);
    close(notified[0]);
    close(notified[1]);
}

TEST(host_process, is_not_kept_by_a_child_of_the_app)
{
    struct hy_host_process *process = started();
    REQUIRE(process != NULL);
    const int pidfd = dup(hy_host_process_pidfd(process));

    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        hy_host_process_kill(process); /* which does nothing here */
        pause();
        _exit(0);
    }
    REQUIRE(child > 0);
    hy_host_process_destroy(process);
    EXPECT(started_has_ended(pidfd));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(pidfd);
}

static struct hy_host_process *of_the_parent;

static bool leave_it_and_start_another(void)
{
    const bool is_mine = hy_host_process_is_here(of_the_parent);

    hy_host_process_kill(of_the_parent);
    hy_host_process_destroy(of_the_parent);
    return !is_mine && starts_well();
}

TEST(host_process, of_the_parent_is_closed_in_a_child_which_may_start_its_own)
{
    char report[256];

    of_the_parent = started();
    REQUIRE(of_the_parent != NULL);
    EXPECT_INT(child_status(leave_it_and_start_another), 0);
    EXPECT(started_read_info(of_the_parent, report, sizeof report));
    EXPECT(send(hy_host_process_control(of_the_parent), "alive", 5, MSG_NOSIGNAL) == 5);
    EXPECT(started_read_info(of_the_parent, report, sizeof report));
    EXPECT_STR(report, "alive");
    hy_host_process_destroy(of_the_parent);
}

static bool start_without_stdio(void)
{
    for (int fd = 0; fd < 4; fd++)
        close(fd);
    return starts_well();
}

TEST(host_process, starts_where_the_app_has_closed_its_standard_descriptors)
{
    EXPECT_INT(child_status(start_without_stdio), 0);
}

TEST(host_process, list_of_processes_shows_driver_and_app)
{
    struct hy_host_process *process = started();
    char path[64], line[256] = "", wanted[256], report[256];

    REQUIRE(process != NULL);
    REQUIRE(started_read_info(process, report, sizeof report)); /* it has been loaded */
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)hy_host_process_pid(process));
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = read(fd, line, sizeof line - 1);
    close(fd);
    for (ssize_t i = 0; i + 1 < length; i++)
        line[i] = line[i] == '\0' ? ' ' : line[i];
    snprintf(wanted, sizeof wanted, "halyard-driverd --private libacme.so %s",
             program_invocation_short_name);
    EXPECT_STR(line, wanted);
    hy_host_process_destroy(process);
}

/* Whether a host greets on stderr, which is a pipe, or (not `is_open`) closed, so that the control
 * socket takes its place. */
static bool greets(bool is_open, bool inherits_stderr)
{
    const struct hy_host_launch launch = {
        .program = STAND_IN_PATH, .driver = "libacme.so", .inherits_stderr = inherits_stderr};
    struct hy_host_process *process = NULL;
    struct hy_error err;
    char text[64] = "";
    int pipe_ends[2];

    if (pipe2(pipe_ends, O_CLOEXEC) != 0 || dup2(pipe_ends[1], STDERR_FILENO) < 0)
        _exit(3);
    close(pipe_ends[1]);
    if (!is_open)
        close(STDERR_FILENO);
    if (hy_host_process_start(&launch, &process, &err) != HY_OK ||
        !started_read_info(process, text, sizeof text))
        _exit(4);
    if (is_open)
        close(STDERR_FILENO);
    hy_host_process_destroy(process);
    /* To its end, when the host has closed it. */
    return read(pipe_ends[0], text, sizeof text) > 0 && memcmp(text, "greetings", 9) == 0;
}

static bool start_with_stderr(void)
{
    return greets(true, true);
}

static bool drop_stderr(void)
{
    return !greets(true, false);
}

static bool start_without_stderr(void)
{
    return !greets(false, true);
}

TEST(host_process, keeps_stderr_where_it_is_asked_to_and_there_is_one)
{
    EXPECT_INT(child_status(start_with_stderr), 0);
    EXPECT_INT(child_status(drop_stderr), 0);
    EXPECT_INT(child_status(start_without_stderr), 0);
}

/* Makes a terminal that this process controls, which programs in the background must not write to,
 * and stderr of it. Its other end, or -1. */
static int open_terminal(void)
{
    struct termios mode;
    const int other = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (other < 0 || grantpt(other) != 0 || unlockpt(other) != 0 || setsid() < 0)
        return -1;
    const int terminal = open(ptsname(other), O_RDWR | O_CLOEXEC);
    if (terminal < 0 || tcgetattr(terminal, &mode) != 0)
        return -1;
    mode.c_lflag |= TOSTOP;
    if (tcsetattr(terminal, TCSANOW, &mode) != 0 || dup2(terminal, STDERR_FILENO) < 0)
        return -1;
    return other;
}

static bool greet_on_terminal(void)
{
    const struct hy_host_launch launch = {
        .program = STAND_IN_PATH, .driver = "libacme.so", .inherits_stderr = true};
    struct hy_host_process *process = NULL;
    struct hy_error err;
    char text[256] = "";
    const int other = open_terminal();

    if (other < 0)
        _exit(3);
    if (hy_host_process_start(&launch, &process, &err) != HY_OK)
        _exit(4);
    const bool responds = started_read_info(process, text, sizeof text); /* after its greeting */
    hy_host_process_destroy(process);
    struct pollfd look = {.fd = other, .events = POLLIN};
    return responds && poll(&look, 1, 0) == 1 && read(other, text, sizeof text) > 0 &&
           memcmp(text, "greetings", 9) == 0;
}

TEST(host_process, writes_to_a_terminal_that_stops_programs_in_the_background)
{
    EXPECT_INT(child_status(greet_on_terminal), 0);
}

static bool start_without_proc(void)
{
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/proc", "tmpfs", 0, NULL) != 0)
        _exit(77);
    return access("/proc/self", F_OK) != 0 && starts_well();
}

TEST(host_process, starts_in_a_container_without_proc)
{
    const int status = child_status(start_without_proc);

    EXPECT(status == 0 || WEXITSTATUS(status) == 77); /* 77: no containers for us here */
}

static void expect_refused(const char *program, const char *reason)
{
    const struct hy_host_launch launch = {.program = program, .driver = "libacme.so"};
    struct hy_host_process *process = NULL;
    struct hy_held before, after;
    struct hy_error err = {0};

    REQUIRE(hy_held_look(&before));
    EXPECT_INT(hy_host_process_start(&launch, &process, &err), HY_FAILED);
    EXPECT(process == NULL);
    EXPECT_CONTAINS(err.text, program);
    EXPECT_CONTAINS(err.text, "execve");
    EXPECT_CONTAINS(err.text, reason);
    REQUIRE(hy_held_wait_released(&before, &after));
    EXPECT_INT(after.files, before.files);
    EXPECT(started_left_no_child());
}

TEST(host_process, program_that_cannot_be_run_is_told_with_its_path_and_the_reason)
{
    expect_refused("/nowhere/halyard-driverd", "No such file or directory (2)");
    expect_refused("/dev", "Permission denied (13)");
    expect_refused("/dev/null", "Permission denied (13)");
}
