#include "cpu_fallback/tuning/measure.h"

#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "cpu_fallback/cpu_memory.h"
#include "cpu_fallback/kernels/stop.h"

/* Rounds of measuring all blockings in turn; the shortest time counts. */
#define ROUNDS 7u

/* The time relative to the rule's blocking must be below this. */
#define WORTH 0.97

/* A step being measured, with its own memory for every operand but constants. */
struct measurement {
    const struct hy_cpu_program *program;
    const struct hy_cpu_plan_step *planned;
    const uint32_t *is_cancelled;
    struct hy_value *values; /* per operand: values of the plan, with data for the step */
    struct hy_call call;
    struct hy_cpu_block tensors, scratch;
};

/* A blocking of the step. */
struct way {
    struct hy_cpu_blocking blocking;
    struct hy_arena memory;
    struct hy_cpu_step step;
    int64_t least; /* shortest run, ns */
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static size_t whole_lines(uint64_t bytes)
{
    return (size_t)((bytes / HY_KERNEL_ALIGNMENT + 1) * HY_KERNEL_ALIGNMENT);
}

static bool needs_data(const struct measurement *measurement, uint32_t operand)
{
    const struct hy_value *value = &measurement->values[operand];

    return !value->data && !value->omitted && value->known &&
           !measurement->program->graph.operands[operand].is_constant;
}

/* Bytes of all operands that need data, each counted once; with `at`, assigns addresses from `at`
 * on. */
static size_t position(const struct measurement *measurement, uint8_t *at)
{
    const struct hy_call *call = &measurement->call;
    size_t total = 0;

    for (uint32_t i = 0; i < call->input_count + call->output_count; i++) {
        const uint32_t operand =
            i < call->input_count ? call->inputs[i] : call->outputs[i - call->input_count];
        if (!needs_data(measurement, operand))
            continue;
        if (at)
            measurement->values[operand].data = at + total;
        total += whole_lines(hy_cpu_value_bytes(&measurement->values[operand]));
    }
    return total;
}

/* Allocates the tensors and writes zeros: untouched pages may all map the same page of zeros. */
static enum hy_code begin(struct measurement *measurement, const struct hy_cpu_plan *plan,
                          struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &measurement->program->graph;

    memcpy(measurement->values, plan->values, graph->operand_count * sizeof *measurement->values);
    measurement->call =
        hy_cpu_graph_call(graph, measurement->planned->operation, measurement->values);
    const size_t total = position(measurement, NULL);
    if (!hy_cpu_block_reserve(measurement->program->host, &measurement->tensors, total + 1) ||
        !hy_cpu_block_reserve(measurement->program->host, &measurement->scratch,
                              measurement->planned->step.scratch + 1))
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %zu bytes of tensors", total);
    memset(measurement->tensors.bytes, 0, total);
    (void)position(measurement, measurement->tensors.bytes);
    return HY_OK;
}

/* ---- Time ------------------------------------------------------------------------------------ */

static enum hy_code run_once(const struct measurement *measurement, struct way *way,
                             struct hy_error *err)
{
    const struct hy_cpu_work work = {.call = &measurement->call,
                                     .params = way->step.params,
                                     .scratch = measurement->scratch.bytes,
                                     .host = measurement->program->host,
                                     .is_alone = true}; /* other threads are left to executions */

    if (hy_is_cancelled(measurement->is_cancelled))
        return hy_fail(err, HY_FAILED, "the measurement was cancelled");
    /* Processor time of this thread, since the machine has other work. */
    const int64_t start = hy_clock_read(CLOCK_THREAD_CPUTIME_ID);
    /* Every way is resolved. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    const enum hy_code code = way->step.op->run(&work, err);
    const int64_t elapsed = hy_clock_read(CLOCK_THREAD_CPUTIME_ID) - start;
    if (way->least == 0 || elapsed < way->least)
        way->least = elapsed;
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

static enum hy_code resolve_ways(struct measurement *measurement, struct way *ways, uint32_t count,
                                 struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = hy_cpu_program_resolve(measurement->program, measurement->planned->operation,
                                      &measurement->call, &ways[i].blocking, &ways[i].memory,
                                      &ways[i].step, err);
    return code;
}

/* Measures the blockings in turn. The first round only warms up, but is measured like the
 * others. */
static enum hy_code race(struct measurement *measurement, struct way *ways, uint32_t count,
                         struct hy_cpu_blocking *blocking, struct hy_error *err)
{
    enum hy_code code = resolve_ways(measurement, ways, count, err);

    for (uint32_t round = 0; round < ROUNDS && code == HY_OK; round++) {
        for (uint32_t i = 0; i < count && code == HY_OK; i++)
            code = run_once(measurement, &ways[i], err);
    }
    if (code == HY_OK)
        *blocking = ways[fastest(ways, count)].blocking;
    for (uint32_t i = 0; i < count; i++)
        hy_arena_finish(&ways[i].memory);
    return code;
}

/* ---- Choices --------------------------------------------------------------------------------- */

static enum hy_code measure_step(struct measurement *measurement, const struct hy_cpu_plan *plan,
                                 struct hy_cpu_blocking *blocking, struct hy_error *err)
{
    const struct hy_cpu_blockings *blockings = measurement->planned->step.blockings;
    struct way ways[HY_CPU_BLOCKS] = {0};
    enum hy_code code = begin(measurement, plan, err);

    for (uint32_t i = 0; i < blockings->count; i++)
        ways[i] = (struct way){.memory = hy_cpu_arena(measurement->program->host),
                               .blocking = {.block = blockings->blocks[i], .is_made = true}};
    return code == HY_OK ? race(measurement, ways, blockings->count, blocking, err) : code;
}

enum hy_code hy_cpu_measure(const struct hy_cpu_program *program, const struct hy_cpu_plan *plan,
                            const uint32_t *is_cancelled, struct hy_cpu_blocking *blockings,
                            struct hy_error *err)
{
    struct hy_arena memory = hy_cpu_arena(program->host);
    struct measurement measurement = {
        .program = program,
        .is_cancelled = is_cancelled,
        .values =
            hy_arena_alloc(&memory, program->graph.operand_count * sizeof *measurement.values),
    };
    enum hy_code code = HY_OK;

    if (!measurement.values)
        code =
            hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u values", program->graph.operand_count);
    for (uint32_t i = 0; i < plan->step_count && code == HY_OK; i++) {
        measurement.planned = &plan->steps[i];
        if (!measurement.planned->is_dynamic && !measurement.planned->is_empty &&
            measurement.planned->step.blockings)
            code =
                measure_step(&measurement, plan, &blockings[measurement.planned->operation], err);
    }
    hy_cpu_block_finish(&measurement.tensors);
    hy_cpu_block_finish(&measurement.scratch);
    hy_arena_finish(&memory);
    return code;
}
