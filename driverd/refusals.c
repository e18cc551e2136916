#include "driverd/refusals.h"

#include "common/clock.h"
#include "driverd/all_threads.h"
#include "driverd/call_filter.h"
#include "halyard/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- The registers of this machine ----------------------------------------------------------- */

#if defined(__x86_64__)
#define CAN_BE_REPORTED   true
#define ARGUMENT_0(state) ((state)->uc_mcontext.gregs[REG_RDI])
#define ARGUMENT_1(state) ((state)->uc_mcontext.gregs[REG_RSI])
#define ARGUMENT_2(state) ((state)->uc_mcontext.gregs[REG_RDX])
#define ARGUMENT_3(state) ((state)->uc_mcontext.gregs[REG_R10])
#define RESULT(state)     ((state)->uc_mcontext.gregs[REG_RAX])
#elif defined(__aarch64__)
#define CAN_BE_REPORTED   true
#define ARGUMENT_0(state) ((state)->uc_mcontext.regs[0])
#define ARGUMENT_1(state) ((state)->uc_mcontext.regs[1])
#define ARGUMENT_2(state) ((state)->uc_mcontext.regs[2])
#define ARGUMENT_3(state) ((state)->uc_mcontext.regs[3])
#define RESULT(state)     ((state)->uc_mcontext.regs[0])
#else
#define CAN_BE_REPORTED false
#endif

#ifndef SYS_SECCOMP
#define SYS_SECCOMP 1 /* si_code */
#endif

enum {
    CALL_COUNT = 1024, /* calls from this number on are newer than any list of names */
    PATH_CAPACITY = 256,
    LINES_PER_CALL = 16,
    FLUSH = -1, /* in place of a call number: request to confirm all earlier notes */
    FLUSH_SECONDS = 10,
};

/* A record of the handler. Smaller than PIPE_BUF, so writes of several threads never interleave. */
struct note {
    int call;
    char path[PATH_CAPACITY]; /* path of an open, else "" */
};

static struct {
    bool has_name[CALL_COUNT];
    atomic_bool refuses_opens;
    int notes[2]; /* a pipe with a non-blocking write end */
    void (*log)(int32_t level, const char *text);
    unsigned lines[CALL_COUNT];
    sem_t flushed;
    bool has_thread;
} refusals = {.notes = {-1, -1}};

bool hy_refusals_can_be_reported(void)
{
    return CAN_BE_REPORTED;
}

void hy_refusals_refuse_opens(bool all)
{
    atomic_store(&refusals.refuses_opens, all);
}

/* ---- The handler ----------------------------------------------------------------------------- */

#if CAN_BE_REPORTED

struct open_call {
    int dir_fd;
    const char *path;
    struct {
        uint64_t flags, mode, resolve;
    } how;
};

/* Decodes open, openat and creat into the arguments of openat2. Drops flags that openat2 rejects
 * but the older calls ignore. False: another call. */
static bool read_open(int call, const ucontext_t *state, struct open_call *open)
{
    uint64_t flags, mode;

    if (call == SYS_openat) {
        open->dir_fd = (int)ARGUMENT_0(state);
        open->path = (const char *)(uintptr_t)ARGUMENT_1(state);
        flags = (uint32_t)ARGUMENT_2(state);
        mode = (uint64_t)ARGUMENT_3(state);
#ifdef SYS_open
    } else if (call == SYS_open || call == SYS_creat) {
        open->dir_fd = AT_FDCWD;
        open->path = (const char *)(uintptr_t)ARGUMENT_0(state);
        flags = call == SYS_creat ? O_CREAT | O_WRONLY | O_TRUNC : (uint32_t)ARGUMENT_1(state);
        mode = (uint64_t)(call == SYS_creat ? ARGUMENT_1(state) : ARGUMENT_2(state));
#endif
    } else {
        return false;
    }
    const uint64_t meant_with_path = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    open->how.flags = flags & O_PATH ? flags & meant_with_path : flags;
    open->how.mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? mode & 07777 : 0;
    open->how.resolve = 0;
    return true;
}

/* Records a refused call. The record is dropped if the pipe is full. */
static void log_refusal(int call, const char *path)
{
    struct note note = {.call = call};

    for (size_t i = 0; path && i < PATH_CAPACITY - 1 && path[i]; i++)
        note.path[i] = path[i];
    (void)!write(refusals.notes[1], &note, sizeof note);
}

