#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

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
    return json_pack("{s:o, s:i, s:I, s:I, s:I}", "device",
                     hy_json_text(hy_device_name(step->device)), "operations",
                     (int)step->operation_count, "mean_ns", (json_int_t)step->mean_ns, "median_ns",
                     (json_int_t)step->median_ns, "fallback_runs", (json_int_t)step->fallback_runs);
}

static json_t *model_object(const struct hy_measurement *measurement)
{
    json_t *object = json_pack("{s:o}", "path", hy_json_text(measurement->plan.model));
    if (object && measurement->has_digest) {
        json_object_set_new(object, "bytes", json_integer((json_int_t)measurement->digest.bytes));
        json_object_set_new(object, "xxh3_128", json_string(measurement->digest.xxh3_128));
    }
    return object;
}

/* The device of a step, unless an earlier step has it. The last word of the build of halyard-cpu is
 * its set of instructions. */
static void add_device(json_t *devices, const struct hy_measurement *measurement, uint32_t index)
{
    const ANeuralNetworksDevice *device = measurement->steps[index].device;
    struct halyard_device_info info = {.struct_size = sizeof info};

    for (uint32_t i = 0; i < index; i++)
        if (measurement->steps[i].device == device)
            return;
    if (halyard_device_get_info(device, &info) != ANEURALNETWORKS_NO_ERROR)
        return;
    json_t *object = json_pack("{s:o, s:o, s:o}", "name", hy_json_text(info.name), "version",
                               hy_json_text(info.version), "build", hy_json_text(info.build_id));
    const char *set = strrchr(info.build_id, ' ');
    if (object && set && info.kind == HALYARD_DEVICE_BUILT_IN)
        json_object_set_new(object, "instruction_set", hy_json_text(set + 1));
    json_array_append_new(devices, object);
}

static json_t *device_array(const struct hy_measurement *measurement)
{
    json_t *devices = json_array();
    for (uint32_t i = 0; i < measurement->step_count; i++)
        add_device(devices, measurement, i);
    return devices;
}

static json_t *date_text(int64_t date)
{
    const time_t seconds = (time_t)date;
    struct tm parts;
    char text[32] = "";

    if (gmtime_r(&seconds, &parts))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return json_string(text);
}

/* What the figures are of. */
static json_t *environment_object(const struct hy_measurement *measurement)
{
    struct utsname system = {0};
    (void)uname(&system);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t threads = measurement->plan.settings->threads;

    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:s}", "halyard", halyard_version(), "date",
                     date_text(measurement->date), "model", model_object(measurement), "devices",
                     device_array(measurement), "threads",
                     (json_int_t)(threads ? threads : processors), "processors",
                     (json_int_t)processors, "machine", system.machine);
}

static json_t *streams_object(const struct hy_measurement *measurement)
{
    const struct hy_streams_times *streams = &measurement->streams;

    return json_pack("{s:I, s:I, s:I, s:f, s:o}", "count", (json_int_t)measurement->plan.streams,
                     "runs", (json_int_t)streams->runs, "wall_ns", (json_int_t)streams->wall_ns,
                     "inferences_per_second", hy_measurement_throughput(measurement),
                     "inference_ns", stats_object(&streams->run));
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

static void add_runs(json_t *object, const struct hy_measurement *measurement)
{
    if (measurement->run_count > 0)
        json_object_set_new(object, "inference_ns", stats_object(&measurement->run));
    if (measurement->peer.p50 > 0) {
        json_object_set_new(object, "in_app_inference_ns", stats_object(&measurement->peer));
        json_object_set_new(object, "isolation", json_real(hy_measurement_excess(measurement)));
    }
    if (measurement->streams.runs > 0)
        json_object_set_new(object, "streams", streams_object(measurement));
    if (measurement->is_interrupted)
        json_object_set_new(object, "interrupted", json_true());
}

static json_t *measurement_object(const struct hy_measurement *measurement)
{
    json_t *steps = json_array();
    for (uint32_t i = 0; i < measurement->step_count; i++)
        json_array_append_new(steps, step_object(&measurement->steps[i]));
    json_t *object = environment_object(measurement);
    json_t *figures = json_pack(
        "{s:I, s:I, s:I, s:s, s:I, s:I, s:I, s:o}", "compilations",
        (json_int_t)measurement->compile.compilations, "warmup",
        (json_int_t)measurement->plan.warmup, "runs", (json_int_t)measurement->run_count, "mode",
        hy_run_mode_name(measurement->plan.settings->mode), "copied_bytes",
        (json_int_t)measurement->copied_bytes, "peak_bytes", (json_int_t)measurement->peak_bytes,
        "fallback_runs", (json_int_t)hy_measurement_fallback_runs(measurement), "steps", steps);
    if (object && figures) {
        json_object_update(object, figures);
        add_compile_times(object, &measurement->compile);
        add_runs(object, measurement);
    }
    json_decref(figures);
    return object;
}

enum hy_code hy_measurements_print_json(const struct hy_measurement *measurements, uint32_t count,
                                        struct hy_error *err)
{
    if (count == 1)
        return hy_json_print(measurement_object(measurements), err);
    json_t *all = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(all, measurement_object(&measurements[i]));
    return hy_json_print(all, err);
}
