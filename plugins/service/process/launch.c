/*
 * Starts a program as a grandchild. An intermediate child is created by clone() without an exit
 * signal, so that only this process can wait for the child, and is gone when the program runs.
 *
 * The child shares memory and descriptors with this process; the grandchild shares the memory until
 * exec. So the pidfd of the grandchild arrives in the descriptor table of this process, and a
 * failure arrives in its memory. Nothing is copied, no matter how much memory the app has mapped.
 *
 * Both run on stacks of their own with every signal blocked, while the calling thread is suspended.
 * As both share the memory, they make system calls only: no libc function that keeps state.
 */
#include "plugins/service/process/launch.h"

#include "common/system_code.h"
#include "plugins/service/process/launch_environment.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif

/* ThreadSanitizer intercepts clone() and assumes that the child has memory of its own. __clone() is
 * not intercepted. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1 /* the name of gcc for the macro */
#endif
#endif
#ifdef __SANITIZE_THREAD__
int __clone(int (*run)(void *), void *stack, int flags, void *argument, ...);
#define clone __clone
#endif

enum {
    STACK_SIZE = 64 * 1024,
    ABOVE_OURS = 10, /* lowest number for temporary descriptors, above all final ones */
    KERNEL_SIGNALS = _NSIG - 1,
    MASK_BYTES = _NSIG / 8, /* bytes of a signal mask in the kernel interface */
};

/* Sanitizers would leave marks in the shared memory for stacks that never return. */
#define ON_BORROWED_STACK __attribute__((no_sanitize("address", "thread", "undefined")))

struct launch {
    const char *program;
    char *const *arguments;
    char *const *environment;
    unsigned char *stacks; /* two stacks */
    int control;
    bool inherits_stderr;
    pid_t pid; /* of the grandchild */
    int pidfd;
    const char *step; /* the failed step, or NULL */
    int error;
};

ON_BORROWED_STACK static bool note_failure(struct launch *launch, const char *step)
{
    launch->step = step;
    launch->error = errno;
    return false;
}

/* ---- In the grandchild ----------------------------------------------------------------------- */

/*
 * Signal handlers of the app must not run in the host. The mask survives exec and is cleared.
 * SIGTTOU is ignored, as a terminal may otherwise stop a background program that writes a line to
 * stderr.
 */
ON_BORROWED_STACK static bool reset_signals(struct launch *launch)
{
    const unsigned long default_action[8] = {0};
    const unsigned long ignore[8] = {1}; /* SIG_IGN, the first member of the kernel's struct */
    const unsigned char none[MASK_BYTES] = {0};

    for (int signal = 1; signal <= KERNEL_SIGNALS; signal++) {
        const unsigned long *action = signal == SIGTTOU ? ignore : default_action;
        if (signal != SIGKILL && signal != SIGSTOP)
            (void)syscall(SYS_rt_sigaction, signal, action, NULL, MASK_BYTES);
    }
    if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, MASK_BYTES) != 0)
        return note_failure(launch, "rt_sigprocmask");
    return true;
}

ON_BORROWED_STACK static bool put(struct launch *launch, long from, int to)
{
    return syscall(SYS_dup3, from, to, 0) == to || note_failure(launch, "dup3");
}

/* The app may have closed any of 0 to 3, and the control socket may have one of these numbers. A
 * descriptor that is closed on exec is not inherited as stderr. */
ON_BORROWED_STACK static bool set_up_descriptors(struct launch *launch)
{
    const long flags = syscall(SYS_fcntl, STDERR_FILENO, F_GETFD);
    const bool inherits_stderr = launch->inherits_stderr && flags >= 0 && !(flags & FD_CLOEXEC);
    const long control = syscall(SYS_fcntl, launch->control, F_DUPFD, ABOVE_OURS);
    if (control < 0)
        return note_failure(launch, "fcntl");
    const long opened = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
    if (opened < 0)
        return note_failure(launch, "open /dev/null");
    const long null = syscall(SYS_fcntl, opened, F_DUPFD, ABOVE_OURS);
    if (null < 0)
        return note_failure(launch, "fcntl");

    if (!put(launch, null, STDIN_FILENO) || !put(launch, null, STDOUT_FILENO) ||
        (!inherits_stderr && !put(launch, null, STDERR_FILENO)) ||
        !put(launch, control, HY_HOST_CONTROL))
        return false;
    if (syscall(SYS_close_range, HY_HOST_CONTROL + 1, ~0U, 0) != 0)
        return note_failure(launch, "close_range");
    return true;
}

