#include "cpu_fallback/ops/elements/elements.h"

#include "cpu_fallback/ops/recurrent/pieces.h"

/* Tasks begin at multiples of this number, so that no two tasks write to the same cache line of an
 * aligned output. */
#define LINE_ELEMENTS 64u

struct hy_cpu_elements hy_cpu_elements_plan(const struct hy_cpu_resolve_ctx *ctx, size_t count,
                                            double per_us, struct hy_cpu_step *step)
{
    step->us = (double)count / per_us;
    return (struct hy_cpu_elements){count, hy_cpu_tasks_of(step->us, ctx->threads)};
}

/* Data of a run, common to all tasks. */
struct elements_run {
    const struct hy_cpu_work *work;
    const struct hy_cpu_elements *elements;
    hy_cpu_elements_fn *run;
};

static void run_pieces(const struct elements_run *all, size_t first, size_t count)
{
    for (struct hy_pieces at = hy_pieces(count, HY_CPU_PIECE); hy_pieces_next(&at);)
        all->run(all->work, first + at.first, at.part);
}

static size_t task_begin(const struct hy_cpu_elements *elements, uint32_t task)
{
    const uint64_t lines = elements->count / LINE_ELEMENTS;

    if (task == elements->tasks)
        return elements->count;
    return (size_t)(lines * task / elements->tasks) * LINE_ELEMENTS;
}

static void run_task(void *argument, uint32_t task)
{
    const struct elements_run *all = argument;
    const size_t begin = task_begin(all->elements, task);

    run_pieces(all, begin, task_begin(all->elements, task + 1) - begin);
}

void hy_cpu_elements_run(const struct hy_cpu_work *work, const struct hy_cpu_elements *elements,
                         hy_cpu_elements_fn *run)
{
    struct elements_run all = {work, elements, run};

    hy_cpu_parallel_for(work, elements->tasks, run_task, &all);
}
