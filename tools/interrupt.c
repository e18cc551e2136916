#include "tools/interrupt.h"

#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t came;

static void note(int signal)
{
    came = signal;
}

void hy_interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART | SA_RESETHAND};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void hy_interrupt_leave(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

bool hy_interrupt_came(void)
{
    return came != 0;
}

void hy_interrupt_end(void)
{
    if (came == 0)
        return;
    fflush(NULL);
    signal(came, SIG_DFL);
    raise(came);
}