/*
 * A process group of its own keeps ^C of the terminal from the host. A session of its own would do
 * so as well, but the scheduler (CONFIG_SCHED_AUTOGROUP) divides CPU time among sessions. An app
 * and a host in two sessions that wake each other have starved whole machines for a minute.
 */
ON_BORROWED_STACK static int become_host(void *argument)
{
    struct launch *launch = argument;

    if (!set_up_descriptors(launch) || !reset_signals(launch))
        return 1;
    (void)syscall(SYS_setpgid, 0, 0);
    (void)syscall(SYS_chdir, "/");
    (void)syscall(SYS_execve, launch->program, launch->arguments, launch->environment);
    note_failure(launch, "execve");
    return 1;
}

/* ---- In the child ---------------------------------------------------------------------------- */

ON_BORROWED_STACK static int make_grandchild(void *argument)
{
    struct launch *launch = argument;

    launch->pid = clone(become_host, launch->stacks + STACK_SIZE,
                        CLONE_VM | CLONE_VFORK | CLONE_PIDFD, launch, &launch->pidfd);
    if (launch->pid < 0)
        note_failure(launch, "clone of the host");
    else if (launch->step)
        (void)syscall(SYS_wait4, launch->pid, NULL, __WALL, NULL);
    return 0;
}

/* ---- Here ------------------------------------------------------------------------------------ */

/* Blocks all signals, also the internal signals of libc. */
static void run(struct launch *launch)
{
    unsigned char all[MASK_BYTES], before[MASK_BYTES];

    memset(all, 0xff, sizeof all);
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, all, before, MASK_BYTES);
    const pid_t child = clone(make_grandchild, launch->stacks + 2 * (size_t)STACK_SIZE,
                              CLONE_VM | CLONE_VFORK | CLONE_FILES, launch);
    if (child < 0)
        note_failure(launch, "clone");
    else /* a direct system call, since wait4() of libc is a cancellation point */
        (void)syscall(SYS_wait4, child, NULL, __WCLONE, NULL);
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, MASK_BYTES);
}

static enum hy_code launch_with(const struct hy_host_launch *what, char *const *environment,
                                int control, pid_t *pid, int *pidfd, struct hy_error *err)
{
    char name[] = "halyard-driverd", mode[] = "--private";
    char *const arguments[] = {name, mode, (char *)what->driver, program_invocation_short_name,
                               NULL};
    const char *program = what->program;
    struct launch launch = {.program = program,
                            .arguments = arguments,
                            .environment = environment,
                            .control = control,
                            .inherits_stderr = what->inherits_stderr,
                            .pidfd = -1};

    launch.stacks = mmap(NULL, 2 * (size_t)STACK_SIZE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (launch.stacks == MAP_FAILED)
        return hy_fail(err, HY_OUT_OF_MEMORY, "starting %s: %s", program, strerror(errno));
    run(&launch);
    munmap(launch.stacks, 2 * (size_t)STACK_SIZE);

    if (!launch.step && launch.pidfd < 0) {
        launch.step = "clone with a pidfd";
        launch.error = ENOSYS;
    }
    if (launch.step) {
        if (launch.pidfd >= 0)
            close(launch.pidfd);
        return hy_fail(err, hy_system_code(launch.error, HY_FAILED), "starting %s: %s: %s (%d)",
                       program, launch.step, strerror(launch.error), launch.error);
    }
    *pid = launch.pid;
    *pidfd = launch.pidfd;
    return HY_OK;
}

enum hy_code hy_launch(const struct hy_host_launch *what, int control, pid_t *pid, int *pidfd,
                       struct hy_error *err)
{
    char **environment = hy_launch_environment(environ, getauxval(AT_SECURE) != 0);
    if (!environment)
        return hy_fail(err, HY_OUT_OF_MEMORY, "starting %s", what->program);

    enum hy_code code = launch_with(what, environment, control, pid, pidfd, err);
    free(environment);
    return code;
}