static long call_result(int call, const ucontext_t *state)
{
    struct open_call open;

    if (!read_open(call, state, &open) || atomic_load(&refusals.refuses_opens)) {
        const bool has_name = call >= 0 && call < CALL_COUNT && refusals.has_name[call];
        log_refusal(call, NULL);
        return has_name ? -EPERM : -ENOSYS;
    }
    const long fd = syscall(SYS_openat2, open.dir_fd, open.path, &open.how, sizeof open.how);
    if (fd >= 0)
        return fd;
    const int error = errno;
    if (error == EACCES) /* the path is readable, as the kernel has read it */
        log_refusal(call, open.path);
    return -error;
}

static void set_call_result(const siginfo_t *info, ucontext_t *state)
{
    RESULT(state) = (__typeof__(RESULT(state)))call_result(info->si_syscall, state);
}

#else

/* The filter never raises SIGSYS on this architecture. */
static void set_call_result(const siginfo_t *info, ucontext_t *state)
{
    (void)info;
    (void)state;
}

#endif

static void on_signal(int signal, siginfo_t *info, void *context)
{
    const int error = errno;

    (void)signal;
    if (info->si_code == SYS_SECCOMP)
        set_call_result(info, context);
    else if (info->si_code == SI_TKILL && info->si_pid == getpid())
        hy_all_threads_handle_request();
    errno = error;
}

/* ---- The lines ------------------------------------------------------------------------------- */

static void write_line(const struct note *note)
{
    const int slot = note->call >= 0 && note->call < CALL_COUNT ? note->call : 0;
    char *name = hy_call_filter_name(note->call);
    char text[PATH_CAPACITY + 128];

    if (refusals.lines[slot] >= LINES_PER_CALL) {
        free(name);
        return;
    }
    const bool is_last = ++refusals.lines[slot] == LINES_PER_CALL;
    snprintf(text, sizeof text, "sandbox: system call %s (%d)%s%s was refused%s",
             name ? name : "without a name", note->call, note->path[0] ? " of " : "", note->path,
             is_last ? "; further refusals of this call are not logged" : "");
    refusals.log(HY_LOG_WARNING, text);
    free(name);
}

static void *write_lines(void *argument)
{
    struct note note;

    (void)argument;
    pthread_setname_np(pthread_self(), "halyard-sandbox");
    for (;;) {
        const ssize_t got = read(refusals.notes[0], &note, sizeof note);
        if (got == (ssize_t)sizeof note && note.call == FLUSH)
            sem_post(&refusals.flushed);
        else if (got == (ssize_t)sizeof note)
            write_line(&note);
        else if (got == 0 || (got < 0 && errno != EINTR))
            return NULL;
    }
}

enum hy_code hy_refusals_install(struct hy_error *err)
{
    int flags = -1;

    if (pipe2(refusals.notes, O_CLOEXEC) != 0 || (flags = fcntl(refusals.notes[1], F_GETFL)) < 0 ||
        fcntl(refusals.notes[1], F_SETFL, flags | O_NONBLOCK) != 0)
        return hy_fail(err, HY_FAILED, "reports of refused system calls: %s", strerror(errno));
    for (int i = 0; i < CALL_COUNT; i++) {
        char *name = hy_call_filter_name(i);
        refusals.has_name[i] = name != NULL;
        free(name);
    }
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSYS, &action, NULL) != 0)
        return hy_fail(err, HY_FAILED, "reports of refused system calls: %s", strerror(errno));
    hy_all_threads_enable_handler();
    return HY_OK;
}

enum hy_code hy_refusals_start(void (*log)(int32_t level, const char *text), struct hy_error *err)
{
    pthread_attr_t attributes;
    pthread_t thread;

    refusals.log = log;
    sem_init(&refusals.flushed, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    const int failure = pthread_create(&thread, &attributes, write_lines, NULL);
    pthread_attr_destroy(&attributes);
    refusals.has_thread = failure == 0;
    return failure ? hy_fail(err, HY_FAILED, "reports of refused system calls: no thread: %s",
                             strerror(failure))
                   : HY_OK;
}

void hy_refusals_flush(void)
{
    const struct note note = {.call = FLUSH};
    struct pollfd capacity = {.fd = refusals.notes[1], .events = POLLOUT};

    if (!refusals.has_thread || poll(&capacity, 1, 1000 * FLUSH_SECONDS) != 1 ||
        write(refusals.notes[1], &note, sizeof note) != (ssize_t)sizeof note)
        return;
    const struct timespec until = hy_clock_wait_end(FLUSH_SECONDS * HY_SECOND);
    while (sem_clockwait(&refusals.flushed, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR)
        ;
}
