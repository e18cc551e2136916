#include "common/sigbus_guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The handler reads the slots without a lock. `begin` is written last and cleared first, and
 * `version` changes with every use of the slot: the values read are consistent if the version is
 * the same before and after. A mapping with a fault is in use, so its own slot does not change
 * during the handler.
 */
struct slot {
    atomic_uint version;
    atomic_uintptr_t begin; /* 0: free */
    atomic_uintptr_t end;
    _Atomic(atomic_bool *) truncated;
};

static struct {
    pthread_mutex_t lock;        /* held to change slots */
    struct sigaction before;     /* written before the handler is installed, then constant */
    atomic_bool before_is_spent; /* was for one signal only (SA_RESETHAND) */
    bool is_installed;
    uint32_t first_free; /* all slots below are in use */
    atomic_uint used;    /* slots from here on were never used */
    struct slot slots[HY_SIGBUS_GUARD_SLOTS];
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- The handler ----------------------------------------------------------------------------- */

static uintptr_t page_size(void)
{
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

struct range {
    uintptr_t begin, end;
    atomic_bool *truncated;
};

static bool read_slot(struct slot *slot, struct range *range)
{
    const unsigned version = atomic_load(&slot->version);
    range->begin = atomic_load(&slot->begin);
    range->end = atomic_load(&slot->end);
    range->truncated = atomic_load(&slot->truncated);
    return range->begin != 0 && atomic_load(&slot->version) == version;
}

static bool find(uintptr_t address, struct range *range)
{
    const unsigned used = atomic_load(&guard.used);
    for (unsigned i = 0; i < used; i++) {
        if (read_slot(&guard.slots[i], range) && address >= range->begin && address < range->end)
            return true;
    }
    return false;
}

/* The raw system call, as a replacement of mmap may be unsafe in a handler. */
static bool put_zeros(uintptr_t begin, uintptr_t end)
{
    return syscall(SYS_mmap, begin, end - begin, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0L) == (long)begin;
}

/* Maps zeros from the faulting page on, or over the whole mapping if its pages are larger. */
static bool mend(uintptr_t address)
{
    struct range range;

    if (!find(address, &range))
        return false;
    atomic_store(range.truncated, true);
    return put_zeros(address & ~(page_size() - 1), range.end) || put_zeros(range.begin, range.end);
}

/* The default action. A fault repeats after the handler returns and ends the process at the fault.
 * A signal from a process does not repeat, so it is raised again. */
static void end_process(const siginfo_t *info)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};

    (void)sigaction(SIGBUS, &usual, NULL);
    if (info->si_code <= 0)
        (void)raise(SIGBUS);
}

/* Calls the previous handler. A fault cannot be ignored; a signal from a process can. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
    const struct sigaction *before = &guard.before;
    const bool is_spent =
        (before->sa_flags & (int)SA_RESETHAND) && atomic_exchange(&guard.before_is_spent, true);

    if (!is_spent && (before->sa_flags & SA_SIGINFO))
        before->sa_sigaction(signal, info, context);
    else if (!is_spent && before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(signal);
    else if (is_spent || before->sa_handler == SIG_DFL || info->si_code > 0)
        end_process(info);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    const int error = errno;

    if (info->si_code != BUS_ADRERR || !mend((uintptr_t)info->si_addr))
        pass_on(signal, info, context);
    errno = error;
}

/* Call with the lock held. Keeps the mask and flags of the previous handler, and uses an alternate
 * signal stack if the thread has one, as some threads have little other stack. */
static enum hy_code install(struct hy_error *err)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    if (sigaction(SIGBUS, NULL, &guard.before) == 0) {
        action.sa_mask = guard.before.sa_mask;
        action.sa_flags |= guard.before.sa_flags & (SA_RESTART | SA_NODEFER);
        guard.is_installed = sigaction(SIGBUS, &action, NULL) == 0;
    }
    return guard.is_installed ? HY_OK
                              : hy_fail(err, HY_FAILED, "SIGBUS guard: %s", strerror(errno));
}

enum hy_code hy_sigbus_guard_install(struct hy_error *err)
{
    pthread_mutex_lock(&guard.lock);
    enum hy_code code = guard.is_installed ? HY_OK : install(err);
    pthread_mutex_unlock(&guard.lock);
    return code;
}

/* ---- Threads --------------------------------------------------------------------------------- */

static sigset_t only_faults(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGBUS);
    return set;
}

bool hy_sigbus_guard_enter(sigset_t *before)
{
    static _Thread_local bool receives_faults;
    const sigset_t faults = only_faults();

    if (receives_faults)
        return false;
    (void)pthread_sigmask(SIG_UNBLOCK, &faults, before); /* fails only for invalid arguments */
    receives_faults = sigismember(before, SIGBUS) == 0;
    return !receives_faults;
}

void hy_sigbus_guard_leave(const sigset_t *before)
{
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

void hy_sigbus_guard_fork_before(void)
{
    pthread_mutex_lock(&guard.lock);
}

void hy_sigbus_guard_fork_after(void)
{
    pthread_mutex_unlock(&guard.lock);
}

/* ---- Slots ----------------------------------------------------------------------------------- */

/* Call with the lock held. HY_SIGBUS_GUARD_SLOTS: no free slot. */
static uint32_t find_free(void)
{
    uint32_t i = guard.first_free;
    while (i < HY_SIGBUS_GUARD_SLOTS && atomic_load(&guard.slots[i].begin) != 0)
        i++;
    return i;
}

/* Call with the lock held. */
static void claim_slot(uint32_t index, uintptr_t begin, uintptr_t end, atomic_bool *truncated)
{
    struct slot *slot = &guard.slots[index];

    atomic_fetch_add(&slot->version, 1);
    atomic_store(&slot->end, end);
    atomic_store(&slot->truncated, truncated);
    atomic_store(&slot->begin, begin);
    guard.first_free = index + 1;
    if (atomic_load(&guard.used) <= index)
        atomic_store(&guard.used, index + 1);
}

enum hy_code hy_sigbus_guard_add(void *address, size_t bytes, atomic_bool *truncated,
                                 uint32_t *slot, struct hy_error *err)
{
    const uintptr_t begin = (uintptr_t)address;
    enum hy_code code = HY_OK;

    pthread_mutex_lock(&guard.lock);
    const uint32_t index = find_free();
    if (index == HY_SIGBUS_GUARD_SLOTS)
        code = hy_fail(err, HY_EXHAUSTED,
                       "SIGBUS guard: %zu bytes cannot be guarded, %u ranges are in use", bytes,
                       HY_SIGBUS_GUARD_SLOTS);
    else
        claim_slot(index, begin, begin + ((bytes + page_size() - 1) & ~(page_size() - 1)),
                   truncated);
    pthread_mutex_unlock(&guard.lock);
    if (code == HY_OK)
        *slot = index;
    return code;
}

void hy_sigbus_guard_remove(uint32_t slot)
{
    pthread_mutex_lock(&guard.lock);
    atomic_fetch_add(&guard.slots[slot].version, 1);
    atomic_store(&guard.slots[slot].begin, 0);
    if (guard.first_free > slot)
        guard.first_free = slot;
    pthread_mutex_unlock(&guard.lock);
}
