#include "plugins/service/server/threads.h"

#include <signal.h>

/* These signals stay unblocked: a blocked fault kills the process, and the guards of memory and
 * system calls rely on the handlers. */
static const int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};

bool hy_server_thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
    sigset_t mask, before;

    sigfillset(&mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&mask, faults[i]);
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    const bool started = pthread_create(thread, NULL, run, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}
