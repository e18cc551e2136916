#include "tools/profile/profiling.h"

#include <halyard/halyard.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/api_result.h"
#include "tools/profile/launch.h"
#include "tools/profile/step_times.h"
#include "tools/progress.h"
#include "tools/session.h"

#define CPU_NAME       "halyard-cpu"
#define REFERENCE_NAME "nnapi-reference"

static bool is_named(const ANeuralNetworksDevice *device, const char *name)
{
    return strcmp(hy_device_name(device), name) == 0;
}

/* The device first, and the CPU for operations that the device does not support. */
static enum hy_code choose(const ANeuralNetworksDevice *device, struct hy_device_selection *out,
                           struct hy_error *err)
{
    static const struct hy_option_list cpu = {.count = 1, .items = {CPU_NAME}};
    struct hy_device_selection selection = {.by_name = true};

    if (!is_named(device, CPU_NAME)) {
        enum hy_code code = hy_device_selection_make(&cpu, &selection, err);
        if (code != HY_OK)
            return code;
    }
    memmove(&selection.devices[1], &selection.devices[0],
            selection.count * sizeof *selection.devices);
    selection.devices[0] = device;
    selection.count++;
    *out = selection;
    return HY_OK;
}

/* ---- One model on one device ----------------------------------------------------------------- */

static enum hy_code run_once(void *context, struct hy_error *err)
{
    return hy_session_run(context, err);
}

/* Stores the times of operations that ran on the device; each operation is a step. */
static enum hy_code store_times(const ANeuralNetworksCompilation *compilation,
                                const struct halyard_plan *plan, const uint64_t *step_ns,
                                const ANeuralNetworksDevice *device,
                                struct halyard_profile *profile, uint32_t *stored,
                                struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < plan->operation_count; i++) {
        struct halyard_plan_operation operation = {.struct_size = sizeof operation};
        code = hy_api_result(halyard_compilation_get_operation(compilation, i, &operation),
                             "compilation_get_operation", err);
        if (code != HY_OK || operation.device != device)
            continue;
        code = hy_api_result(halyard_profile_add(profile, compilation, i, step_ns[operation.step]),
                             "profile_add", err);
        (*stored)++;
    }
    return code;
}

static enum hy_code measure_session(struct hy_session *session, const ANeuralNetworksDevice *device,
                                    struct halyard_profile *profile, uint32_t *stored,
                                    struct hy_error *err)
{
    struct halyard_plan plan = {.struct_size = sizeof plan};

    hy_session_fill_inputs(session, 0, HY_NOISE_SEED);
    enum hy_code code = hy_session_compile(session, err);
    ANeuralNetworksCompilation *compilation = hy_session_compilation(session);
    if (code == HY_OK)
        code = hy_api_result(halyard_compilation_get_plan(compilation, &plan),
                             "compilation_get_plan", err);
    if (code != HY_OK)
        return code;

    uint64_t *step_ns = calloc((size_t)plan.step_count + 1, sizeof *step_ns);
    if (!step_ns)
        return hy_fail(err, HY_OUT_OF_MEMORY, "times of %u steps", plan.step_count);
    code = hy_step_times_measure(compilation, plan.step_count, run_once, session, step_ns, err);
    if (code == HY_OK)
        code = store_times(compilation, &plan, step_ns, device, profile, stored, err);
    free(step_ns);
    return code;
}

static enum hy_code measure_model(const char *path, const ANeuralNetworksDevice *device,
                                  struct halyard_profile *profile, uint32_t *stored,
                                  struct hy_error *err)
{
    struct hy_device_selection selection;
    const struct hy_session_settings settings = {.selection = &selection, .split_operations = true};
    struct hy_session *session = NULL;

    enum hy_code code = choose(device, &selection, err);
    if (code == HY_OK)
        code = hy_session_open(path, &settings, &session, err);
    if (code == HY_OK)
        code = measure_session(session, device, profile, stored, err);
    hy_session_close(session);
    return code;
}

/* ---- All models on one device ---------------------------------------------------------------- */

static enum hy_code measure_all(const ANeuralNetworksDevice *device, uint32_t model_count,
                                char *const *models, struct halyard_profile *profile,
                                struct hy_profiled_device *out, struct hy_error *err)
{
    struct hy_progress progress;
    enum hy_code code = hy_launch_measure(device, &out->launch_ns, err);
    if (code == HY_OK)
        code = hy_api_result(halyard_profile_set_launch(profile, out->launch_ns),
                             "profile_set_launch", err);

    hy_progress_start(&progress, out->name, model_count);
    for (uint32_t i = 0; code == HY_OK && i < model_count; i++) {
        hy_progress_report(&progress, i);
        code = measure_model(models[i], device, profile, &out->operation_count, err);
    }
    hy_progress_end(&progress);
    return code;
}

static enum hy_code profile_device(const ANeuralNetworksDevice *device, uint32_t model_count,
                                   char *const *models, struct hy_profiling *out,
                                   struct hy_error *err)
{
    struct hy_profiled_device *own = &out->devices[out->device_count];
    struct halyard_profile *profile = NULL;
    const char *path = "";

    *own = (struct hy_profiled_device){.name = hy_device_name(device)};
    enum hy_code code =
        hy_api_result(halyard_profile_create(device, &profile), "profile_create", err);
    if (code == HY_OK)
        code = measure_all(device, model_count, models, profile, own, err);
    if (code == HY_OK)
        code = hy_api_result(halyard_profile_save(profile, &path), "profile_save", err);
    if (code == HY_OK) {
        snprintf(out->path, sizeof out->path, "%s", path);
        out->device_count++;
    }
    halyard_profile_free(profile);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "%s", own->name);
}

enum hy_code hy_profiling_make(const struct hy_device_selection *devices, uint32_t model_count,
                               char *const *models, struct hy_profiling *out, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    *out = (struct hy_profiling){0};
    for (uint32_t i = 0; code == HY_OK && i < devices->count; i++) {
        if (devices->by_name || !is_named(devices->devices[i], REFERENCE_NAME))
            code = profile_device(devices->devices[i], model_count, models, out, err);
    }
    return code;
}

void hy_profiling_print(const struct hy_profiling *profiling)
{
    for (uint32_t i = 0; i < profiling->device_count; i++) {
        const struct hy_profiled_device *device = &profiling->devices[i];
        printf("%s: launch ", device->name);
        if (device->launch_ns)
            printf("%.2f us", (double)device->launch_ns / 1e3);
        else
            printf("not measured");
        printf(", %u operation%s\n", device->operation_count,
               device->operation_count == 1 ? "" : "s");
    }
    if (*profiling->path)
        printf("stored in %s\n", profiling->path);
}
