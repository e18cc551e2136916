#include "cpu_fallback/tuning/measure.h"

#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/memory.h"

/* Rounds of measuring all blockings in turn; the shortest time counts. */
#define ROUNDS 7u

/* The time relative to the rule's blocking must be below this. */
#define WORTH 0.97

/* A step being measured, with its own memory for every operand but constants. */
struct trial {
    const struct hy_cpu_program *program;
    const struct hy_cpu_plan_step *planned;
    const uint32_t *is_cancelled;
    struct hy_value *values; /* per operand: values of the plan, with data for the step */
    struct hy_call call;
    struct hy_cpu_block tensors, scratch;
};

/* A blocking of the step. */
struct way {
    struct hy_cpu_choice choice;
    struct hy_arena memory;
    struct hy_cpu_step step;
    int64_t least; /* shortest run, ns */
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static size_t whole_lines(uint64_t bytes)
{
    return (size_t)((bytes / HY_KERNEL_ALIGNMENT + 1) * HY_KERNEL_ALIGNMENT);
}

static bool needs_data(const struct trial *trial, uint32_t operand)
{
    const struct hy_value *value = &trial->values[operand];

    return !value->data && !value->omitted && value->known &&
           !trial->program->graph.operands[operand].is_constant;
}

/* Bytes of all operands that need data, each counted once; with `at`, assigns addresses from `at`
 * on. */
static size_t place(const struct trial *trial, uint8_t *at)
{
    const struct hy_call *call = &trial->call;
    size_t total = 0;

    for (uint32_t i = 0; i < call->input_count + call->output_count; i++) {
        const uint32_t operand =
            i < call->input_count ? call->inputs[i] : call->outputs[i - call->input_count];
        if (!needs_data(trial, operand))
            continue;
        if (at)
            trial->values[operand].data = at + total;
        total += whole_lines(hy_cpu_value_bytes(&trial->values[operand]));
    }
    return total;
}

/* Allocates the tensors and writes zeros: untouched pages may all map the same page of zeros. */
static enum hy_code begin(struct trial *trial, const struct hy_cpu_plan *plan, struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &trial->program->graph;

    memcpy(trial->values, plan->values, graph->operand_count * sizeof *trial->values);
    trial->call = hy_cpu_graph_call(graph, trial->planned->operation, trial->values);
    const size_t total = place(trial, NULL);
    if (!hy_cpu_block_reserve(trial->program->host, &trial->tensors, total + 1) ||
        !hy_cpu_block_reserve(trial->program->host, &trial->scratch,
                              trial->planned->step.scratch + 1))
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %zu bytes of tensors", total);
    memset(trial->tensors.bytes, 0, total);
    (void)place(trial, trial->tensors.bytes);
    return HY_OK;
}

/* ---- Time ------------------------------------------------------------------------------------ */

static enum hy_code run_once(const struct trial *trial, struct way *way, struct hy_error *err)
{
    const struct hy_cpu_work work = {.call = &trial->call,
                                     .params = way->step.params,
                                     .scratch = trial->scratch.bytes,
                                     .host = trial->program->host,
                                     .is_alone = true}; /* other threads are left to executions */

    if (hy_is_cancelled(trial->is_cancelled))
        return hy_fail(err, HY_FAILED, "nobody wants it any more");
    /* Processor time of this thread, since the machine has other work. */
    const int64_t start = hy_clock_read(CLOCK_THREAD_CPUTIME_ID);
    const enum hy_code code = way->step.op->run(&work, err);
    const int64_t taken = hy_clock_read(CLOCK_THREAD_CPUTIME_ID) - start;
    if (way->least == 0 || taken < way->least)
        way->least = taken;
    return code;
}

/* The index of the fastest blocking, or 0, the rule's. */
static uint32_t fastest(const struct way *ways, uint32_t count)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < count; i++) {
        const double limit = (double)ways[best].least * (best == 0 ? WORTH : 1);
        if ((double)ways[i].least < limit)
            best = i;
    }
    return best;
}

static enum hy_code resolve_ways(struct trial *trial, struct way *ways, uint32_t count,
                                 struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = hy_cpu_program_resolve(trial->program, trial->planned->operation, &trial->call,
                                      &ways[i].choice, &ways[i].memory, &ways[i].step, err);
    return code;
}

/* Measures the blockings in turn. The first round only warms up, but is measured like the
 * others. */
static enum hy_code race(struct trial *trial, struct way *ways, uint32_t count,
                         struct hy_cpu_choice *choice, struct hy_error *err)
{
    enum hy_code code = resolve_ways(trial, ways, count, err);

    for (uint32_t round = 0; round < ROUNDS && code == HY_OK; round++) {
        for (uint32_t i = 0; i < count && code == HY_OK; i++)
            code = run_once(trial, &ways[i], err);
    }
    if (code == HY_OK)
        *choice = ways[fastest(ways, count)].choice;
    for (uint32_t i = 0; i < count; i++)
        hy_arena_finish(&ways[i].memory);
    return code;
}

/* ---- Choices --------------------------------------------------------------------------------- */

static enum hy_code measure_step(struct trial *trial, const struct hy_cpu_plan *plan,
                                 struct hy_cpu_choice *choice, struct hy_error *err)
{
    const struct hy_cpu_choices *choices = trial->planned->step.choices;
    struct way ways[HY_CPU_BLOCKS] = {0};
    enum hy_code code = begin(trial, plan, err);

    for (uint32_t i = 0; i < choices->count; i++)
        ways[i] = (struct way){.memory = hy_cpu_arena(trial->program->host),
                               .choice = {.block = choices->blocks[i], .is_made = true}};
    return code == HY_OK ? race(trial, ways, choices->count, choice, err) : code;
}

enum hy_code hy_cpu_measure(const struct hy_cpu_program *program, const struct hy_cpu_plan *plan,
                            const uint32_t *is_cancelled, struct hy_cpu_choice *choices,
                            struct hy_error *err)
{
    struct hy_arena memory = hy_cpu_arena(program->host);
    struct trial trial = {
        .program = program,
        .is_cancelled = is_cancelled,
        .values = hy_arena_alloc(&memory, program->graph.operand_count * sizeof *trial.values),
    };
    enum hy_code code = HY_OK;

    if (!trial.values)
        code =
            hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u values", program->graph.operand_count);
    for (uint32_t i = 0; i < plan->step_count && code == HY_OK; i++) {
        trial.planned = &plan->steps[i];
        if (!trial.planned->is_late && !trial.planned->is_empty && trial.planned->step.choices)
            code = measure_step(&trial, plan, &choices[trial.planned->operation], err);
    }
    hy_cpu_block_finish(&trial.tensors);
    hy_cpu_block_finish(&trial.scratch);
    hy_arena_finish(&memory);
    return code;
}
