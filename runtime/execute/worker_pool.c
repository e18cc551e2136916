#include "runtime/execute/worker_pool.h"

#include "runtime/clock.h"
#include "runtime/environment.h"
#include "runtime/execute/own_thread.h"
#include "runtime/log.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define LEAST_THREADS 2u
#define MOST_THREADS  256u

/* How long a worker looks out for more to share before it sleeps, and a thread for the end of its
 * helpers: a few times what it takes to wake one, since operations follow each other closely. */
#define LOOK_OUT_NS UINT64_C(200000)

struct line {
    struct hy_work *first;
    struct hy_work **end;
};

/* Tasks that several threads take, one at a time; on the stack of the thread that shares them. */
struct share {
    void (*task)(void *argument, uint32_t index);
    void *argument;
    uint32_t count;
    atomic_uint_fast64_t taken;
    atomic_uint helpers; /* changed with the lock held */
    struct share *next;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wanted; /* there is something to do */
    pthread_cond_t left;   /* a share has no helpers any more */
    struct line lines[HY_PRIORITY_HIGH + 1];
    struct share *shares; /* open to helpers */
    atomic_uint waiting;  /* pieces of work in line; changed with the lock held, as all below */
    atomic_uint opened;   /* shares so far */
    unsigned threads;
    unsigned asleep;
    unsigned looking_out;
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .wanted = PTHREAD_COND_INITIALIZER,
    .left = PTHREAD_COND_INITIALIZER,
};

static _Thread_local bool is_in_task;

/* ---- Size ------------------------------------------------------------------------------------ */

static uint32_t usable_cores(void)
{
    cpu_set_t set;
    long cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                             : sysconf(_SC_NPROCESSORS_ONLN);

    if (cores < 1)
        return 1;
    return cores < (long)MOST_THREADS ? (uint32_t)cores : MOST_THREADS;
}

static uint32_t wanted_width(const char *setting)
{
    char *end;
    if (!setting)
        return usable_cores();

    const unsigned long wanted = strtoul(setting, &end, 10);
    if (*setting >= '0' && *setting <= '9' && *end == '\0' && wanted >= 1 && wanted <= MOST_THREADS)
        return (uint32_t)wanted;
    const uint32_t cores = usable_cores();
    hy_log(HY_LOG_WARNING, "execute",
           "HALYARD_CPU_THREADS is \"%s\", not a number from 1 to %u; using %u", setting,
           MOST_THREADS, cores);
    return cores;
}

uint32_t hy_worker_pool_width(void)
{
    static atomic_uint width; /* 0: not known yet */
    uint32_t known = atomic_load_explicit(&width, memory_order_relaxed);
    if (known > 0)
        return known;

    const struct hy_environment *environment = hy_environment();
    known = wanted_width(environment ? environment->cpu_threads : NULL);
    if (environment)
        atomic_store_explicit(&width, known, memory_order_relaxed);
    return known;
}

/* ---- Workers; the lock is held but where it is said otherwise -------------------------------- */

static struct hy_work *take_work(void)
{
    if (atomic_load_explicit(&pool.waiting, memory_order_relaxed) == 0)
        return NULL;
    struct line *line = &pool.lines[HY_PRIORITY_HIGH];
    while (!line->first)
        line--;
    struct hy_work *work = line->first;
    line->first = work->next;
    atomic_fetch_sub_explicit(&pool.waiting, 1, memory_order_relaxed);
    return work;
}

static bool has_tasks(const struct share *share)
{
    return atomic_load_explicit(&share->taken, memory_order_relaxed) < share->count;
}

/* Without the lock. */
static void run_tasks(struct share *share, bool is_helper)
{
    is_in_task = true;
    while (!is_helper || atomic_load_explicit(&pool.waiting, memory_order_relaxed) == 0) {
        const uint64_t index = atomic_fetch_add_explicit(&share->taken, 1, memory_order_relaxed);
        if (index >= share->count)
            break;
        share->task(share->argument, (uint32_t)index);
    }
    is_in_task = false;
}

/* False: nobody needs help. The lock is given back meanwhile. */
static bool help(void)
{
    struct share *share = pool.shares;

    while (share && !has_tasks(share))
        share = share->next;
    if (!share)
        return false;
    atomic_fetch_add_explicit(&share->helpers, 1, memory_order_relaxed);
    pthread_mutex_unlock(&pool.lock);
    run_tasks(share, true);
    pthread_mutex_lock(&pool.lock);
    if (atomic_fetch_sub_explicit(&share->helpers, 1, memory_order_release) == 1)
        pthread_cond_broadcast(&pool.left);
    return true;
}

/* Where the thread that is waited for has no core of its own, it gets this one. */
static void pause_briefly(void)
{
    for (int i = 0; i < 16; i++) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("isb");
#endif
    }
    sched_yield();
}

/* Until there is something to do, or the time is up. The lock is given back meanwhile. */
static void look_out(unsigned opened)
{
    pool.looking_out++;
    pthread_mutex_unlock(&pool.lock);
    const uint64_t end = hy_clock_now() + LOOK_OUT_NS;
    do {
        pause_briefly();
    } while (atomic_load_explicit(&pool.waiting, memory_order_relaxed) == 0 &&
             atomic_load_explicit(&pool.opened, memory_order_relaxed) == opened &&
             hy_clock_now() < end);
    pthread_mutex_lock(&pool.lock);
    pool.looking_out--;
}

