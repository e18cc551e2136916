/*
 * Stands for halyard-driverd: tells over its control socket how it was started, and ends when that
 * hangs up. What it is sent, it sends back. On stderr it greets.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONTROL = 3 };

static unsigned count_open(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 4096; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static unsigned count_blocked(void)
{
    sigset_t mask;
    unsigned count = 0;

    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int signal = 1; signal < NSIG; signal++)
        count += sigismember(&mask, signal) == 1;
    return count;
}

/* Handlers do not outlive exec; a sanitizer may have set some of its own since. */
static unsigned count_ignored(void)
{
    struct sigaction action;
    unsigned count = 0;

    for (int signal = 1; signal < NSIG; signal++)
        count += sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
    return count;
}

int main(int argc, char **argv)
{
    char text[256], dir[64] = "";

    if (argc != 4 || strcmp(argv[1], "--private") != 0)
        return 2;
    fputs("greetings\n", stderr);
    (void)!getcwd(dir, sizeof dir);
    int length =
        snprintf(text, sizeof text, "open %u blocked %u ignored %u group %d session %d folder %s",
                 count_open(), count_blocked(), count_ignored(), getpgrp() == getpid(),
                 getsid(0) == getpid(), dir);
    if (send(CONTROL, text, (size_t)length, MSG_NOSIGNAL) != length)
        return 1;
    for (;;) {
        ssize_t got = recv(CONTROL, text, sizeof text, 0);
        if (got <= 0 || send(CONTROL, text, (size_t)got, MSG_NOSIGNAL) != got)
            return 0;
    }
}
