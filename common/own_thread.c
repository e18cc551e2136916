#include "common/own_thread.h"

#include <pthread.h>
#include <signal.h>

int hy_own_thread_start(void *(*serve)(void *argument), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t most, before;

    int failure = pthread_attr_init(&attributes);
    if (failure)
        return failure;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    /* A new thread inherits the mask of its creator. */
    sigfillset(&most);
    sigdelset(&most, SIGBUS); /* see sigbus_guard.h */
    pthread_sigmask(SIG_SETMASK, &most, &before);
    failure = pthread_create(&thread, &attributes, serve, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failure;
}
