#include "traced.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK        0x4841 /* an option of prctl() that there is none of */
#define SYSTEM_CALL (SIGTRAP | 0x80)

struct trace {
    const struct traced_plan *plan;
    struct traced_outcome *outcome;
    pid_t child;
    pid_t failing; /* the thread whose call is about to fail */
    bool counts;
};

void traced_mark(void)
{
    (void)prctl(MARK, 0, 0, 0, 0);
}

/* ---- Registers ------------------------------------------------------------------------------- */

#if defined(__x86_64__)
static bool change_length(pid_t thread, uint64_t length)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) != 0)
        return false;
    registers.rdx = length;
    return ptrace(PTRACE_SETREGS, thread, NULL, &registers) == 0;
}

static bool call_nothing(pid_t thread)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) != 0)
        return false;
    registers.orig_rax = (unsigned long long)-1;
    return ptrace(PTRACE_SETREGS, thread, NULL, &registers) == 0;
}

static void set_result(pid_t thread, int error)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) != 0)
        return;
    registers.rax = (unsigned long long)-error;
    (void)ptrace(PTRACE_SETREGS, thread, NULL, &registers);
}
#elif defined(__aarch64__)
static bool change_register(pid_t thread, unsigned number, uint64_t value)
{
    struct user_regs_struct registers;
    struct iovec function = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &function) != 0)
        return false;
    registers.regs[number] = value;
    return ptrace(PTRACE_SETREGSET, thread, (void *)NT_PRSTATUS, &function) == 0;
}

static bool change_length(pid_t thread, uint64_t length)
{
    return change_register(thread, 2, length);
}

static bool call_nothing(pid_t thread)
{
    int number = -1;
    struct iovec function = {&number, sizeof number};
    return ptrace(PTRACE_SETREGSET, thread, (void *)NT_ARM_SYSTEM_CALL, &function) == 0;
}

static void set_result(pid_t thread, int error)
{
    (void)change_register(thread, 0, (uint64_t)(int64_t)-error);
}
#else
static bool change_length(pid_t thread, uint64_t length)
{
    (void)thread, (void)length;
    return false;
}

static bool call_nothing(pid_t thread)
{
    (void)thread;
    return false;
}

static void set_result(pid_t thread, int error)
{
    (void)thread, (void)error;
}
#endif

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Those that a disk, a quota or a limit can let fail at any time. */
static bool is_failable(uint64_t call)
{
    switch (call) {
    case SYS_openat:
    case SYS_read:
    case SYS_pread64:
    case SYS_write:
    case SYS_pwrite64:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_renameat2:
    case SYS_unlinkat:
    case SYS_mkdirat:
    case SYS_flock:
    case SYS_newfstatat:
    case SYS_fstat:
    case SYS_getdents64:
    case SYS_utimensat:
        return true;
#ifdef SYS_open
    case SYS_open:
    case SYS_mkdir:
    case SYS_rename:
    case SYS_unlink:
    case SYS_rmdir:
        return true;
#endif
    default:
        return false;
    }
}

static bool is_write(uint64_t call)
{
    return call == SYS_write || call == SYS_pwrite64;
}

static void corrupt(struct trace *trace, pid_t thread, const struct __ptrace_syscall_info *info)
{
    const struct traced_plan *plan = trace->plan;

    if (plan->deed == TRACED_FAIL && call_nothing(thread))
        trace->failing = thread;
    if (plan->deed == TRACED_FAIL ||
        (plan->deed == TRACED_SHORTEN && is_write(info->entry.nr) && info->entry.args[2] > 1 &&
         change_length(thread, info->entry.args[2] / 2)))
        trace->outcome->is_done = true;
}

static void look_at_call(struct trace *trace, pid_t thread)
{
    struct __ptrace_syscall_info info = {0};
    struct traced_outcome *outcome = trace->outcome;

    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, (void *)sizeof info, &info) <= 0)
        return;
    const bool enters = info.op == PTRACE_SYSCALL_INFO_ENTRY;
    if (!enters && trace->failing == thread) {
        set_result(thread, trace->plan->error);
        trace->failing = 0;
    }
    if (enters && info.entry.nr == SYS_prctl && info.entry.args[0] == MARK) {
        trace->counts = !trace->counts;
        return;
    }
    if (!trace->counts)
        return;
    if (enters && is_failable(info.entry.nr) && outcome->failable++ == trace->plan->stop)
        corrupt(trace, thread, &info);
    if (outcome->stops++ == trace->plan->stop && trace->plan->deed == TRACED_KILL) {
        kill(trace->child, SIGKILL);
        outcome->is_done = true;
    }
}

/* ---- The child ------------------------------------------------------------------------------- */

static _Noreturn void be_traced(bool (*function)(void *context), void *context)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(2);
    raise(SIGSTOP);
    const bool good = function(context);
    fflush(NULL);
    _exit(good ? 0 : 1);
}

/* The signal that a thread goes on with. */
static int look_at_stop(struct trace *trace, pid_t thread, int status)
{
    const int signal = WSTOPSIG(status);

    if (signal == SYSTEM_CALL) {
        look_at_call(trace, thread);
        return 0;
    }
    return status >> 16 || signal == SIGSTOP || signal == SIGTRAP ? 0 : signal;
}

static void follow(struct trace *trace)
{
    int status = 0;

    for (;;) {
        const pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno == EINTR)
            continue;
        if (thread < 0 || (thread == trace->child && !WIFSTOPPED(status)))
            break;
        if (WIFSTOPPED(status))
            (void)ptrace(PTRACE_SYSCALL, thread, NULL,
                         (void *)(intptr_t)look_at_stop(trace, thread, status));
    }
    trace->outcome->status = status;
}

bool traced_run(bool (*function)(void *context), void *context, const struct traced_plan *plan,
                struct traced_outcome *outcome)
{
    struct trace trace = {.plan = plan, .outcome = outcome};
    int status = 0;

    *outcome = (struct traced_outcome){0};
    fflush(NULL);
    trace.child = fork();
    if (trace.child == 0)
        be_traced(function, context);
    if (trace.child < 0 || waitpid(trace.child, &status, __WALL) != trace.child)
        return false;
    if (!WIFSTOPPED(status))
        return false;
    if (ptrace(PTRACE_SETOPTIONS, trace.child, NULL,
               (void *)(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE)) != 0 ||
        ptrace(PTRACE_SYSCALL, trace.child, NULL, NULL) != 0) {
        kill(trace.child, SIGKILL);
        waitpid(trace.child, &status, __WALL);
        return false;
    }
    follow(&trace);
    return true;
}
