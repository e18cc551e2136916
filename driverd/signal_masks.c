/*
 * The ways of libc to block signals, for everybody in this process: SIGBUS and SIGSYS stay open.
 * The guard of shared memory and the sandbox answer by them, and the kernel ends a process in which
 * the thread has them blocked. Libraries that start threads often block all signals there, as they
 * should. Being part of the program, these functions come before those of libc, also for libraries
 * that are loaded later (signal_masks.list); what libc does inside of itself is not changed.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static int change(int how, const sigset_t *set, sigset_t *before)
{
    sigset_t mask;

    if (set && how != SIG_UNBLOCK) {
        mask = *set;
        sigdelset(&mask, SIGBUS);
        sigdelset(&mask, SIGSYS);
        set = &mask;
    }
    if (before)
        sigemptyset(before); /* the kernel's has fewer bytes */
    return syscall(SYS_rt_sigprocmask, how, set, before, _NSIG / 8) == 0 ? 0 : errno;
}

__attribute__((visibility("default"))) int pthread_sigmask(int how, const sigset_t *set,
                                                           sigset_t *before)
{
    const int error = errno;
    const int failure = change(how, set, before);

    errno = error;
    return failure;
}

__attribute__((visibility("default"))) int sigprocmask(int how, const sigset_t *set,
                                                       sigset_t *before)
{
    const int failure = change(how, set, before);

    if (failure)
        errno = failure;
    return failure ? -1 : 0;
}
