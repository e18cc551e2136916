/*
 * plan_choice: compares the planner's choice with its alternatives. Runs models as planned, and on
 * each single device that supports the whole model, in turns.
 *
 *     plan_choice MODEL...
 *
 * Devices come from the environment as usual: HALYARD_DRIVER_FILES, HALYARD_STATE_DIR (measured
 * times), HALYARD_CPU_THREADS.
 */
#include <halyard/halyard.h>
#include <stdio.h>
#include <string.h>

#include "bench/inference.h"
#include "bench/measure.h"
#include "tools/api_result.h"

#define ALONE_MAX     4u /* devices */
#define NAME_CAPACITY 256
#define WAYS_MAX      (ALONE_MAX + 1)

/* Rounds shorter than the slices of a scheduler: on a busy machine most are not interrupted. */
static const struct hy_bench_rules rules = {.rounds = 501, .round_time = 0.0003};

/* The devices that a plan may use before the last resort. */
struct devices {
    uint32_t count;
    const char *names[ALONE_MAX];
};

/* The ways to run one model: as planned, followed by each device, or NULL for a device that refuses
 * the model. */
struct ways {
    struct hy_inference *inferences[WAYS_MAX];
    struct hy_bench_subject subjects[WAYS_MAX];
    uint32_t subject_of[WAYS_MAX]; /* [way] that is not NULL */
    uint32_t subject_count;
};

static enum hy_code list_devices(struct devices *devices, struct hy_error *err)
{
    uint32_t count = 0;
    enum hy_code code =
        hy_api_result(ANeuralNetworks_getDeviceCount(&count), "getDeviceCount", err);
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = "";
        code = hy_api_result(ANeuralNetworks_getDevice(i, &device), "getDevice", err);
        if (code == HY_OK)
            code = hy_api_result(ANeuralNetworksDevice_getName(device, &name), "getName", err);
        if (code == HY_OK && strcmp(name, "nnapi-reference") != 0 && devices->count < ALONE_MAX)
            devices->names[devices->count++] = name;
    }
    return code;
}

static enum hy_code run_once(void *self, struct hy_error *err)
{
    return hy_inference_run(self, HY_INFERENCE_REUSED, err);
}

static void add_way(struct ways *ways, uint32_t way, struct hy_inference *inference)
{
    ways->inferences[way] = inference;
    ways->subject_of[way] = ways->subject_count;
    ways->subjects[ways->subject_count++] =
        (struct hy_bench_subject){.run = run_once, .self = inference};
}

static enum hy_code open_ways(const char *path, const struct devices *devices, struct ways *ways,
                              struct hy_error *err)
{
    struct hy_inference *inference = NULL;
    const struct hy_inference_options planned = {0};
    const enum hy_code code = hy_inference_open(path, &planned, &inference, err);
    if (code != HY_OK)
        return code;
    add_way(ways, 0, inference);
    for (uint32_t i = 0; i < devices->count; i++) {
        const struct hy_inference_options alone = {.device = devices->names[i]};
        struct hy_error refused; /* no way, then */
        if (hy_inference_open(path, &alone, &inference, &refused) == HY_OK)
            add_way(ways, i + 1, inference);
    }
    return HY_OK;
}

static void close_ways(struct ways *ways)
{
    for (uint32_t i = 0; i < WAYS_MAX; i++)
        hy_inference_destroy(ways->inferences[i]);
}

/* "xnnpack-cpu" or "xnnpack-cpu + halyard-cpu, 3 steps". */
static enum hy_code name_plan(const ANeuralNetworksCompilation *compilation,
                              char name[NAME_CAPACITY], uint64_t *predicted_ns,
                              struct hy_error *err)
{
    struct halyard_plan plan = {.struct_size = sizeof plan};
    enum hy_code code = hy_api_result(halyard_compilation_get_plan(compilation, &plan),
                                      "compilation_get_plan", err);
    size_t length = 0;
    name[0] = '\0';
    *predicted_ns = plan.predicted_ns;
    for (uint32_t i = 0; code == HY_OK && i < plan.step_count; i++) {
        struct halyard_plan_step step = {.struct_size = sizeof step};
        const char *device = "";
        code = hy_api_result(halyard_compilation_get_step(compilation, i, &step),
                             "compilation_get_step", err);
        if (code == HY_OK)
            code =
                hy_api_result(ANeuralNetworksDevice_getName(step.device, &device), "getName", err);
        if (code == HY_OK && !strstr(name, device) && length < NAME_CAPACITY)
            length += (size_t)snprintf(name + length, NAME_CAPACITY - length, "%s%s",
                                       i ? " + " : "", device);
    }
    if (code == HY_OK && plan.step_count > 1 && length < NAME_CAPACITY)
        snprintf(name + length, NAME_CAPACITY - length, ", %u steps", plan.step_count);
    return code;
}

static void print_row(const char *path, const char *plan, uint64_t predicted_ns,
                      const struct devices *devices, const struct ways *ways)
{
    const char *slash = strrchr(path, '/');
    const double planned = ways->subjects[0].median_us;
    double best = 0;
    printf("| %s | %s | %.1f | %.1f |", slash ? slash + 1 : path, plan, (double)predicted_ns / 1e3,
           planned);
    for (uint32_t i = 0; i < devices->count; i++) {
        if (!ways->inferences[i + 1]) {
            printf(" - |");
            continue;
        }
        const double alone = ways->subjects[ways->subject_of[i + 1]].median_us;
        best = best == 0 || alone < best ? alone : best;
        printf(" %.1f |", alone);
    }
    if (best > 0)
        printf(" %.2f |\n", planned / best);
    else
        printf(" - |\n");
}

static enum hy_code measure(const char *path, const struct devices *devices, struct hy_error *err)
{
    struct ways ways = {0};
    char plan[NAME_CAPACITY];
    uint64_t predicted_ns = 0;
    enum hy_code code = open_ways(path, devices, &ways, err);
    if (code == HY_OK)
        code = name_plan(hy_inference_compilation(ways.inferences[0]), plan, &predicted_ns, err);
    if (code == HY_OK)
        code = hy_bench_measure(ways.subjects, ways.subject_count, &rules, err);
    if (code == HY_OK)
        print_row(path, plan, predicted_ns, devices, &ways);
    close_ways(&ways);
    return code;
}

static enum hy_code measure_all(char **paths, int count, struct hy_error *err)
{
    struct devices devices = {0};
    enum hy_code code = list_devices(&devices, err);
    if (code != HY_OK)
        return code;
    printf("| model | plan | predicted µs | measured µs |");
    for (uint32_t i = 0; i < devices.count; i++)
        printf(" %s alone µs |", devices.names[i]);
    printf(" measured / best alone |\n|---|---|--:|--:|");
    for (uint32_t i = 0; i < devices.count; i++)
        printf("--:|");
    printf("--:|\n");
    for (int i = 0; code == HY_OK && i < count; i++) {
        code = measure(paths[i], &devices, err);
        if (code != HY_OK)
            code = hy_error_prefix(err, code, "%s", paths[i]);
        fflush(stdout);
    }
    return code;
}

int main(int argc, char **argv)
{
    struct hy_error err;
    if (argc < 2) {
        fprintf(stderr, "usage: plan_choice MODEL...\n");
        return 2;
    }
    if (measure_all(argv + 1, argc - 1, &err) == HY_OK)
        return 0;
    fprintf(stderr, "plan_choice: %s\n", err.text);
    return 1;
}
