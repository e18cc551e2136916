/* The output of `halyard bench` for people and spreadsheets. */
#include <stdio.h>

#include "common/printable.h"
#include "tools/byte_text.h"
#include "tools/commands/measurement.h"

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
        if (step->mean_ns > 0)
            printf("step %-5u     median %s, mean %s   (%u operation%s on %s)\n", i,
                   duration(step->median_ns).text, duration(step->mean_ns).text,
                   step->operation_count, step->operation_count == 1 ? "" : "s",
                   hy_device_name(step->device));
        if (step->fallback_runs > 0)
            printf("               %llu runs went to another device after a failure\n",
                   (unsigned long long)step->fallback_runs);
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

static void print_run(const char *how, const struct hy_stats *run)
{
    printf("%s p50 %s, p90 %s, p99 %s, min %s, mean %s", how, duration(run->p50).text,
           duration(run->p90).text, duration(run->p99).text, duration(run->min).text,
           duration(run->mean).text);
}

static void print_streams(const struct hy_measurement *measurement)
{
    const struct hy_streams_times *streams = &measurement->streams;

    if (streams->runs == 0)
        return;
    printf(
        "  %-4u at once %.1f inferences a second; p50 %s, p90 %s, p99 %s   (%u runs in %.2f s)\n",
        measurement->plan.streams, hy_measurement_throughput(measurement),
        duration(streams->run.p50).text, duration(streams->run.p90).text,
        duration(streams->run.p99).text, streams->runs, (double)streams->wall_ns / 1e9);
}

static void print_runs(const struct hy_measurement *measurement)
{
    if (measurement->run_count > 0) {
        print_run("inference     ", &measurement->run);
        printf("   (%u runs after %u)\n", measurement->run_count, measurement->plan.warmup);
    }
    if (measurement->peer.p50 > 0) {
        print_run("  in the app  ", &measurement->peer);
        printf("   (in turns)\n  isolation    %+.1f %% of the p50\n",
               100 * hy_measurement_excess(measurement));
    }
    print_streams(measurement);
}

void hy_measurement_print(const struct hy_measurement *measurement)
{
    print_compiles(&measurement->compile);
    print_runs(measurement);
    printf("copied         %llu bytes an inference, by the runtime\n",
           (unsigned long long)measurement->copied_bytes);
    printf("memory         %s at most, of this process\n",
           hy_byte_text(measurement->peak_bytes).text);
    print_steps(measurement);
    if (measurement->is_interrupted)
        printf("interrupted    after %u runs\n", measurement->run_count);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void print_cell(const char *text)
{
    putchar('"');
    for (const char *at = text; *at; at++)
        printf(*at == '"' ? "\"\"" : "%c", *at);
    putchar('"');
}

static void print_numbers(const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf(",%llu", (unsigned long long)numbers[i]);
}

void hy_measurement_print_csv(const struct hy_measurement *measurement)
{
    if (!measurement) {
        puts("model,xxh3_128,mode,threads,streams,runs,compile_p50_ns,compile_from_cache_p50_ns,"
             "min_ns,mean_ns,p50_ns,p90_ns,p99_ns,max_ns,inferences_per_second,copied_bytes,"
             "peak_bytes,steps,fallback_runs");
        return;
    }
    const struct hy_measurement_plan *plan = &measurement->plan;
    const struct hy_stats *run = &measurement->run;
    const uint64_t before[] = {plan->settings->threads,
                               plan->streams,
                               measurement->run_count,
                               measurement->compile.cold.p50,
                               measurement->compile.cached.p50,
                               run->min,
                               run->mean,
                               run->p50,
                               run->p90,
                               run->p99,
                               run->max};
    const uint64_t after[] = {measurement->copied_bytes, measurement->peak_bytes,
                              measurement->step_count, hy_measurement_fallback_runs(measurement)};
    print_cell(plan->model);
    printf(",%s,%s", measurement->has_digest ? measurement->digest.xxh3_128 : "",
           hy_run_mode_name(plan->settings->mode));
    print_numbers(before, sizeof before / sizeof *before);
    if (measurement->streams.runs > 0)
        printf(",%.3f", hy_measurement_throughput(measurement));
    else
        putchar(',');
    print_numbers(after, sizeof after / sizeof *after);
    putchar('\n');
}
