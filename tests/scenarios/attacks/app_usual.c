#include "app_usual.h"

#include <dirent.h>
#include <poll.h>
#include <string.h>

enum { RETRY_MS = 60000 };

const char *const app_device_names[APP_DEVICES] = {"nnapi-reference", "halyard-sample"};
struct app_usual app_usual;

/* ---- A model --------------------------------------------------------------------------------- */

/* y = x + c. A constant without memory is 1, 2, 3, 4. */
ANeuralNetworksModel *app_model(const ANeuralNetworksMemory *constant, size_t offset)
{
    static const float one_to_four[APP_EXTENT] = {1, 2, 3, 4};
    static const uint32_t dims[] = {APP_EXTENT}, in[] = {0, 1, 2}, x = 0, y = 3;
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    const ANeuralNetworksOperandType floats = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    const ANeuralNetworksOperandType integer = {.type = ANEURALNETWORKS_INT32};
    ANeuralNetworksModel *model = NULL;

    int code = ANeuralNetworksModel_create(&model);
    for (uint32_t i = 0; i < 4; i++)
        code |= ANeuralNetworksModel_addOperand(model, i == 2 ? &integer : &floats);
    code |= ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none);
    code |=
        constant
            ? ANeuralNetworksModel_setOperandValueFromMemory(model, 1, constant, offset, APP_BYTES)
            : ANeuralNetworksModel_setOperandValue(model, 1, one_to_four, sizeof one_to_four);
    code |= ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, &y);
    code |= ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &x, 1, &y);
    code |= ANeuralNetworksModel_finish(model);
    if (code == NO_ERROR)
        return model;
    ANeuralNetworksModel_free(model);
    if (!constant)
        APP_FAIL("no model: %s", halyard_last_error());
    return NULL;
}

/* After a series of deaths a device rests for a while. */
static ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model, int device)
{
    ANeuralNetworksCompilation *compilation = isolated_compile(model, &app_device_names[device], 1);

    for (int waited = 0; !compilation && waited < RETRY_MS; waited += 50) {
        poll(NULL, 0, 50);
        compilation = isolated_compile(model, &app_device_names[device], 1);
    }
    return compilation;
}

void app_begin(void)
{
    app_usual.model = app_model(NULL, 0);
    for (int i = 0; i < APP_DEVICES; i++) {
        app_usual.compilations[i] = compile(app_usual.model, i);
        if (!app_usual.compilations[i])
            APP_FAIL("%s: %s", app_device_names[i], halyard_last_error());
    }
    app_usual.process = isolated_pid(app_device_names[1]);
}

void app_end(void)
{
    for (int i = 0; i < APP_DEVICES; i++)
        ANeuralNetworksCompilation_free(app_usual.compilations[i]);
    ANeuralNetworksModel_free(app_usual.model);
}

/* ---- What stays right ------------------------------------------------------------------------ */

int app_compute(ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst *burst,
                const float *in, float *out)
{
    ANeuralNetworksExecution *execution = NULL;

    memset(out, 0xff, APP_BYTES);
    int code = ANeuralNetworksExecution_create(compilation, &execution);
    if (code == NO_ERROR)
        code = ANeuralNetworksExecution_setInput(execution, 0, NULL, in, APP_BYTES);
    if (code == NO_ERROR)
        code = ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, APP_BYTES);
    if (code == NO_ERROR)
        code = burst ? ANeuralNetworksExecution_burstCompute(execution, burst)
                     : ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    return code;
}

void app_expect_right(int device, bool by_burst)
{
    const float in[APP_EXTENT] = {10, 20, 30, 40};
    float out[APP_EXTENT];
    int code = -1;

    for (int waited = 0; code != NO_ERROR && waited < RETRY_MS; waited += 50) {
        ANeuralNetworksBurst *burst = NULL;
        if (waited > 0)
            poll(NULL, 0, 50);
        if (!by_burst ||
            ANeuralNetworksBurst_create(app_usual.compilations[device], &burst) == NO_ERROR)
            code = app_compute(app_usual.compilations[device], burst, in, out);
        ANeuralNetworksBurst_free(burst);
    }
    for (int i = 0; i < APP_EXTENT; i++) {
        if (code != NO_ERROR || out[i] != in[i] + (float)(i + 1))
            APP_FAIL("%s is not right any more: code %d, %g, %s", app_device_names[device], code,
                     (double)out[i], halyard_last_error());
    }
    app_usual.right_results++;
}

static unsigned count_descriptors(void)
{
    unsigned count = 0;
    DIR *dir = opendir("/proc/self/fd");

    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return count;
}

/* What is freed goes a little later where another thread has it. */
void app_expect_no_descriptors_left(void)
{
    static unsigned descriptors;
    unsigned now = count_descriptors();

    if (descriptors == 0)
        descriptors = now + 2; /* what is opened once and kept */
    for (int waited = 0; now > descriptors && waited < RETRY_MS; waited += 5) {
        poll(NULL, 0, 5);
        now = count_descriptors();
    }
    if (now > descriptors)
        APP_FAIL("%u descriptors are open, there were at most %u", now, descriptors);
}
