#include "tools/commands/measurement.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "common/clock.h"
#include "tools/api_result.h"
#include "tools/interrupt.h"
#include "tools/progress.h"

/* Consecutive runs before the turn of the other process: few, so that both run under the same
 * load. */
#define ROUND_LENGTH 20u

/* Runs of the pass that measures steps, at most. */
#define STEP_RUNS_MOST 200u

/* ---- Runs ------------------------------------------------------------------------------------ */

static enum hy_code run_turn(struct hy_session *session, uint32_t count, struct hy_samples *samples,
                             struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        const uint64_t start = hy_clock_now();
        code = hy_session_run(session, err);
        if (code == HY_OK)
            code = hy_samples_add(samples, hy_clock_now() - start, err);
    }
    return code;
}

static enum hy_code run_peer_round(struct hy_peer_process *peer, uint32_t count,
                                   struct hy_samples *samples, struct hy_error *err)
{
    uint64_t times[ROUND_LENGTH];

    enum hy_code code = hy_peer_process_run(peer, count, times, err);
    for (uint32_t i = 0; code == HY_OK && i < count; i++)
        code = hy_samples_add(samples, times[i], err);
    return code;
}

static uint32_t round_length(const struct hy_measurement_plan *plan, uint32_t done)
{
    if (plan->length.duration_ns)
        return plan->peer ? ROUND_LENGTH : 1;
    return plan->length.runs - done < ROUND_LENGTH ? plan->length.runs - done : ROUND_LENGTH;
}

static enum hy_code measure_rounds(struct hy_session *session,
                                   const struct hy_measurement_plan *plan,
                                   struct hy_samples *samples, struct hy_samples *peer_samples,
                                   struct hy_error *err)
{
    struct hy_progress progress;
    enum hy_code code = HY_OK;

    hy_progress_start(&progress, "run", (uint64_t)plan->warmup + plan->length.runs);
    for (uint32_t i = 0; code == HY_OK && i < plan->warmup && !hy_interrupt_came(); i++) {
        hy_progress_report(&progress, i);
        code = hy_session_run(session, err);
    }
    const uint64_t start = hy_clock_now();
    while (code == HY_OK && !hy_measured_length_is_over(&plan->length, samples->count, start)) {
        const uint32_t count = round_length(plan, samples->count);
        hy_progress_report(&progress, (uint64_t)plan->warmup + samples->count);
        code = run_turn(session, count, samples, err);
        if (code == HY_OK && plan->peer)
            code = run_peer_round(plan->peer, count, peer_samples, err);
    }
    hy_progress_end(&progress);
    return code;
}

static enum hy_code measure_runs(struct hy_session *session, struct hy_measurement *out,
                                 struct hy_error *err)
{
    struct hy_samples samples = {0}, peer_samples = {0};

    const enum hy_code code = measure_rounds(session, &out->plan, &samples, &peer_samples, err);
    out->run_count = samples.count;
    if (samples.count > 0)
        out->run = hy_stats_make(samples.at, samples.count);
    if (peer_samples.count > 0)
        out->peer = hy_stats_make(peer_samples.at, peer_samples.count);
    hy_samples_finish(&samples);
    hy_samples_finish(&peer_samples);
    return code;
}

static enum hy_code measure_streams(struct hy_measurement *out, struct hy_error *err)
{
    const struct hy_measurement_plan *plan = &out->plan;
    const struct hy_streams_plan streams = {
        .model = plan->model,
        .settings = plan->settings,
        .inputs = plan->inputs,
        .count = plan->streams,
        .warmup = plan->warmup,
        .length = plan->length,
    };

    return plan->streams > 1 && !hy_interrupt_came()
               ? hy_streams_measure(&streams, &out->streams, err)
               : HY_OK;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Does not read the token, whose computation may be slow. */
static enum hy_code read_step(const ANeuralNetworksCompilation *compilation, uint32_t index,
                              struct halyard_plan_step *step, struct hy_error *err)
{
    step->struct_size = offsetof(struct halyard_plan_step, token);
    return hy_api_result(halyard_compilation_get_step(compilation, index, step),
                         "compilation_get_step", err);
}

/* Times of one run, from the totals of all runs before and after. */
static enum hy_code note_step_times(const ANeuralNetworksCompilation *compilation,
                                    struct hy_samples *samples, uint64_t *totals, uint32_t count,
                                    struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        struct halyard_plan_step step = {0};
        code = read_step(compilation, i, &step, err);
        if (code == HY_OK)
            code = hy_samples_add(&samples[i], step.total_ns - totals[i], err);
        totals[i] = step.total_ns;
    }
    return code;
}

