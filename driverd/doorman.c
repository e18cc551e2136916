#include "driverd/doorman.h"

#include "common/clock.h"
#include "common/signal_name.h"
#include "driverd/notify.h"
#include "driverd/service_log.h"
#include "plugins/service/server/clients/door.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PAUSE_MS = 100, /* when no descriptor is left for the next client */
    END_MS = 5000,  /* that a host has for its end, which takes it less */
};

static void fill(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
}

void hy_doorman_block_signals(void)
{
    sigset_t set;

    fill(&set);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
}

/* ---- Letting in ------------------------------------------------------------------------------ */

/* False: the host has ended. */
static bool let_in(int listening, int door)
{
    const int client = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

    if (client < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            (void)poll(NULL, 0, PAUSE_MS);
        return true;
    }
    const bool is_there = hy_door_hand_in(door, client);
    close(client);
    return is_there;
}

/* What the host says. Nobody is let in before its driver is open. False: the host has ended. */
static bool hear(int listening, int door, struct pollfd *clients)
{
    switch (hy_door_hear(door)) {
    case HY_DOOR_OPEN:
        clients->fd = listening;
        hy_notify("READY=1");
        return true;
    case HY_DOOR_ALIVE:
        if (clients->fd >= 0)
            hy_notify("WATCHDOG=1");
        return true;
    case HY_DOOR_OVER:
        break;
    }
    return false;
}

/* Returns when it is told to end (true), or the host has ended. */
static bool watch(int listening, int door, int signals)
{
    struct pollfd places[] = {{.fd = signals, .events = POLLIN},
                              {.fd = door, .events = POLLIN},
                              {.fd = -1, .events = POLLIN}};
    bool is_there = true;

    while (is_there) {
        if (poll(places, 3, -1) < 0)
            continue;
        if (places[0].revents)
            return true;
        if (places[1].revents)
            is_there = hear(listening, door, &places[2]);
        else if (places[2].revents)
            is_there = let_in(listening, door);
    }
    return false;
}

/* ---- The end --------------------------------------------------------------------------------- */

static void kill_after(pid_t host, int milliseconds)
{
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, host, 0), .events = POLLIN};

    if (end.fd < 0 || poll(&end, 1, milliseconds) == 1) {
        if (end.fd >= 0)
            close(end.fd);
        return;
    }
    (void)kill(host, SIGKILL);
    close(end.fd);
}

/* "as SIGTERM of process 1 (user 0) said". */
static void describe_signal(int signals, char *text, size_t size)
{
    struct signalfd_siginfo info = {0};

    if (read(signals, &info, sizeof info) != (ssize_t)sizeof info)
        info.ssi_signo = SIGTERM;
    snprintf(text, size, "as %s of process %u (user %u) said", hy_signal_name((int)info.ssi_signo),
             info.ssi_pid, info.ssi_uid);
}

static void tell_end(const char *why, int64_t start, const struct hy_serve_tally *tally)
{
    char line[320];

    snprintf(line, sizeof line,
             "ends after %" PRId64 " s, %s; clients: %" PRIuLEAST64 ", calls: %" PRIuLEAST64,
             (hy_clock_boot() - start) / INT64_C(1000000000), why, atomic_load(&tally->clients),
             atomic_load(&tally->calls));
    hy_service_note(HY_LOG_INFO, line);
}

/* The exit status of the host. Its clients wait for the page, and hear first. */
static int await(pid_t host, const struct hy_end_page *end_page)
{
    int status = 0;
    pid_t ended;

    kill_after(host, END_MS);
    do
        ended = waitpid(host, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended == host)
        hy_end_page_tell(end_page, status);
    if (WIFSIGNALED(status))
        fprintf(stderr, "halyard-driverd: the process of the driver (%d) was ended by %s (%d)\n",
                (int)host, hy_signal_name(WTERMSIG(status)), WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int hy_doorman_work(struct hy_listening *listening, int door, pid_t host,
                    const struct hy_end_page *end_page, const struct hy_serve_tally *tally)
{
    const int64_t start = hy_clock_boot();
    char why[160] = "as there was no client";
    sigset_t set;

    fill(&set);
    const int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    const bool is_told = watch(listening->fd, door, signals);
    hy_notify("STOPPING=1");
    hy_listening_close(listening);
    close(door);
    const int status = await(host, end_page);
    if (is_told)
        describe_signal(signals, why, sizeof why);
    else if (status != 0)
        snprintf(why, sizeof why, "as its process (%d) has ended", (int)host);
    tell_end(why, start, tally);
    close(signals);
    return is_told ? 0 : status;
}