/* There is nothing to do. Shares opened since the worker last looked out promise more of them. */
static void rest(unsigned *opened)
{
    const unsigned now = atomic_load_explicit(&pool.opened, memory_order_relaxed);

    if (now != *opened) {
        *opened = now;
        look_out(now);
        return;
    }
    pool.asleep++;
    pthread_cond_wait(&pool.wanted, &pool.lock);
    pool.asleep--;
}

static void *serve(void *unused)
{
    unsigned opened = 0; /* shares when it last looked out */

    (void)unused;
    pthread_setname_np(pthread_self(), "halyard-worker");
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        struct hy_work *work = take_work();
        if (work) {
            pthread_mutex_unlock(&pool.lock);
            work->run(work);
            pthread_mutex_lock(&pool.lock);
        } else if (!help()) {
            rest(&opened);
        }
    }
    return NULL;
}

/* Workers that nothing waits for. */
static unsigned count_idle(void)
{
    const unsigned waiting = atomic_load_explicit(&pool.waiting, memory_order_relaxed);
    const unsigned idle = pool.asleep + pool.looking_out;
    return idle > waiting ? idle - waiting : 0;
}

/* Those that look out come by themselves. */
static void wake(uint32_t count)
{
    for (uint32_t i = pool.looking_out; i < count && i - pool.looking_out < pool.asleep; i++)
        pthread_cond_signal(&pool.wanted);
}

/* ---- Asynchronous executions ----------------------------------------------------------------- */

bool hy_worker_pool_add(struct hy_work *work)
{
    const uint32_t width = hy_worker_pool_width();
    const uint32_t limit = width > LEAST_THREADS ? width : LEAST_THREADS;

    pthread_mutex_lock(&pool.lock);
    if (count_idle() == 0 && pool.threads < limit)
        pool.threads += hy_own_thread_start(serve, NULL) == 0;
    const bool is_taken = pool.threads > 0;
    if (is_taken) {
        struct line *line = &pool.lines[work->priority];
        if (!line->first)
            line->end = &line->first;
        work->next = NULL;
        *line->end = work;
        line->end = &work->next;
        wake(atomic_fetch_add_explicit(&pool.waiting, 1, memory_order_relaxed) + 1);
    }
    pthread_mutex_unlock(&pool.lock);
    return is_taken;
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* False: nobody would come. */
static bool open_share(struct share *share, uint32_t helpers)
{
    pthread_mutex_lock(&pool.lock);
    unsigned comers = count_idle();
    while (comers < helpers && pool.threads < helpers && hy_own_thread_start(serve, NULL) == 0) {
        pool.threads++;
        comers++;
    }
    if (comers > 0) {
        share->next = pool.shares;
        pool.shares = share;
        atomic_fetch_add_explicit(&pool.opened, 1, memory_order_relaxed);
        wake(helpers);
    }
    pthread_mutex_unlock(&pool.lock);
    return comers > 0;
}

static bool has_helpers(const struct share *share)
{
    return atomic_load_explicit(&share->helpers, memory_order_acquire) > 0;
}

/* No task is left that was not taken; waits for helpers to end theirs. */
static void close_share(struct share *share)
{
    if (has_helpers(share)) {
        const uint64_t end = hy_clock_now() + LOOK_OUT_NS;
        while (has_helpers(share) && hy_clock_now() < end)
            pause_briefly();
    }
    pthread_mutex_lock(&pool.lock);
    struct share **at = &pool.shares;
    while (*at != share)
        at = &(*at)->next;
    *at = share->next;
    while (has_helpers(share))
        pthread_cond_wait(&pool.left, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

static void run_alone(uint32_t count, void (*task)(void *argument, uint32_t index), void *argument)
{
    const bool was_in_task = is_in_task;

    is_in_task = true;
    for (uint32_t i = 0; i < count; i++)
        task(argument, i);
    is_in_task = was_in_task;
}

void hy_worker_pool_share(uint32_t count, void (*task)(void *argument, uint32_t index),
                          void *argument)
{
    const uint32_t width = hy_worker_pool_width();
    const uint32_t threads = count < width ? count : width;
    struct share share = {.task = task, .argument = argument, .count = count};

    if (threads > 1 && !is_in_task && open_share(&share, threads - 1)) {
        run_tasks(&share, false);
        close_share(&share);
    } else {
        run_alone(count, task, argument);
    }
}

/* ---- Fork ------------------------------------------------------------------------------------ */

/* The child has none of the threads, and nobody there waits for what was in line or shared. */
static void forget_threads(void)
{
    for (int i = 0; i <= HY_PRIORITY_HIGH; i++)
        pool.lines[i].first = NULL;
    pool.shares = NULL;
    atomic_store_explicit(&pool.waiting, 0, memory_order_relaxed);
    pool.threads = pool.asleep = pool.looking_out = 0;
    pthread_cond_init(&pool.wanted, NULL);
    pthread_cond_init(&pool.left, NULL);
}

void hy_worker_pool_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&pool.lock);
    if (phase == HY_FORK_CHILD)
        forget_threads();
    if (phase != HY_FORK_BEFORE)
        pthread_mutex_unlock(&pool.lock);
}
