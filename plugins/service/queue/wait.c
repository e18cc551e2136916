#include "plugins/service/queue/wait.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "halyard/driver.h"

/* If the usual wait is longer than LONGEST_USUAL times the spin time, spinning costs more than the
 * wake-up saved. A single wait counts at most as LONGEST_COUNTED times the spin time. */
#define LONGEST_USUAL   2
#define LONGEST_COUNTED 8
/* The same for waiters that nap. In longer waits, a wake-up is only a small part. */
#define LONGEST_NAPPED         40
#define LONGEST_COUNTED_NAPPER 60
#define MOST_SPIN_NS           (UINT64_C(3600) * 1000000000)
/* One wait in PROBE_EVERY spins regardless: a wait that ends with a wake-up looks longer by the
 * wake-up. */
#define PROBE_EVERY     32u
#define LOOKS_PER_CLOCK 64
/* Waits shorter than the average count more, as short waits tend to be followed by short waits. A
 * pause between two requests must not spoil the average. */
#define AVERAGE_OVER_LONGER  8
#define AVERAGE_OVER_SHORTER 2

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool has_other_cpus(void)
{
    cpu_set_t set;

    /* sched_getaffinity fails if the machine has more CPUs than fit into the set. */
    return sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) > 1;
}

void hy_waiter_init(struct hy_waiter *waiter, const atomic_bool *dead, uint64_t spin_ns)
{
    if (spin_ns > MOST_SPIN_NS)
        spin_ns = MOST_SPIN_NS;
    *waiter = (struct hy_waiter){
        .dead = dead,
        .spin_ns = spin_ns > 0 && has_other_cpus() ? spin_ns : 0,
    };
}

void hy_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t ns)
{
    const struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

    syscall(SYS_futex, word, FUTEX_WAIT, value, ns < 0 ? NULL : &time, NULL, 0);
}

void hy_futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void hy_wake(_Atomic uint32_t *sleeps)
{
    if (atomic_load(sleeps) != 0 && atomic_exchange(sleeps, 0) != 0)
        hy_futex_wake(sleeps);
}

void hy_wait_interrupt(_Atomic uint32_t *sleeps)
{
    atomic_store(sleeps, 0);
    hy_futex_wake(sleeps);
}

static bool has_changed(const struct hy_wait_point *point)
{
    return atomic_load_explicit(point->counter, memory_order_acquire) != point->seen;
}

/* Returns the time to spin in this wait, in ns from the start of the wait. */
static uint64_t spin_time(const struct hy_waiter *waiter)
{
    if (waiter->polls)
        return waiter->spin_ns;
    const uint64_t longest = (waiter->naps ? LONGEST_NAPPED : LONGEST_USUAL) * waiter->spin_ns;

    if (waiter->usual_ns <= longest)
        return waiter->spin_ns > 0 ? waiter->usual_ns + waiter->spin_ns : 0;
    return waiter->waits % PROBE_EVERY == 0 && !waiter->naps ? longest + waiter->spin_ns : 0;
}

/* Returns the time to sleep before spinning. Timers are late by about a spin time. */
static uint64_t nap_time(const struct hy_waiter *waiter)
{
    const uint64_t usual = waiter->usual_ns;

    if (waiter->polls || !waiter->naps || usual <= LONGEST_USUAL * waiter->spin_ns)
        return 0;
    return usual - usual / 4 - waiter->spin_ns;
}

static bool has_cpu_of_peer(const struct hy_wait_point *point)
{
    return point->peer_cpu && atomic_load_explicit(point->peer_cpu, memory_order_relaxed) ==
                                  (uint32_t)sched_getcpu() + 1;
}

/* True: the wait is over, with its end in `*ret`. */
static bool spin(const struct hy_waiter *waiter, const struct hy_wait_point *point, int64_t end,
                 enum hy_wait_end *ret)
{
    do {
        for (int i = 0; i < LOOKS_PER_CLOCK; i++) {
            if (has_changed(point)) {
                *ret = HY_WAIT_CHANGED;
                return true;
            }
            if (atomic_load_explicit(waiter->dead, memory_order_relaxed)) {
                *ret = HY_WAIT_DEAD;
                return true;
            }
            relax();
        }
    } while (!has_cpu_of_peer(point) && hy_clock_boot() < end);
    return false;
}

