#include "runtime/threads/worker_pool.h"

#include "common/clock.h"
#include "common/own_thread.h"
#include "runtime/environment.h"
#include "runtime/fork_guard.h"
#include "runtime/log.h"
#include "runtime/threads/parallel_for.h"
#include "runtime/threads/processor_quota.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define LEAST_THREADS 2u
#define MOST_THREADS  256u

/* Spin time of an idle worker: a few times its wake-up time, as operations follow each other
 * closely. */
#define LOOK_OUT_NS UINT64_C(200000)

/* Reads between two reads of the clock. */
#define LOOKS_AT_ONCE 64u

struct line {
    struct hy_work *first;
    struct hy_work **end;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wanted; /* work is available */
    struct line lines[HY_PRIORITY_HIGH + 1];
    /* Written with the lock held, read without the lock. */
    atomic_uint waiting; /* queued work items */
    atomic_uint threads;
    atomic_uint asleep;
    /* Accessed without the lock. */
    atomic_uint looking_out;
    atomic_uint alone;                /* threads that run a job alone */
    atomic_uint_fast64_t awake_until; /* hy_clock_now; workers spin at least until then */
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .wanted = PTHREAD_COND_INITIALIZER,
};

/* ---- Size ------------------------------------------------------------------------------------ */

/* The number of threads with a processor of their own: the allowed processors, limited by the
 * quota. */
static uint32_t usable_processors(void)
{
    cpu_set_t set;
    const long there = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                                   : sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t allowed = there < 1                    ? 1
                             : there < (long)MOST_THREADS ? (uint32_t)there
                                                          : MOST_THREADS;
    const uint32_t quota = hy_processor_quota("");
    return quota < allowed ? quota : allowed;
}

static uint32_t wanted_threads(const char *setting, uint32_t processors)
{
    char *end;
    if (!setting)
        return processors;

    const unsigned long wanted = strtoul(setting, &end, 10);
    if (*setting >= '0' && *setting <= '9' && *end == '\0' && wanted >= 1 && wanted <= MOST_THREADS)
        return (uint32_t)wanted;
    hy_log(HY_LOG_WARNING, "execute",
           "HALYARD_CPU_THREADS is \"%s\", needs a number from 1 to %u; using %u", setting,
           MOST_THREADS, processors);
    return processors;
}

/* Both are constant once the environment is known. */
struct size {
    uint16_t threads; /* of the pool; 0: unknown */
    uint16_t width;
};

static struct size pool_size(void)
{
    static _Atomic(struct size) size;
    struct size known = atomic_load_explicit(&size, memory_order_relaxed);
    if (known.threads > 0)
        return known;

    const struct hy_environment *environment = hy_environment();
    const uint32_t processors = usable_processors();
    const uint32_t threads =
        wanted_threads(environment ? environment->cpu_threads : NULL, processors);
    known.threads = (uint16_t)threads;
    known.width = (uint16_t)(threads < processors ? threads : processors);
    if (environment)
        atomic_store_explicit(&size, known, memory_order_relaxed);
    return known;
}

uint32_t hy_worker_pool_threads(void)
{
    return pool_size().threads;
}

uint32_t hy_worker_pool_width(void)
{
    return pool_size().width;
}

