#include "runtime/threads/parallel_for.h"

#include "common/clock.h"
#include "runtime/threads/core_affinity.h"

#include <pthread.h>
#include <sched.h>
#include <stdalign.h>

/* Number of slots. With more jobs all cores are busy anyway. */
#define MAX_JOBS 32u

/* Reads before a thread yields its core: some microseconds, in which most tasks end. */
#define PATIENT_LOOKS 64u

/* Spin time while waiting for helpers: a few times the wake-up time of a thread. */
#define LOOK_NS UINT64_C(200000)

/* Shortest time between two moves of a helper: several times the duration of a move. */
#define MOVE_NS UINT64_C(300000)

/*
 * The state of a slot in one word, for access with single atomic operations: flags, the number of
 * taken seats, the index of the first free task, and the number of free tasks. 0 is a free slot. A
 * helper takes a seat; seats above the limit of helpers count as taken from the start. The owner
 * takes tasks from the front, helpers take tasks from the back: tasks of a thread are adjacent, and
 * the next operation finds much of its input in the thread's cache.
 */
#define OWNED     (UINT64_C(1) << 63) /* in use by an owner */
#define OPEN      (UINT64_C(1) << 62) /* helpers may join */
#define AWAITED   (UINT64_C(1) << 61) /* the last helper wakes the owner */
#define ONE_SEAT  (UINT64_C(1) << 52)
#define SEATS     (AWAITED - ONE_SEAT)
#define ONE_FIRST (UINT64_C(1) << 26)
#define TASKS     (ONE_FIRST - 1)

/* All shared state lies in one cache line. */
struct hy_parallel_job {
    alignas(64) atomic_uint_fast64_t state;
    uint64_t no_helpers; /* the bits of SEATS without helpers */
    hy_parallel_task *task;
    void *argument;
    atomic_int core; /* core of the owner at the start */
};

static struct hy_parallel_job jobs[MAX_JOBS];

/* A bit for each slot with a job to join, and above the bits a count of opened jobs, in one word
 * for idle threads. */
static alignas(64) atomic_uint_fast64_t offers;
#define OPENED_ONCE (UINT64_C(1) << MAX_JOBS)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* only for sleeping threads */
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;

static _Thread_local bool is_inside;

void hy_parallel_job_pause(unsigned looks)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
    if (looks >= PATIENT_LOOKS && looks % 8 == 0)
        sched_yield();
}

bool hy_parallel_job_is_inside(void)
{
    return is_inside;
}

unsigned hy_parallel_jobs_opened(void)
{
    return (unsigned)(atomic_load_explicit(&offers, memory_order_seq_cst) / OPENED_ONCE);
}

unsigned hy_parallel_jobs_open_count(void)
{
    const uint64_t open = atomic_load_explicit(&offers, memory_order_relaxed) & (OPENED_ONCE - 1);
    return (unsigned)__builtin_popcountll(open);
}

/* ---- For the owner of a job ------------------------------------------------------------------ */

static struct hy_parallel_job *acquire_job(void)
{
    const uint64_t open = atomic_load_explicit(&offers, memory_order_relaxed);

    for (unsigned i = 0; i < MAX_JOBS; i++) {
        uint_fast64_t free = 0;
        if (!(open >> i & 1) &&
            atomic_compare_exchange_strong_explicit(&jobs[i].state, &free, OWNED,
                                                    memory_order_acquire, memory_order_relaxed))
            return &jobs[i];
    }
    return NULL;
}

static uint64_t bit_of(const struct hy_parallel_job *job)
{
    return UINT64_C(1) << (job - jobs);
}

struct hy_parallel_job *hy_parallel_job_open(uint32_t count, uint32_t helpers,
                                             hy_parallel_task *task, void *argument)
{
    struct hy_parallel_job *job = count > 0 && count <= TASKS ? acquire_job() : NULL;
    if (!job)
        return NULL;
    job->no_helpers = SEATS - helpers * ONE_SEAT;
    job->task = task;
    job->argument = argument;
    atomic_store_explicit(&job->core, sched_getcpu(), memory_order_relaxed);
    /* The owner takes the first task. */
    atomic_store_explicit(&job->state, OWNED | OPEN | job->no_helpers | ONE_FIRST | (count - 1),
                          memory_order_release);
    /* Ordered before the check for sleeping threads, see worker_pool.c. */
    atomic_fetch_add_explicit(&offers, OPENED_ONCE + bit_of(job), memory_order_seq_cst);
    return job;
}

/* False: the state has changed; *from is the new state. */
static bool change(struct hy_parallel_job *job, uint_fast64_t *from, uint64_t to)
{
    return atomic_compare_exchange_weak_explicit(&job->state, from, to, memory_order_acq_rel,
                                                 memory_order_relaxed);
}

static uint32_t first_task(uint64_t state)
{
    return (uint32_t)(state / ONE_FIRST & TASKS);
}

static uint32_t last_task(uint64_t state)
{
    return first_task(state) + (uint32_t)(state & TASKS) - 1;
}

void hy_parallel_job_run(struct hy_parallel_job *job)
{
    is_inside = true;
    job->task(job->argument, 0);
    uint_fast64_t state = atomic_load_explicit(&job->state, memory_order_relaxed);
    while (state & TASKS) {
        if (!change(job, &state, state + ONE_FIRST - 1))
            continue;
        job->task(job->argument, first_task(state));
        state = atomic_load_explicit(&job->state, memory_order_relaxed);
    }
    is_inside = false;
}

