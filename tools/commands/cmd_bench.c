#include <stdio.h>
#include <stdlib.h>

#include "tools/command.h"
#include "tools/commands/measurement.h"
#include "tools/commands/model_command.h"
#include "tools/profile/profiling.h"
#include "tools/temporary_folder.h"

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

    struct hy_measurement_plan plan;
    struct hy_session_settings settings;
    struct hy_device_choice devices;
};

static const char about[] =
    "Measures how long a .tflite model takes to compile, without a cache and with one, and to "
    "run, and how the time divides over the steps of its plan. Inputs that are not given are "
    "noise, the same at every call.\n\n"
    "With --profile it measures each operation of one or more models by itself instead, on each "
    "device, and stores the times for the planner.";

static bool parse(int argc, char **argv, struct request *request, int *status)
{
    const struct hy_option options[] = {
        {"runs", HY_OPTION_COUNT, "N", "inferences to measure (200)", &request->plan.runs},
        {"warmup", HY_OPTION_COUNT_OR_NONE, "N", "inferences before (20)", &request->plan.warmup},
        {"input", HY_OPTION_LIST, "FILE", "contents of the next input", &request->inputs},
        {"device", HY_OPTION_LIST, "NAME", "use this device; may be repeated",
         &request->device_names},
        {"mode", HY_OPTION_TEXT, "MODE", "sync (default), async, burst or fenced",
         &request->mode_name},
        {"cache", HY_OPTION_TEXT, "DIR",
         "make the cache in a new folder here (/tmp); it is removed", &request->cache_parent},
        {"profile", HY_OPTION_FLAG, NULL, "store the times of operations for the planner",
         &request->profile},
        {"isolate", HY_OPTION_FLAG, NULL,
         "run drivers, and halyard-cpu, in processes of their own, and compare with the app's own",
         &request->isolate},
        HY_SESSION_OPTIONS(&request->settings),
        {"json", HY_OPTION_FLAG, NULL, "print JSON; times are nanoseconds", &request->json},
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
    if (request->profile || request->model_count == 1)
        return true;
    *status =
        hy_exit_wrong("bench", "%u models; without --profile it takes one", request->model_count);
    return false;
}

static int measure(const struct request *request, const char *cache_folder,
                   struct hy_session *session)
{
    const int status = hy_model_load_inputs("bench", session, &request->inputs, NULL);
    if (status != HY_EXIT_OK)
        return status;
    hy_session_fill_inputs(session, request->inputs.count);

    struct hy_measurement_plan plan = request->plan;
    plan.cache_folder = cache_folder;
    plan.mode_name = hy_run_mode_name(request->settings.mode);
    struct hy_measurement measurement = {0};
    struct hy_error err;
    enum hy_code code = hy_measurement_make(session, &plan, &measurement, &err);
    if (code == HY_OK && request->json)
        code = hy_measurement_print_json(&measurement, &err);
    else if (code == HY_OK)
        hy_measurement_print(&measurement);
    hy_measurement_finish(&measurement);
    return code == HY_OK ? hy_exit_written("bench") : hy_exit_failed("bench", &err);
}

static int measure_model(const struct request *request)
{
    struct hy_session *session = NULL;
    struct hy_error err;
    if (hy_session_open(request->models[0], &request->settings, &session, &err) != HY_OK)
        return hy_exit_failed("bench", &err);
    char *cache_folder = NULL;
    int status;
    if (hy_temporary_folder_make(request->cache_parent, &cache_folder, &err) == HY_OK)
        status = measure(request, cache_folder, session);
    else
        status = hy_exit_failed("bench", &err);
    hy_session_close(session);
    hy_temporary_folder_remove(cache_folder);
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

/* The same as well: the twin is a process of its own, which asks the API for other devices. */
static int start_twin(struct request *request)
{
    const struct hy_twin_plan plan = {
        .model = request->models[0],
        .device_names = &request->device_names,
        .inputs = &request->inputs,
        .settings = &request->settings,
        .warmup = request->plan.warmup,
    };
    struct hy_error err;

    return hy_twin_start(&plan, &request->plan.twin, &err) == HY_OK ? HY_EXIT_OK
                                                                    : hy_exit_failed("bench", &err);
}

int hy_cmd_bench(int argc, char **argv)
{
    struct request request = {.plan = {.compilations = COMPILATIONS, .warmup = 20, .runs = 200},
                              .settings.choice = &request.devices};
    int status = HY_EXIT_OK;
    if (!parse(argc, argv, &request, &status))
        return status;

    if (request.settings.threads)
        set_threads(request.settings.threads);
    unsetenv("HALYARD_CACHE_DIR"); /* a cold compilation is one without a cache */
    status = hy_model_choose_mode("bench", request.mode_name, &request.settings.mode);
    if (status == HY_EXIT_OK && request.isolate && !request.profile)
        status = start_twin(&request);
    if (status == HY_EXIT_OK)
        status = hy_model_choose_devices("bench", &request.device_names, request.isolate,
                                         &request.devices);
    if (status == HY_EXIT_OK)
        status = request.profile ? profile(&request) : measure_model(&request);
    hy_twin_end(request.plan.twin);
    return status;
}
