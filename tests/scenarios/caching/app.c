#include "tests/scenarios/caching/app.h"

#include <stdio.h>
#include <string.h>

#define NO_ERROR ANEURALNETWORKS_NO_ERROR

const ANeuralNetworksDevice *app_device(const char *wanted)
{
    ANeuralNetworksDevice *device = NULL;
    const char *name = "";
    uint32_t count = 0;

    ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        if (ANeuralNetworks_getDevice(i, &device) == NO_ERROR &&
            ANeuralNetworksDevice_getName(device, &name) == NO_ERROR && strcmp(name, wanted) == 0)
            return device;
    }
    return NULL;
}

/* ---- Compiling ------------------------------------------------------------------------------- */

static void look_at_cache(ANeuralNetworksCompilation *compilation, struct app_result *result)
{
    struct halyard_plan_step step = {.struct_size = sizeof step};

    if (halyard_compilation_get_step(compilation, 0, &step) != NO_ERROR)
        return;
    result->cache = step.cache;
    snprintf(result->reason, sizeof result->reason, "%s", step.cache_reason);
    memcpy(result->token, step.token, sizeof result->token);
}

static int set_up(const struct app *app, ANeuralNetworksCompilation *compilation)
{
    const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {app->token};
    int code = NO_ERROR;

    if (app->preference >= 0)
        code = ANeuralNetworksCompilation_setPreference(compilation, app->preference);
    if (code == NO_ERROR && app->priority > 0)
        code = ANeuralNetworksCompilation_setPriority(compilation, app->priority);
    if (code == NO_ERROR && app->dir)
        code = ANeuralNetworksCompilation_setCaching(compilation, app->dir, token);
    return code == NO_ERROR ? ANeuralNetworksCompilation_finish(compilation) : code;
}

ANeuralNetworksCompilation *app_compile(const struct app *app, struct app_result *result)
{
    ANeuralNetworksCompilation *compilation = NULL;

    *result = (struct app_result){.call = 'c', .cache = -1};
    result->code = ANeuralNetworksCompilation_createForDevices(app->cache_model->models.main,
                                                               &app->device, 1, &compilation);
    if (result->code == NO_ERROR)
        result->code = set_up(app, compilation);
    if (result->code != NO_ERROR) {
        ANeuralNetworksCompilation_free(compilation);
        return NULL;
    }
    look_at_cache(compilation, result);
    return compilation;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* The inputs of the second run: conditions turned over, and all else in another order. */
static void reverse_elements(const struct graph_operand *operand, uint8_t *bytes)
{
    const uint32_t count = graph_elements(&operand->type);
    const size_t size = graph_bytes(&operand->type) / count;
    const uint8_t *from = operand->value;

    if (operand->type.code == ANEURALNETWORKS_TENSOR_BOOL8) {
        bytes[0] = !from[0];
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        memcpy(bytes + i * size, from + (count - 1 - i) * size, size);
}

static int compute_in_burst(ANeuralNetworksCompilation *compilation,
                            ANeuralNetworksExecution *execution)
{
    ANeuralNetworksBurst *burst = NULL;

    int code = ANeuralNetworksBurst_create(compilation, &burst);
    if (code == NO_ERROR)
        code = ANeuralNetworksExecution_burstCompute(execution, burst);
    ANeuralNetworksBurst_free(burst);
    return code;
}

static int compute_async(ANeuralNetworksExecution *execution)
{
    ANeuralNetworksEvent *event = NULL;

    int code = ANeuralNetworksExecution_startCompute(execution, &event);
    if (code == NO_ERROR)
        code = ANeuralNetworksEvent_wait(event);
    ANeuralNetworksEvent_free(event);
    return code;
}

static int compute(const struct app *app, ANeuralNetworksCompilation *compilation,
                   ANeuralNetworksExecution *execution)
{
    switch (app->way) {
    case APP_BURST:
        return compute_in_burst(compilation, execution);
    case APP_ASYNC:
        return compute_async(execution);
    default:
        return ANeuralNetworksExecution_compute(execution);
    }
}

#define INPUT_MAX 2048

static int run_once(const struct app *app, ANeuralNetworksCompilation *compilation, int run,
                    uint8_t *output)
{
    const struct graph *graph = app->cache_model->graph;
    uint8_t inputs[GRAPH_INPUTS_MAX][INPUT_MAX];
    ANeuralNetworksExecution *execution = NULL;
    int32_t index = 0;

    int code = ANeuralNetworksExecution_create(compilation, &execution);
    for (uint32_t i = 0; i < graph->operand_count && code == NO_ERROR; i++) {
        const struct graph_operand *operand = &graph->operands[i];
        if (operand->role != GRAPH_INPUT)
            continue;
        const size_t bytes = graph_bytes(&operand->type);
        if (run == 0)
            memcpy(inputs[index], operand->value, bytes);
        else
            reverse_elements(operand, inputs[index]);
        code = ANeuralNetworksExecution_setInput(execution, index, NULL, inputs[index], bytes);
        index++;
    }
    if (code == NO_ERROR)
        code = ANeuralNetworksExecution_setOutput(execution, 0, NULL, output,
                                                  app->cache_model->output_bytes);
    if (code == NO_ERROR)
        code = compute(app, compilation, execution);
    ANeuralNetworksExecution_free(execution);
    return code;
}

void app_run(const struct app *app, ANeuralNetworksCompilation *compilation,
             struct app_result *result)
{
    uint8_t output[APP_OUTPUT_MAX];

    result->call = 'r';
    result->is_right = true;
    for (int run = 0; run < CACHE_MODEL_RUNS && result->code == NO_ERROR; run++) {
        memset(output, 0xa5, sizeof output);
        result->code = run_once(app, compilation, run, output);
        result->is_right = result->is_right && result->code == NO_ERROR &&
                           memcmp(output, app->right[run], app->cache_model->output_bytes) == 0;
    }
}

struct app_result app_compile_and_run(const struct app *app)
{
    struct app_result result;
    ANeuralNetworksCompilation *compilation = app_compile(app, &result);

    if (compilation)
        app_run(app, compilation, &result);
    ANeuralNetworksCompilation_free(compilation);
    return result;
}

bool app_init(struct app *app, const struct cache_model *cache_model, const char *device,
              const char *dir)
{
    struct app_result result;

    *app = (struct app){
        .cache_model = cache_model, .device = app_device(device), .preference = -1, .token = 1};
    if (!app->device || cache_model->output_bytes > APP_OUTPUT_MAX)
        return false;
    ANeuralNetworksCompilation *compilation = app_compile(app, &result);
    for (int run = 0; run < CACHE_MODEL_RUNS && compilation && result.code == NO_ERROR; run++)
        result.code = run_once(app, compilation, run, app->right[run]);
    ANeuralNetworksCompilation_free(compilation);
    app->dir = dir;
    return compilation && result.code == NO_ERROR;
}

/* ---- Words ----------------------------------------------------------------------------------- */

bool app_is_good(const struct app_result *result)
{
    return result->code == NO_ERROR && result->is_right;
}

const char *app_describe(const struct app *app, const struct app_result *result)
{
    static const char *const outcomes[] = {"off", "unused", "hit", "stored", "not stored"};
    static _Thread_local char text[400];
    const char *device = "?";

    ANeuralNetworksDevice_getName(app->device, &device);
    snprintf(text, sizeof text, "%s on %s: code %d at %c, %s (%s), %s",
             cache_model_name(app->cache_model->kind), device, result->code, result->call,
             result->cache >= 0 && result->cache <= 4 ? outcomes[result->cache] : "unknown",
             result->reason, result->is_right ? "right" : "wrong");
    return text;
}