/* The time at which a wait ends without a change, and its result. */
struct last_moment {
    int64_t time; /* INT64_MAX: never */
    enum hy_wait_end end;
};

static struct last_moment last_moment(const struct hy_wait_limit *limit, int64_t start)
{
    struct last_moment last = {INT64_MAX, HY_WAIT_IMPATIENT};

    if (limit->hang_timeout_ns > 0 && limit->hang_timeout_ns < (uint64_t)(INT64_MAX - start))
        last.time = start + (int64_t)limit->hang_timeout_ns;
    if (limit->deadline != HY_NO_DEADLINE && limit->deadline <= last.time)
        last = (struct last_moment){limit->deadline, HY_WAIT_EXPIRED};
    return last;
}

/*
 * Sets the flag, then checks again: either this thread sees the change, or the thread that made the
 * change sees the flag. The same holds for `dead`. True: the wait is over, with its end in `*ret`.
 * False: `until` has passed.
 */
static bool sleep_until(const struct hy_waiter *waiter, const struct hy_wait_point *point,
                        int64_t until, enum hy_wait_end *ret)
{
    for (;;) {
        atomic_exchange(point->sleeps, 1);
        *ret = HY_WAIT_CHANGED;
        if (atomic_load(point->counter) != point->seen)
            return true;
        *ret = HY_WAIT_DEAD;
        if (atomic_load(waiter->dead))
            return true;
        const int64_t now = until == INT64_MAX ? 0 : hy_clock_boot();
        if (now >= until)
            return false;
        hy_futex_wait(point->sleeps, 1, until == INT64_MAX ? -1 : until - now);
    }
}

static enum hy_wait_end sleep_to_the_end(const struct hy_waiter *waiter,
                                         const struct hy_wait_point *point,
                                         const struct last_moment *last)
{
    enum hy_wait_end end;

    if (!sleep_until(waiter, point, last->time, &end))
        end = last->end;
    atomic_store(point->sleeps, 0);
    return end;
}

/* True: the wait is over, with its end in `*ret`. */
static bool nap(const struct hy_waiter *waiter, const struct hy_wait_point *point, int64_t until,
                enum hy_wait_end *ret)
{
    const bool is_over = sleep_until(waiter, point, until, ret);

    atomic_store(point->sleeps, 0);
    return is_over;
}

static void learn(struct hy_waiter *waiter, int64_t elapsed)
{
    const int64_t usual = (int64_t)waiter->usual_ns;
    const int64_t longest =
        (waiter->naps ? LONGEST_COUNTED_NAPPER : LONGEST_COUNTED) * (int64_t)waiter->spin_ns;

    if (elapsed > longest)
        elapsed = longest;
    waiter->usual_ns =
        (uint64_t)(usual + (elapsed - usual) /
                               (elapsed > usual ? AVERAGE_OVER_LONGER : AVERAGE_OVER_SHORTER));
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

enum hy_wait_end hy_wait(struct hy_waiter *waiter, const struct hy_wait_point *point,
                         const struct hy_wait_limit *limit)
{
    enum hy_wait_end end;
    const int64_t start = hy_clock_boot();
    const struct last_moment last = last_moment(limit, start);
    const int64_t nap_end = start + (int64_t)nap_time(waiter);
    const int64_t spin_end = earlier(start + (int64_t)spin_time(waiter), last.time);

    waiter->waits++;
    if (!(start < nap_end && nap_end < spin_end && nap(waiter, point, nap_end, &end)) &&
        !(start < spin_end && spin(waiter, point, spin_end, &end)))
        end = sleep_to_the_end(waiter, point, &last);
    if (end == HY_WAIT_CHANGED && waiter->spin_ns > 0 && !waiter->polls)
        learn(waiter, hy_clock_boot() - start);
    return end;
}
