#include "tools/commands/measurement.h"
#include "tools/print_json.h"

static json_t *stats_object(const struct hy_stats *stats)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "min", (json_int_t)stats->min, "mean",
                     (json_int_t)stats->mean, "p50", (json_int_t)stats->p50, "p90",
                     (json_int_t)stats->p90, "p99", (json_int_t)stats->p99, "max",
                     (json_int_t)stats->max);
}

static json_t *step_object(const struct hy_step_time *step)
{
    return json_pack("{s:o, s:i, s:I}", "device", hy_json_text(step->device), "operations",
                     (int)step->operation_count, "mean_ns", (json_int_t)step->mean_ns);
}

static void add_compile_times(json_t *object, const struct hy_compile_times *times)
{
    json_object_set_new(object, "compile_ns", stats_object(&times->cold));
    if (times->is_cached) {
        json_object_set_new(object, "compile_and_store_ns", stats_object(&times->storing));
        json_object_set_new(object, "compile_from_cache_ns", stats_object(&times->cached));
    }
    if (*times->reason)
        json_object_set_new(object, "not_cached", hy_json_text(times->reason));
}

enum hy_code hy_measurement_print_json(const struct hy_measurement *measurement,
                                       struct hy_error *err)
{
    json_t *steps = json_array();
    for (uint32_t i = 0; i < measurement->step_count; i++)
        json_array_append_new(steps, step_object(&measurement->steps[i]));
    json_t *object = json_pack(
        "{s:I, s:I, s:I, s:s, s:o, s:I, s:o}", "compilations",
        (json_int_t)measurement->plan.compilations, "warmup", (json_int_t)measurement->plan.warmup,
        "runs", (json_int_t)measurement->plan.runs, "mode", measurement->plan.mode_name,
        "inference_ns", stats_object(&measurement->run), "copied_bytes",
        (json_int_t)measurement->copied_bytes, "steps", steps);
    if (object)
        add_compile_times(object, &measurement->compile);
    if (object && measurement->plan.twin) {
        json_object_set_new(object, "in_app_inference_ns", stats_object(&measurement->twin));
        json_object_set_new(object, "isolation", json_real(hy_measurement_excess(measurement)));
    }
    return hy_json_print(object, err);
}