static enum hy_code run_with_step_clock(struct hy_session *session,
                                        const struct hy_measurement *out,
                                        struct hy_samples *samples, uint64_t *totals,
                                        struct hy_error *err)
{
    ANeuralNetworksCompilation *compilation = hy_session_compilation(session);
    const uint32_t most = out->run_count < STEP_RUNS_MOST ? out->run_count : STEP_RUNS_MOST;

    enum hy_code code = hy_api_result(halyard_compilation_measure_steps(compilation, true),
                                      "compilation_measure_steps", err);
    for (uint32_t i = 0; code == HY_OK && i < most && !hy_interrupt_came(); i++) {
        code = hy_session_run(session, err);
        if (code == HY_OK)
            code = note_step_times(compilation, samples, totals, out->step_count, err);
    }
    return code == HY_OK ? hy_api_result(halyard_compilation_measure_steps(compilation, false),
                                         "compilation_measure_steps", err)
                         : code;
}

static enum hy_code fill_steps(const ANeuralNetworksCompilation *compilation,
                               struct hy_measurement *out, struct hy_samples *samples,
                               struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < out->step_count; i++) {
        struct halyard_plan_step step = {.struct_size = sizeof step}; /* with what follows it */
        code = hy_api_result(halyard_compilation_get_step(compilation, i, &step),
                             "compilation_get_step", err);
        out->steps[i] = (struct hy_step_time){
            .device = step.device,
            .operation_count = step.operation_count,
            .mean_ns = step.run_count ? step.total_ns / step.run_count : 0,
            .median_ns = samples[i].count ? hy_stats_make(samples[i].at, samples[i].count).p50 : 0,
            .fallback_runs = step.fallback_run_count,
        };
    }
    return code;
}

static enum hy_code measure_steps(struct hy_session *session, struct hy_measurement *out,
                                  struct hy_error *err)
{
    const ANeuralNetworksCompilation *compilation = hy_session_compilation(session);
    struct halyard_plan plan = {.struct_size = sizeof plan};
    enum hy_code code = hy_api_result(halyard_compilation_get_plan(compilation, &plan),
                                      "compilation_get_plan", err);
    if (code != HY_OK)
        return code;

    out->steps = calloc((size_t)plan.step_count + 1, sizeof *out->steps);
    struct hy_samples *samples = calloc((size_t)plan.step_count + 1, sizeof *samples);
    uint64_t *totals = calloc((size_t)plan.step_count + 1, sizeof *totals);
    if (out->steps && samples && totals) {
        out->step_count = plan.step_count;
        code = run_with_step_clock(session, out, samples, totals, err);
        if (code == HY_OK)
            code = fill_steps(compilation, out, samples, err);
    } else {
        code = hy_fail(err, HY_OUT_OF_MEMORY, "times of %u steps", plan.step_count);
    }
    if (plan.execution_count > 0)
        out->copied_bytes = plan.copied_bytes / plan.execution_count;
    for (uint32_t i = 0; samples && i < plan.step_count; i++)
        hy_samples_finish(&samples[i]);
    free(samples);
    free(totals);
    return code;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static uint64_t peak_bytes(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

enum hy_code hy_measurement_make(struct hy_session *session, const struct hy_measurement_plan *plan,
                                 struct hy_measurement *out, struct hy_error *err)
{
    out->plan = *plan;
    out->compile.compilations = plan->compilations;
    out->date = (int64_t)time(NULL);
    out->has_digest = hy_model_digest_make(plan->model, &out->digest);

    enum hy_code code = plan->peer ? hy_peer_process_prepare(plan->peer, err) : HY_OK;
    if (code == HY_OK)
        code = hy_compile_times_make(session, plan->cache_dir, &out->compile, err);
    if (code == HY_OK)
        code = measure_runs(session, out, err);
    if (code == HY_OK)
        code = measure_streams(out, err);
    if (code == HY_OK)
        code = measure_steps(session, out, err);
    out->is_interrupted = hy_interrupt_came();
    out->peak_bytes = peak_bytes();
    return code;
}

void hy_measurement_finish(struct hy_measurement *measurement)
{
    free(measurement->steps);
    *measurement = (struct hy_measurement){0};
}

double hy_measurement_excess(const struct hy_measurement *measurement)
{
    return measurement->peer.p50 > 0
               ? (double)measurement->run.p50 / (double)measurement->peer.p50 - 1
               : 0;
}

double hy_measurement_throughput(const struct hy_measurement *measurement)
{
    const struct hy_streams_times *streams = &measurement->streams;

    return streams->wall_ns > 0 ? (double)streams->runs * 1e9 / (double)streams->wall_ns : 0;
}

uint64_t hy_measurement_fallback_runs(const struct hy_measurement *measurement)
{
    uint64_t runs = 0;

    for (uint32_t i = 0; i < measurement->step_count; i++)
        runs += measurement->steps[i].fallback_runs;
    return runs;
}