void hy_parallel_job_run_alone(uint32_t count, hy_parallel_task *task, void *argument)
{
    const bool was_inside = is_inside;

    is_inside = true;
    for (uint32_t i = 0; i < count; i++)
        task(argument, i);
    is_inside = was_inside;
}

static bool has_helpers(const struct hy_parallel_job *job)
{
    return (atomic_load_explicit(&job->state, memory_order_acquire) & SEATS) != job->no_helpers;
}

/* For helpers in long tasks. */
static void sleep_until_left(struct hy_parallel_job *job)
{
    pthread_mutex_lock(&lock);
    atomic_fetch_or_explicit(&job->state, AWAITED, memory_order_relaxed);
    while (has_helpers(job))
        pthread_cond_wait(&left, &lock);
    pthread_mutex_unlock(&lock);
}

static void wait_until_left(struct hy_parallel_job *job)
{
    uint64_t end = 0;

    for (unsigned looks = 0; has_helpers(job); looks++) {
        hy_parallel_job_pause(looks);
        if (looks < PATIENT_LOOKS || looks % 8 != 0)
            continue;
        const uint64_t now = hy_clock_now();
        end = end ? end : now + LOOK_NS;
        if (now >= end) {
            sleep_until_left(job);
            return;
        }
    }
}

void hy_parallel_job_close(struct hy_parallel_job *job)
{
    atomic_fetch_and_explicit(&offers, ~bit_of(job), memory_order_relaxed);
    atomic_fetch_and_explicit(&job->state, ~OPEN, memory_order_acquire);
    wait_until_left(job);
    atomic_store_explicit(&job->state, 0, memory_order_release);
}

/* ---- For helpers ----------------------------------------------------------------------------- */

static bool is_urgent(const atomic_uint *urgent)
{
    return atomic_load_explicit(urgent, memory_order_relaxed) != 0;
}

/* The cores of the owners at the start of their jobs. */
static cpu_set_t busy_cores(void)
{
    const uint64_t open = atomic_load_explicit(&offers, memory_order_relaxed);
    cpu_set_t cores;

    CPU_ZERO(&cores);
    for (unsigned i = 0; i < MAX_JOBS; i++) {
        const int core = atomic_load_explicit(&jobs[i].core, memory_order_relaxed);
        if ((open >> i & 1) && core >= 0)
            CPU_SET((size_t)core, &cores);
    }
    return cores;
}

/* A helper that woke up on the owner's core competes with the owner while another core may be idle.
 * The scheduler only corrects this after some milliseconds. */
static void leave_core_of(const struct hy_parallel_job *job)
{
    static _Thread_local uint64_t next_move;
    const int core = atomic_load_explicit(&job->core, memory_order_relaxed);

    if (core < 0 || core != sched_getcpu())
        return;
    const uint64_t now = hy_clock_now();
    if (now < next_move)
        return;
    next_move = now + MOVE_NS;
    const cpu_set_t busy = busy_cores();
    (void)hy_core_affinity_avoid(&busy);
}

/* Joins a job and runs a task. False: no task. */
static bool join(struct hy_parallel_job *job)
{
    uint_fast64_t state = atomic_load_explicit(&job->state, memory_order_relaxed);

    while ((state & OPEN) && (state & TASKS) && (state & SEATS) != SEATS) {
        if (!change(job, &state, state + ONE_SEAT - 1))
            continue;
        job->task(job->argument, last_task(state));
        return true;
    }
    return false;
}

static void wake_owner(void)
{
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&left);
    pthread_mutex_unlock(&lock);
}

/* Runs another task, or leaves: false. */
static bool go_on(struct hy_parallel_job *job, const atomic_uint *urgent)
{
    uint_fast64_t state = atomic_load_explicit(&job->state, memory_order_relaxed);
    const uint64_t last_helper = job->no_helpers + ONE_SEAT; /* read before leaving */

    for (;;) {
        const bool goes_on = (state & TASKS) && !is_urgent(urgent);
        if (!change(job, &state, goes_on ? state - 1 : state - ONE_SEAT))
            continue;
        if (goes_on)
            job->task(job->argument, last_task(state));
        else if ((state & AWAITED) && (state & SEATS) == last_helper)
            wake_owner();
        return goes_on;
    }
}

bool hy_parallel_job_help(const atomic_uint *urgent)
{
    uint64_t open = atomic_load_explicit(&offers, memory_order_acquire) & (OPENED_ONCE - 1);
    bool has_helped = false;

    is_inside = true;
    for (; open != 0 && !has_helped && !is_urgent(urgent); open &= open - 1) {
        struct hy_parallel_job *job = &jobs[__builtin_ctzll(open)];
        leave_core_of(job);
        has_helped = join(job);
        while (has_helped && go_on(job, urgent))
            continue;
    }
    is_inside = false;
    return has_helped;
}

void hy_parallel_jobs_reset(void)
{
    for (unsigned i = 0; i < MAX_JOBS; i++)
        atomic_store_explicit(&jobs[i].state, 0, memory_order_relaxed);
    atomic_fetch_and_explicit(&offers, ~(OPENED_ONCE - 1), memory_order_relaxed);
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&left, NULL);
}
