#include "tests/scenarios/cost/cost.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kit/sanitizers.h"

#if defined(HY_WITH_ADDRESS_SANITIZER) || defined(HY_WITH_THREAD_SANITIZER)
#define IS_SANITIZED
#endif

/* ---- The allocator --------------------------------------------------------------------------- */

#if defined(__GLIBC__) && !defined(IS_SANITIZED)

bool hy_cost_can_be_measured(void)
{
    return true;
}

static atomic_ulong allocations;

/* What glibc calls its own, for those who stand in front of it. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

/* The program's functions come before those of the libraries that it uses. */
void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    allocations++;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

unsigned long hy_cost_allocations(void)
{
    return allocations;
}

#else

bool hy_cost_can_be_measured(void)
{
    return false;
}

unsigned long hy_cost_allocations(void)
{
    return 0;
}

#endif

/* ---- System calls ---------------------------------------------------------------------------- */

static struct hy_cost *reported; /* shared with the parent */

static void note_system_call(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    reported->system_call = info->si_syscall;
    reported->is_done = true;
    _exit(0);
}

/* From here on, the thread may end the process and do nothing else. False: not allowed here. */
static bool forbid_system_calls(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    const struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
    struct sigaction action = {.sa_sigaction = note_system_call, .sa_flags = SA_SIGINFO};

    sigaction(SIGSYS, &action, NULL);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* ---- The child ------------------------------------------------------------------------------- */

static _Noreturn void watch(bool (*work)(void *argument), void *argument, unsigned warm_up,
                            unsigned times)
{
    for (unsigned i = 0; i < warm_up; i++)
        reported->work_failed |= !work(argument);
    const unsigned long before = hy_cost_allocations();
    reported->system_calls_watched = forbid_system_calls();
    for (unsigned i = 0; i < times; i++)
        reported->work_failed |= !work(argument);
    reported->allocations = hy_cost_allocations() - before;
    reported->is_done = true;
    _exit(0);
}

bool hy_cost_of(bool (*work)(void *argument), void *argument, unsigned warm_up, unsigned times,
                struct hy_cost *cost)
{
    reported =
        mmap(NULL, sizeof *reported, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (reported == MAP_FAILED)
        return false;
    reported->system_call = -1;
    const pid_t child = fork();
    if (child == 0)
        watch(work, argument, warm_up, times);
    const bool ended = child > 0 && waitpid(child, NULL, 0) == child;
    *cost = *reported;
    munmap(reported, sizeof *reported);
    return ended;
}