static unsigned look(const atomic_uint *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

/* ---- Workers --------------------------------------------------------------------------------- */

/* Removes the oldest item of the highest non-empty queue, or returns NULL. Call with the lock
 * held. */
static struct hy_work *pop_first(void)
{
    for (int i = HY_PRIORITY_HIGH; i >= 0; i--) {
        struct hy_work *work = pool.lines[i].first;
        if (!work)
            continue;
        pool.lines[i].first = work->next;
        atomic_fetch_sub_explicit(&pool.waiting, 1, memory_order_relaxed);
        return work;
    }
    return NULL;
}

static struct hy_work *pop_work(void)
{
    if (look(&pool.waiting) == 0)
        return NULL;
    pthread_mutex_lock(&pool.lock);
    struct hy_work *work = pop_first();
    pthread_mutex_unlock(&pool.lock);
    return work;
}

void hy_worker_pool_keep_awake(uint64_t ns)
{
    const uint64_t until = hy_clock_now() + (ns < HY_MAX_AWAKE_NS ? ns : HY_MAX_AWAKE_NS);
    uint_fast64_t known = atomic_load_explicit(&pool.awake_until, memory_order_relaxed);

    while (known < until &&
           !atomic_compare_exchange_weak_explicit(&pool.awake_until, &known, until,
                                                  memory_order_relaxed, memory_order_relaxed))
        continue;
}

static bool is_kept_awake(uint64_t now)
{
    return now < atomic_load_explicit(&pool.awake_until, memory_order_relaxed);
}

/* Spins until work is available or the time is up. */
static void look_out(unsigned opened)
{
    uint64_t end = 0;

    atomic_fetch_add_explicit(&pool.looking_out, 1, memory_order_relaxed);
    for (unsigned looks = 0; look(&pool.waiting) == 0 && hy_parallel_jobs_opened() == opened;
         looks++) {
        hy_parallel_job_pause(looks);
        if (looks % LOOKS_AT_ONCE != 0)
            continue;
        const uint64_t now = hy_clock_now();
        end = end ? end : now + LOOK_OUT_NS;
        if (now >= end && !is_kept_awake(now))
            break;
    }
    atomic_fetch_sub_explicit(&pool.looking_out, 1, memory_order_relaxed);
}

/* A thread that opens a job or adds work publishes it first and then checks for sleeping workers. A
 * worker registers as sleeping first and then checks for work, so one of the two sees the other. */
static void sleep_until_wanted(unsigned opened)
{
    pthread_mutex_lock(&pool.lock);
    atomic_fetch_add_explicit(&pool.asleep, 1, memory_order_seq_cst);
    if (look(&pool.waiting) == 0 && hy_parallel_jobs_opened() == opened)
        pthread_cond_wait(&pool.wanted, &pool.lock);
    atomic_fetch_sub_explicit(&pool.asleep, 1, memory_order_relaxed);
    pthread_mutex_unlock(&pool.lock);
}

/* No work is available. If jobs were opened since the last spin, spin again before sleeping. */
static void rest(unsigned *opened)
{
    const unsigned now = hy_parallel_jobs_opened();

    if (now == *opened) {
        sleep_until_wanted(now);
        return;
    }
    *opened = now;
    look_out(now);
}

static void *serve(void *unused)
{
    unsigned opened = 0; /* job count at the last spin */

    (void)unused;
    pthread_setname_np(pthread_self(), "halyard-worker");
    for (;;) {
        struct hy_work *work = pop_work();
        if (work)
            work->run(work);
        else if (!hy_parallel_job_help(&pool.waiting))
            rest(&opened);
    }
    return NULL;
}

/* Workers without pending work. */
static unsigned count_idle(void)
{
    const unsigned waiting = look(&pool.waiting);
    const unsigned idle = look(&pool.asleep) + look(&pool.looking_out);
    return idle > waiting ? idle - waiting : 0;
}

/* Call with the lock held. Spinning workers need no wake-up. */
static void wake(uint32_t count)
{
    const uint32_t looking_out = look(&pool.looking_out), asleep = look(&pool.asleep);

    for (uint32_t i = looking_out; i < count && i - looking_out < asleep; i++)
        pthread_cond_signal(&pool.wanted);
}

/* Call with the lock held. */
static bool start_worker(void)
{
    if (hy_own_thread_start(serve, NULL) != 0)
        return false;
    atomic_fetch_add_explicit(&pool.threads, 1, memory_order_relaxed);
    return true;
}

/* ---- Asynchronous executions ----------------------------------------------------------------- */

bool hy_worker_pool_add(struct hy_work *work)
{
    const uint32_t wanted = hy_worker_pool_threads();
    const uint32_t limit = wanted > LEAST_THREADS ? wanted : LEAST_THREADS;

    pthread_mutex_lock(&pool.lock);
    if (count_idle() == 0 && look(&pool.threads) < limit)
        (void)start_worker();
    const bool is_accepted = look(&pool.threads) > 0;
    if (is_accepted) {
        struct line *line = &pool.lines[work->priority];
        if (!line->first)
            line->end = &line->first;
        work->next = NULL;
        *line->end = work;
        line->end = &work->next;
        wake(atomic_fetch_add_explicit(&pool.waiting, 1, memory_order_relaxed) + 1);
    }
    pthread_mutex_unlock(&pool.lock);
    return is_accepted;
}

/* ---- Sharing --------------------------------------------------------------------------------- */

/* The number of available helpers, including workers started now. */
static uint32_t count_comers(uint32_t helpers)
{
    uint32_t comers = count_idle();

    if (comers >= helpers || look(&pool.threads) >= helpers)
        return comers;
    pthread_mutex_lock(&pool.lock);
    while (comers < helpers && look(&pool.threads) < helpers && start_worker())
        comers++;
    pthread_mutex_unlock(&pool.lock);
    return comers;
}

static void call(uint32_t helpers)
{
    if (atomic_load_explicit(&pool.asleep, memory_order_seq_cst) == 0 ||
        look(&pool.looking_out) >= helpers)
        return;
    pthread_mutex_lock(&pool.lock);
    wake(helpers);
    pthread_mutex_unlock(&pool.lock);
}

/* False: other threads occupy all cores, or no helper is available. */
static bool run_parallel(uint32_t helpers, uint32_t count, hy_parallel_task *task, void *argument)
{
    if (hy_parallel_jobs_open_count() + look(&pool.alone) + 1 >= hy_worker_pool_width() ||
        count_comers(helpers) == 0)
        return false;
    struct hy_parallel_job *job = hy_parallel_job_open(count, helpers, task, argument);
    if (!job)
        return false;
    call(helpers);
    hy_parallel_job_run(job);
    hy_parallel_job_close(job);
    return true;
}

/* 0: no limit. Static thread-local storage: each execution sets the limit, and an access needs no
 * call. */
static _Thread_local uint32_t limit_of_thread __attribute__((tls_model("initial-exec")));

uint32_t hy_worker_pool_limit(uint32_t threads)
{
    const uint32_t before = limit_of_thread;

    limit_of_thread = threads;
    return before;
}

static uint32_t width_of_thread(void)
{
    const uint32_t width = hy_worker_pool_width();
    return limit_of_thread != 0 && limit_of_thread < width ? limit_of_thread : width;
}

void hy_worker_pool_parallel_for(uint32_t count, void (*task)(void *argument, uint32_t index),
                                 void *argument)
{
    const uint32_t width = width_of_thread();
    const uint32_t threads = count < width ? count : width;

    if (threads <= 1 || hy_parallel_job_is_inside()) {
        hy_parallel_job_run_alone(count, task, argument);
    } else if (!run_parallel(threads - 1, count, task, argument)) {
        atomic_fetch_add_explicit(&pool.alone, 1, memory_order_relaxed);
        hy_parallel_job_run_alone(count, task, argument);
        atomic_fetch_sub_explicit(&pool.alone, 1, memory_order_relaxed);
    }
}

/* ---- Fork ------------------------------------------------------------------------------------ */

/* The child has no workers, and no thread of the child waits for queued work. */
static void reset_threads(void)
{
    for (int i = 0; i <= HY_PRIORITY_HIGH; i++)
        pool.lines[i].first = NULL;
    atomic_store_explicit(&pool.waiting, 0, memory_order_relaxed);
    atomic_store_explicit(&pool.threads, 0, memory_order_relaxed);
    atomic_store_explicit(&pool.asleep, 0, memory_order_relaxed);
    atomic_store_explicit(&pool.looking_out, 0, memory_order_relaxed);
    atomic_store_explicit(&pool.alone, 0, memory_order_relaxed);
    pthread_cond_init(&pool.wanted, NULL);
    hy_parallel_jobs_reset();
}

static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&pool.lock);
    if (phase == HY_FORK_CHILD)
        reset_threads();
    if (phase != HY_FORK_BEFORE)
        pthread_mutex_unlock(&pool.lock);
}

HY_AT_FORK(HY_FORK_WORKER_POOL, at_fork)
