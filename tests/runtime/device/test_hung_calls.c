/* A driver in the app's process that takes longer than HALYARD_SERVICE_PATIENCE, which is a second
 * here: the log names device and function while the app waits. */
#include "support/child_log.h"
#include "test.h"

#include <android/NeuralNetworks.h>
#include <stdlib.h>
#include <unistd.h>

#define NO_ERROR ANEURALNETWORKS_NO_ERROR

static void write_manifest(const char *path, const char *fault)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return;
    fprintf(file,
            "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\","
            "\"abi\":\"1.0\",\"arguments\":{\"fault\":\"%s\",\"name\":\"acme\"}}}",
            FAULTY_DRIVER_PATH, fault);
    fclose(file);
}

static ANeuralNetworksModel *make_model(void)
{
    static const uint32_t dims[] = {4};
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    const ANeuralNetworksOperandType code = {.type = ANEURALNETWORKS_INT32};
    ANeuralNetworksModel *model = NULL;

    (void)ANeuralNetworksModel_create(&model);
    (void)ANeuralNetworksModel_addOperand(model, &tensor);
    (void)ANeuralNetworksModel_addOperand(model, &tensor);
    (void)ANeuralNetworksModel_addOperand(model, &code);
    (void)ANeuralNetworksModel_addOperand(model, &tensor);
    (void)ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none);
    (void)ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3,
                                            (const uint32_t[]){0, 1, 2}, 1, (const uint32_t[]){3});
    (void)ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (const uint32_t[]){0, 1}, 1,
                                                        (const uint32_t[]){3});
    return ANeuralNetworksModel_finish(model) == NO_ERROR ? model : NULL;
}

/* The child of a test: a process looks for devices once. */
static void compute(void)
{
    static const float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    float sum[4] = {0};
    ANeuralNetworksModel *model = make_model();
    ANeuralNetworksDevice *device = NULL;
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksExecution *execution = NULL;

    if (!model || ANeuralNetworks_getDevice(0, &device) != NO_ERROR ||
        ANeuralNetworksCompilation_createForDevices(
            model, (const ANeuralNetworksDevice *const *)&device, 1, &compilation) != NO_ERROR ||
        ANeuralNetworksCompilation_finish(compilation) != NO_ERROR ||
        ANeuralNetworksExecution_create(compilation, &execution) != NO_ERROR ||
        ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof a) != NO_ERROR ||
        ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof b) != NO_ERROR ||
        ANeuralNetworksExecution_setOutput(execution, 0, NULL, sum, sizeof sum) != NO_ERROR ||
        ANeuralNetworksExecution_compute(execution) != NO_ERROR || sum[3] != 44)
        _exit(1);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

static void run_with(const char *fault, char *text, size_t size)
{
    char path[] = "/tmp/halyard-hung-XXXXXX";
    const int fd = mkstemp(path);

    REQUIRE(fd >= 0);
    close(fd);
    write_manifest(path, fault);
    setenv("HALYARD_DRIVER_FILES", path, 1);
    setenv("HALYARD_SERVICE_PATIENCE", "1", 1);
    hy_child_log("warning", "text", compute, text, size);
    unlink(path);
}

TEST(hung_calls, slow_execution_is_logged_with_device_and_function_and_again_at_twice_the_age)
{
    char text[4096];

    run_with("execute-slow", text, sizeof text);
    EXPECT_CONTAINS(text, "acme: execute has not come back for 1 s");
    EXPECT_CONTAINS(text, "acme: execute has not come back for 2 s");
}

TEST(hung_calls, slow_preparation_is_logged_with_device_and_function)
{
    char text[4096];

    run_with("prepare-slow", text, sizeof text);
    EXPECT_CONTAINS(text, "acme: prepare has not come back for 1 s");
}

TEST(hung_calls, driver_that_comes_back_in_time_is_not_logged)
{
    char text[4096];

    run_with("none", text, sizeof text);
    EXPECT_STR(text, "");
}
