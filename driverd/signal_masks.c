/*
 * Replaces the libc functions that block signals, for the whole process: SIGBUS and SIGSYS are
 * never blocked. The SIGBUS guard and the sandbox need these signals; the kernel ends a process if
 * a thread blocks a signal raised by its own instruction. Many libraries start threads with all
 * signals blocked. The functions of the program come before those of libc, also for libraries
 * loaded later (signal_masks.list). Calls inside of libc are not replaced.
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
        sigemptyset(before); /* the kernel writes fewer bytes */
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
