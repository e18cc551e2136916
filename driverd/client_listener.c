#include "driverd/client_listener.h"

#include "common/clock.h"
#include "common/signal_name.h"
#include "driverd/notify.h"
#include "driverd/service_log.h"
#include "plugins/service/server/clients/accept_channel.h"

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
    PAUSE_MS = 100, /* after running out of descriptors or memory */
    END_MS = 5000,  /* time for the host to end by itself */
};

static void fill(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
}

void hy_client_listener_block_signals(void)
{
    sigset_t set;

    fill(&set);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
}

/* ---- Letting in ------------------------------------------------------------------------------ */

/* Accepts one client and passes the socket to the host. False: the host has ended. */
static bool let_in(int listening, int accept_channel)
{
    const int client = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

    if (client < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            (void)poll(NULL, 0, PAUSE_MS);
        return true;
    }
    const bool is_there = hy_accept_channel_send_client(accept_channel, client);
    close(client);
    return is_there;
}

/* Handles a message of the host. No client is accepted before the driver is open. False: the host
 * has ended. */
static bool handle_message(int listening, int accept_channel, struct pollfd *clients)
{
    switch (hy_accept_channel_receive(accept_channel)) {
    case HY_ACCEPT_CHANNEL_OPEN:
        clients->fd = listening;
        hy_notify("READY=1");
        return true;
    case HY_ACCEPT_CHANNEL_ALIVE:
        if (clients->fd >= 0)
            hy_notify("WATCHDOG=1");
        return true;
    case HY_ACCEPT_CHANNEL_CLOSED:
        break;
    }
    return false;
}

/* Serves until a signal to end arrives (true) or the host ends (false). */
static bool watch(int listening, int accept_channel, int signals)
{
    struct pollfd poll_fds[] = {{.fd = signals, .events = POLLIN},
                                {.fd = accept_channel, .events = POLLIN},
                                {.fd = -1, .events = POLLIN}};
    bool is_there = true;

    while (is_there) {
        if (poll(poll_fds, 3, -1) < 0)
            continue;
        if (poll_fds[0].revents)
            return true;
        if (poll_fds[1].revents)
            is_there = handle_message(listening, accept_channel, &poll_fds[2]);
        else if (poll_fds[2].revents)
            is_there = let_in(listening, accept_channel);
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
    snprintf(text, size, "on %s from process %u (user %u)", hy_signal_name((int)info.ssi_signo),
             info.ssi_pid, info.ssi_uid);
}

static void log_end(const char *why, int64_t start, const struct hy_serve_tally *tally)
{
    char line[320];

    snprintf(line, sizeof line,
             "ends after %" PRId64 " s, %s; clients: %" PRIuLEAST64 ", calls: %" PRIuLEAST64,
             (hy_clock_boot() - start) / INT64_C(1000000000), why, atomic_load(&tally->clients),
             atomic_load(&tally->calls));
    hy_service_note(HY_LOG_INFO, line);
}

/* Returns the exit status of the host. Writes the end page first, because clients wait for the
 * page. */
static int await(pid_t host, const struct hy_end_page *end_page)
{
    int status = 0;
    pid_t ended;

    kill_after(host, END_MS);
    do
        ended = waitpid(host, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended == host)
        hy_end_page_report(end_page, status);
    if (WIFSIGNALED(status))
        fprintf(stderr, "halyard-driverd: the process of the driver (%d) was ended by %s (%d)\n",
                (int)host, hy_signal_name(WTERMSIG(status)), WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int hy_client_listener_run(struct hy_listening *listening, int accept_channel, pid_t host,
                           const struct hy_end_page *end_page, const struct hy_serve_tally *tally)
{
    const int64_t start = hy_clock_boot();
    char why[160] = "after a time without clients";
    sigset_t set;

    fill(&set);
    const int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    const bool has_signal = watch(listening->fd, accept_channel, signals);
    hy_notify("STOPPING=1");
    hy_listening_close(listening);
    close(accept_channel);
    const int status = await(host, end_page);
    if (has_signal)
        describe_signal(signals, why, sizeof why);
    else if (status != 0)
        snprintf(why, sizeof why, "as the process of the driver (%d) has ended", (int)host);
    log_end(why, start, tally);
    close(signals);
    return has_signal ? 0 : status;
}
