#include <stdio.h>
#include <stdlib.h>

#include "common/printable.h"
#include "tools/command.h"
#include "tools/commands/measurement.h"
#include "tools/commands/model_command.h"
#include "tools/interrupt.h"
#include "tools/profile/profiling.h"
#include "tools/temporary_dir.h"

#define COMPILATIONS 5
#define MODELS_MAX   1024

struct request {
    char *const *models;
    uint32_t model_count;
    struct hy_option_list inputs;
    struct hy_option_list device_names;
    const char *mode_name;
    bool isolate;
    const char *cache_parent;
    bool profile;
    bool json;
    bool csv;
    uint32_t duration_s; /* 0: as many as plan.length.runs */

    struct hy_measurement_plan plan;
    struct hy_session_settings settings;
    struct hy_device_selection devices;
};

static const char about[] =
    "Measures the time to compile a .tflite model, with and without a cache, the time to run the "
    "model, and the time of each step of the plan. Several models are measured one after the "
    "other. Inputs without --input are noise, the same on every call. Ctrl-C ends the measurement "
    "early and prints the results so far.\n\n"
    "With --profile, the command measures each operation of the models separately on each device, "
    "and stores the times for the planner.";

static bool parse(int argc, char **argv, struct request *request, int *status)
{
    const struct hy_option options[] = {
        {"runs", HY_OPTION_COUNT, "N", "inferences to measure (200)", &request->plan.length.runs},
        {"duration", HY_OPTION_COUNT, "SECONDS", "measure for this time instead",
         &request->duration_s},
        {"streams", HY_OPTION_COUNT, "N",
         "also measure throughput: this many sessions at once, one thread each",
         &request->plan.streams},
        {"warmup", HY_OPTION_COUNT_OR_NONE, "N", "inferences before (20)", &request->plan.warmup},
        {"input", HY_OPTION_LIST, "FILE", "contents of the next input", &request->inputs},
        {"device", HY_OPTION_LIST, "NAME", "use this device; may be repeated",
         &request->device_names},
        {"mode", HY_OPTION_TEXT, "MODE", "sync (default), async, burst or fenced",
         &request->mode_name},
        {"cache", HY_OPTION_TEXT, "DIR",
         "create the cache in a new directory here (/tmp), removed at the end",
         &request->cache_parent},
        {"profile", HY_OPTION_FLAG, NULL, "store the times of operations for the planner",
         &request->profile},
        {"isolate", HY_OPTION_FLAG, NULL,
         "run drivers and halyard-cpu isolated, and compare with drivers in the process",
         &request->isolate},
        HY_SESSION_OPTIONS(&request->settings),
        {"json", HY_OPTION_FLAG, NULL,
         "print JSON, with the machine and the settings; times are nanoseconds", &request->json},
        {"csv", HY_OPTION_FLAG, NULL, "print a line of CSV for each model", &request->csv},
    };
    const struct hy_syntax syntax = {
        .command = "bench",
        .operands = "MODEL...",
        .about = about,
        .operands_min = 1,
        .operands_max = MODELS_MAX,
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    int first;
    if (!hy_options_parse(&syntax, argc, argv, &first, status))
        return false;
    request->models = argv + first;
    request->model_count = (uint32_t)(argc - first);
    request->plan.length.duration_ns = request->duration_s * UINT64_C(1000000000);
    if (request->json && request->csv)
        *status = hy_exit_wrong("bench", "--json and --csv exclude each other");
    else if (request->isolate && !request->profile && request->model_count > 1)
        *status = hy_exit_wrong("bench", "%u models are given, --isolate allows one",
                                request->model_count);
    return *status == HY_EXIT_OK;
}

static enum hy_code measure(const struct request *request, const char *model, const char *cache_dir,
                            struct hy_session *session, struct hy_measurement *out,
                            struct hy_error *err)
{
    struct hy_measurement_plan plan = request->plan;

    hy_session_fill_inputs(session, request->inputs.count, HY_NOISE_SEED);
    plan.model = model;
    plan.settings = &request->settings;
    plan.inputs = &request->inputs;
    plan.cache_dir = cache_dir;
    return hy_measurement_make(session, &plan, out, err);
}

/* Uses a separate directory for the cache. */
static int measure_model(const struct request *request, const char *model,
                         struct hy_measurement *out)
{
    struct hy_session *session = NULL;
    char *cache_dir = NULL;
    struct hy_error err;

    if (hy_session_open(model, &request->settings, &session, &err) != HY_OK)
        return hy_exit_failed("bench", &err);
    int status = hy_model_load_inputs("bench", session, &request->inputs, NULL);
    if (status == HY_EXIT_OK) {
        enum hy_code code = hy_temporary_dir_make(request->cache_parent, &cache_dir, &err);
        if (code == HY_OK)
            code = measure(request, model, cache_dir, session, out, &err);
        if (code != HY_OK)
            status = hy_exit_failed("bench", &err);
    }
    hy_session_close(session);
    hy_temporary_dir_remove(cache_dir);
    return status;
}

/* JSON comes in the end, in one piece. */
static void print_measurement(const struct request *request, uint32_t index,
                              const struct hy_measurement *measurement)
{
    if (request->csv) {
        if (index == 0)
            hy_measurement_print_csv(NULL);
        hy_measurement_print_csv(measurement);
    } else if (!request->json) {
        if (request->model_count > 1)
            printf("%s%s\n", index ? "\n" : "", hy_text_line(request->models[index]).text);
        hy_measurement_print(measurement);
    }
    fflush(stdout);
}

static int measure_each(const struct request *request, struct hy_measurement *measurements)
{
    int status = HY_EXIT_OK;
    uint32_t done = 0;

    for (; status == HY_EXIT_OK && done < request->model_count && !hy_interrupt_came(); done++) {
        status = measure_model(request, request->models[done], &measurements[done]);
        if (status != HY_EXIT_OK)
            break;
        print_measurement(request, done, &measurements[done]);
    }
    struct hy_error err;
    if (request->json && done > 0 && hy_measurements_print_json(measurements, done, &err) != HY_OK)
        status = hy_exit_failed("bench", &err);
    return status == HY_EXIT_OK ? hy_exit_written("bench") : status;
}

static int measure_models(const struct request *request)
{
    struct hy_measurement *measurements = calloc(request->model_count, sizeof *measurements);
    struct hy_error err;
    if (!measurements) {
        hy_error_set(&err, HY_OUT_OF_MEMORY, __FILE__, __LINE__, "%u measurements",
                     request->model_count);
        return hy_exit_failed("bench", &err);
    }
    const int status = measure_each(request, measurements);
    for (uint32_t i = 0; i < request->model_count; i++)
        hy_measurement_finish(&measurements[i]);
    free(measurements);
    return status;
}

static int profile(const struct request *request)
{
    struct hy_profiling profiling;
    struct hy_error err;

    enum hy_code code = hy_profiling_make(&request->devices, request->model_count, request->models,
                                          &profiling, &err);
    if (code == HY_OK && request->json)
        code = hy_profiling_print_json(&profiling, &err);
    else if (code == HY_OK)
        hy_profiling_print(&profiling);
    return code == HY_OK ? hy_exit_written("bench") : hy_exit_failed("bench", &err);
}

/* Also for devices in processes of their own. Before the first call of the API, which starts the
 * threads and reads the environment. */
static void set_threads(uint32_t threads)
{
    char text[16];
    snprintf(text, sizeof text, "%u", threads);
    setenv("HALYARD_CPU_THREADS", text, 1);
}

/* The other process has the same options, but asks the API for other devices. */
static int start_peer(struct request *request)
{
    const struct hy_peer_process_plan plan = {
        .model = request->models[0],
        .device_names = &request->device_names,
        .inputs = &request->inputs,
        .settings = &request->settings,
        .warmup = request->plan.warmup,
    };
    struct hy_error err;

    return hy_peer_process_start(&plan, &request->plan.peer, &err) == HY_OK
               ? HY_EXIT_OK
               : hy_exit_failed("bench", &err);
}

int hy_cmd_bench(int argc, char **argv)
{
    struct request request = {
        .plan = {.compilations = COMPILATIONS, .warmup = 20, .length.runs = 200, .streams = 1},
        .settings.selection = &request.devices};
    int status = HY_EXIT_OK;
    if (!parse(argc, argv, &request, &status))
        return status;

    if (request.settings.threads)
        set_threads(request.settings.threads);
    unsetenv("HALYARD_CACHE_DIR"); /* a cold compilation is one without a cache */
    status = hy_model_choose_mode("bench", request.mode_name, &request.settings.mode);
    if (status == HY_EXIT_OK && request.isolate && !request.profile)
        status = start_peer(&request);
    if (!request.profile)
        hy_interrupt_watch();
    if (status == HY_EXIT_OK)
        status = hy_model_choose_devices("bench", &request.device_names, request.isolate,
                                         &request.devices);
    if (status == HY_EXIT_OK)
        status = request.profile ? profile(&request) : measure_models(&request);
    hy_peer_process_end(request.plan.peer);
    return status;
}
