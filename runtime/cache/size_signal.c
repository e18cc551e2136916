#include "runtime/cache/size_signal.h"

#include <pthread.h>
#include <stddef.h>
#include <time.h>

static sigset_t size_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

void hy_size_signal_hold(struct hy_size_signal *held)
{
    const sigset_t set = size_signals();
    (void)pthread_sigmask(SIG_BLOCK, &set, &held->before); /* fails only for invalid arguments */
}

void hy_size_signal_release(const struct hy_size_signal *held)
{
    const struct timespec at_once = {0};
    const sigset_t set = size_signals();
    sigset_t pending;

    /* A signal that was blocked before belongs to the app. */
    if (!sigismember(&held->before, SIGXFSZ) && sigpending(&pending) == 0 &&
        sigismember(&pending, SIGXFSZ))
        (void)sigtimedwait(&set, NULL, &at_once);
    (void)pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}
