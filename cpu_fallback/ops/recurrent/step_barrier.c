#include "cpu_fallback/ops/recurrent/step_barrier.h"
#include "cpu_fallback/kernels/stop.h"

#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>

/* Polls before the thread yields its processor: some microseconds, longer than a step should
 * take. */
#define PATIENT_LOOKS 128u

/* A word in its own cache line, written by one thread and polled by others. */
struct word {
    alignas(64) atomic_uint_fast64_t value;
};

struct crew {
    const struct hy_cpu_step_barrier *step_barrier;
    alignas(64) atomic_uint arrived; /* arrived threads */
    atomic_uint joined;              /* bit per part with its own thread */
    /* Written by the first thread after each step: the number of completed steps, the parts that
     * other threads computed in the last step, and the parts that they compute in the next. */
    struct word lead;
    struct word done[HY_CPU_STEP_BARRIER_PARTS]; /* completed steps per part of other threads */
};

#define ONE_STEP (UINT64_C(1) << (2 * HY_CPU_STEP_BARRIER_PARTS))

static uint64_t lead_word(uint32_t steps, unsigned before, unsigned next)
{
    return steps * ONE_STEP | (uint64_t)before << HY_CPU_STEP_BARRIER_PARTS | next;
}

static uint32_t steps_of(uint64_t lead)
{
    return (uint32_t)(lead / ONE_STEP);
}

static bool has_part(unsigned parts, uint32_t part)
{
    return parts >> part & 1;
}

static unsigned before_of(uint64_t lead)
{
    return (unsigned)(lead >> HY_CPU_STEP_BARRIER_PARTS) & ((1u << HY_CPU_STEP_BARRIER_PARTS) - 1);
}

static uint64_t look(const struct word *word)
{
    return atomic_load_explicit(&word->value, memory_order_acquire);
}

static void set(struct word *word, uint64_t value)
{
    atomic_store_explicit(&word->value, value, memory_order_release);
}

static void relax(unsigned looks)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
    if (looks >= PATIENT_LOOKS && looks % 8 == 0)
        sched_yield();
}

/* Waits until each of `parts` has completed `steps` steps. */
static void await_parts(const struct crew *crew, unsigned parts, uint32_t steps)
{
    for (uint32_t part = 0; parts != 0; part++, parts >>= 1)
        for (unsigned looks = 0; (parts & 1) && look(&crew->done[part]) < steps; looks++)
            relax(looks);
}

static void begin(const struct hy_cpu_step_barrier *step_barrier, uint32_t step, uint32_t part)
{
    if (step_barrier->begin && step < step_barrier->steps)
        step_barrier->begin(step_barrier->context, step, part);
}

static void begin_all_but(const struct hy_cpu_step_barrier *step_barrier, unsigned parts,
                          uint32_t step)
{
    for (uint32_t part = 0; part < step_barrier->parts; part++)
        if (!has_part(parts, part))
            begin(step_barrier, step, part);
}

/* The loop of the first thread: part 0 and all parts without their own thread. After a cancellation
 * all threads still step through the loop, because they wait for each other, but compute
 * nothing. */
static void lead(struct crew *crew)
{
    const struct hy_cpu_step_barrier *step_barrier = crew->step_barrier;
    struct hy_stop_watch *watch = hy_stop_here();
    unsigned others = 0;

    begin_all_but(step_barrier, others, 0);
    for (uint32_t step = 0; step < step_barrier->steps; step++) {
        const bool is_wanted = !hy_stop_after(watch, HY_STOP_UNITS / 8);
        for (uint32_t part = 0; part < step_barrier->parts && is_wanted; part++)
            if (!has_part(others, part))
                step_barrier->run(step_barrier->context, step, part);
        const unsigned before = others;
        others = atomic_load_explicit(&crew->joined, memory_order_relaxed);
        set(&crew->lead, lead_word(step + 1, before, others));
        begin_all_but(step_barrier, others, step + 1);
        await_parts(crew, before, step + 1);
    }
}

/* Waits until the thread of `part` has a step to compute. Returns the number of the step, or that
 * of all steps if the thread is too late. */
static uint32_t await_first_step(const struct crew *crew, uint32_t part)
{
    uint64_t word = look(&crew->lead);

    for (unsigned looks = 0; !has_part((unsigned)word | before_of(word), part) &&
                             steps_of(word) < crew->step_barrier->steps;
         looks++) {
        relax(looks);
        word = look(&crew->lead);
    }
    /* The first thread waits for this part before it is two steps ahead. */
    return steps_of(word) - has_part(before_of(word), part);
}

/* Waits until all parts of the steps before `step` are complete. */
static void await_step(const struct crew *crew, uint32_t step)
{
    uint64_t word = look(&crew->lead);

    for (unsigned looks = 0; steps_of(word) < step; looks++) {
        relax(looks);
        word = look(&crew->lead);
    }
    if (steps_of(word) == step) /* otherwise the first thread has waited */
        await_parts(crew, before_of(word), step);
}

static void follow(struct crew *crew, uint32_t part)
{
    const struct hy_cpu_step_barrier *step_barrier = crew->step_barrier;
    struct hy_stop_watch *watch = hy_stop_here();

    atomic_fetch_or_explicit(&crew->joined, 1u << part, memory_order_relaxed);
    uint32_t step = await_first_step(crew, part);
    if (step < step_barrier->steps)
        await_step(crew, step); /* the first thread may have computed this part */
    begin(step_barrier, step, part);
    for (; step < step_barrier->steps; step++) {
        await_step(crew, step);
        if (!hy_stop_after(watch, HY_STOP_UNITS / 8))
            step_barrier->run(step_barrier->context, step, part);
        set(&crew->done[part], step + 1);
        begin(step_barrier, step + 1, part);
    }
}

static void run_part(void *argument, uint32_t index)
{
    struct crew *crew = argument;
    const uint32_t part = atomic_fetch_add_explicit(&crew->arrived, 1, memory_order_relaxed);
    (void)index;

    if (part == 0)
        lead(crew);
    else
        follow(crew, part);
}

void hy_cpu_step_barrier_run(const struct hy_cpu_work *work,
                             const struct hy_cpu_step_barrier *step_barrier)
{
    struct crew crew = {.step_barrier = step_barrier};

    hy_cpu_parallel_for(work, step_barrier->parts, run_part, &crew);
}
