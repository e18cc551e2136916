#include "tools/commands/measurement.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "tools/api_result.h"
#include "tools/progress.h"

/* Runs in a row, before it is the twin's turn: few enough that both see the same machine. */
#define TURN 20u

static enum hy_code take_turn(struct hy_session *session, uint32_t count, uint64_t *samples,
                              struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        const uint64_t start = hy_clock_now();
        code = hy_session_run(session, err);
        samples[i] = hy_clock_now() - start;
    }
    return code;
}

/* `samples` has room for the runs of both. */
static enum hy_code measure_runs(struct hy_session *session, uint64_t *samples,
                                 struct hy_measurement *out, struct hy_error *err)
{
    const struct hy_measurement_plan *plan = &out->plan;
    uint64_t *twin_samples = samples + plan->runs;
    struct hy_progress progress;
    hy_progress_start(&progress, "run", (uint64_t)plan->warmup + plan->runs);
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < plan->warmup; i++) {
        hy_progress_tell(&progress, i);
        code = hy_session_run(session, err);
    }
    for (uint32_t i = 0; code == HY_OK && i < plan->runs; i += TURN) {
        const uint32_t count = plan->runs - i < TURN ? plan->runs - i : TURN;
        hy_progress_tell(&progress, (uint64_t)plan->warmup + i);
        code = take_turn(session, count, samples + i, err);
        if (code == HY_OK && plan->twin)
            code = hy_twin_run(plan->twin, count, twin_samples + i, err);
    }
    hy_progress_end(&progress);
    if (code == HY_OK)
        out->run = hy_stats_make(samples, plan->runs);
    if (code == HY_OK && plan->twin)
        out->twin = hy_stats_make(twin_samples, plan->runs);
    return code;
}

static enum hy_code run_with_step_clock(struct hy_session *session, struct hy_measurement *out,
                                        struct hy_error *err)
{
    ANeuralNetworksCompilation *compilation = hy_session_compilation(session);
    enum hy_code code = hy_api_result(halyard_compilation_measure_steps(compilation, true),
                                      "compilation_measure_steps", err);
    for (uint32_t i = 0; code == HY_OK && i < out->plan.runs; i++)
        code = hy_session_run(session, err);
    if (code == HY_OK)
        code = hy_api_result(halyard_compilation_measure_steps(compilation, false),
                             "compilation_measure_steps", err);
    return code;
}

static enum hy_code read_steps(const ANeuralNetworksCompilation *compilation,
                               struct hy_measurement *out, struct hy_error *err)
{
    struct halyard_plan plan = {.struct_size = sizeof plan};
    enum hy_code code = hy_api_result(halyard_compilation_get_plan(compilation, &plan),
                                      "compilation_get_plan", err);
    if (code != HY_OK)
        return code;

    if (plan.execution_count > 0)
        out->copied_bytes = plan.copied_bytes / plan.execution_count;
    out->steps = calloc((size_t)plan.step_count + 1, sizeof *out->steps);
    if (!out->steps)
        return hy_fail(err, HY_OUT_OF_MEMORY, "times of %u steps", plan.step_count);
    for (uint32_t i = 0; code == HY_OK && i < plan.step_count; i++) {
        struct halyard_plan_step step = {.struct_size = sizeof step};
        code = hy_api_result(halyard_compilation_get_step(compilation, i, &step),
                             "compilation_get_step", err);
        out->steps[i] = (struct hy_step_time){
            .device = hy_device_name(step.device),
            .operation_count = step.operation_count,
            .mean_ns = step.run_count ? step.total_ns / step.run_count : 0,
        };
        out->step_count = i + 1;
    }
    return code;
}

enum hy_code hy_measurement_make(struct hy_session *session, const struct hy_measurement_plan *plan,
                                 struct hy_measurement *out, struct hy_error *err)
{
    out->plan = *plan;
    out->compile.compilations = plan->compilations;
    uint64_t *samples = calloc(plan->runs, 2 * sizeof *samples);
    if (!samples)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u samples", plan->runs);

    enum hy_code code = plan->twin ? hy_twin_prepare(plan->twin, err) : HY_OK;
    if (code == HY_OK)
        code = hy_compile_times_make(session, plan->cache_folder, &out->compile, err);
    if (code == HY_OK)
        code = measure_runs(session, samples, out, err);
    free(samples);
    if (code == HY_OK)
        code = run_with_step_clock(session, out, err);
    if (code == HY_OK)
        code = read_steps(hy_session_compilation(session), out, err);
    return code;
}

void hy_measurement_finish(struct hy_measurement *measurement)
{
    free(measurement->steps);
    *measurement = (struct hy_measurement){0};
}

/* "12.3 us" or "4.567 ms", whichever reads better. */
struct duration_text {
    char text[24];
};

static struct duration_text duration(uint64_t ns)
{
    struct duration_text duration;
    if (ns < 1000000)
        snprintf(duration.text, sizeof duration.text, "%.1f us", (double)ns / 1e3);
    else
        snprintf(duration.text, sizeof duration.text, "%.3f ms", (double)ns / 1e6);
    return duration;
}

static void print_steps(const struct hy_measurement *measurement)
{
    for (uint32_t i = 0; i < measurement->step_count; i++) {
        const struct hy_step_time *step = &measurement->steps[i];
        printf("step %-5u     mean %s   (%u operation%s on %s)\n", i, duration(step->mean_ns).text,
               step->operation_count, step->operation_count == 1 ? "" : "s", step->device);
    }
}

static void print_compile(const char *how, const struct hy_stats *stats, uint32_t count)
{
    printf("%s  min %s, median %s   (%u compilations)\n", how, duration(stats->min).text,
           duration(stats->p50).text, count);
}

static void print_compiles(const struct hy_compile_times *times)
{
    print_compile("compile      ", &times->cold, times->compilations);
    if (times->is_cached) {
        print_compile("  and store  ", &times->storing, times->compilations);
        print_compile("  from cache ", &times->cached, times->compilations);
    }
    if (*times->reason)
        printf("  not cached   %s\n", times->reason);
}

double hy_measurement_excess(const struct hy_measurement *measurement)
{
    return measurement->twin.p50 > 0
               ? (double)measurement->run.p50 / (double)measurement->twin.p50 - 1
               : 0;
}

static void print_run(const char *how, const struct hy_stats *run)
{
    printf("%s p50 %s, p90 %s, p99 %s, min %s, mean %s", how, duration(run->p50).text,
           duration(run->p90).text, duration(run->p99).text, duration(run->min).text,
           duration(run->mean).text);
}

void hy_measurement_print(const struct hy_measurement *measurement)
{
    print_compiles(&measurement->compile);
    print_run("inference     ", &measurement->run);
    printf("   (%u runs after %u)\n", measurement->plan.runs, measurement->plan.warmup);
    if (measurement->plan.twin) {
        print_run("  in the app  ", &measurement->twin);
        printf("   (in turns)\n  isolation    %+.1f %% of the p50\n",
               100 * hy_measurement_excess(measurement));
    }
    printf("copied         %llu bytes an inference, by the runtime\n",
           (unsigned long long)measurement->copied_bytes);
    print_steps(measurement);
}
