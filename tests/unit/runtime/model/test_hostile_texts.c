/*
 * A driver that writes escape sequences, lines in the form of our own, and bytes that are no text,
 * into everything that it may say. None of it reaches the log, an error, a reason or a report other
 * than as one printable line. Runs in the process of the app and in one of the driver's.
 */
#include "common/printable.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <fcntl.h>
#include <halyard/halyard.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define OK ANEURALNETWORKS_NO_ERROR

/* The first gives words for what it does; the others are refused for their descriptions. */
static const char *const faults[] = {"talks-refuse", "talks-prepare",  "talks-execute",
                                     "talks-create", "talks-name",     "talks-version",
                                     "talks-build",  "talks-extension"};
enum { FAULT_COUNT = sizeof faults / sizeof *faults, ACCEPTED = 3 };

/* ---- What is written --------------------------------------------------------------------------
 */

static int log_file = -1;

/* A line of the log begins with the time and the process. */
static bool is_ours(const char *line)
{
    int time[4], process;
    return sscanf(line, "%2d:%2d:%2d.%3dZ halyard[%d] ", &time[0], &time[1], &time[2], &time[3],
                  &process) == 5;
}

/* Each line by itself: the ends of lines are the log's own. */
static void expect_clean_lines(const char *what, char *text, bool is_log)
{
    unsigned number = 0;

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), number++) {
        if (!hy_text_is_clean(line))
            hy_test_fail(__FILE__, __LINE__, "%s: line %u is \"%s\"", what, number,
                         hy_text_line(line).text);
        if (is_log ? !is_ours(line) : strncmp(line, "halyard: error", 14) == 0)
            hy_test_fail(__FILE__, __LINE__, "%s: line %u is the driver's: %s", what, number, line);
    }
}

static void expect_clean(const char *what, const char *text)
{
    if (!hy_text_is_clean(text))
        hy_test_fail(__FILE__, __LINE__, "%s is \"%s\"", what, hy_text_line(text).text);
}

static void write_manifest(const char *dir, const char *fault)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s.json", dir, fault);
    FILE *file = fopen(path, "w");
    REQUIRE(file);
    fprintf(file,
            "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\","
            "\"abi\":\"1.0\",\"arguments\":{\"fault\":\"%s\",\"name\":\"%s\"}}}",
            FAULTY_DRIVER_PATH, fault, fault);
    fclose(file);
}

/* Devices are looked for once in a process. What follows on stderr lands in a file. */
static void open_drivers(void)
{
    char dir[] = "/tmp/halyard-hostile-XXXXXX", path[128];
    uint32_t count;

    REQUIRE(mkdtemp(dir));
    for (int i = 0; i < FAULT_COUNT; i++)
        write_manifest(dir, faults[i]);
    setenv("HALYARD_DRIVER_FILES", dir, 1);
    setenv("HALYARD_LOG", "debug", 1);
    log_file = memfd_create("log", MFD_CLOEXEC);
    REQUIRE(log_file >= 0);
    fflush(stderr);
    const int before = dup(STDERR_FILENO);
    dup2(log_file, STDERR_FILENO);
    EXPECT_INT(ANeuralNetworks_getDeviceCount(&count), OK);
    EXPECT_INT(count, ACCEPTED + 2);
    dup2(before, STDERR_FILENO);
    close(before);
    for (int i = 0; i < FAULT_COUNT; i++) {
        snprintf(path, sizeof path, "%s/%s.json", dir, faults[i]);
        unlink(path);
    }
    rmdir(dir);
}

/* Runs `call` with stderr in the file. */
static int logged(int (*call)(void *), void *argument)
{
    fflush(stderr);
    const int before = dup(STDERR_FILENO);
    dup2(log_file, STDERR_FILENO);
    const int result = call(argument);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    return result;
}

static void expect_clean_log(void)
{
    const off_t size = lseek(log_file, 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1);

    REQUIRE(text && pread(log_file, text, (size_t)size, 0) == size);
    EXPECT_INT(strlen(text), size); /* no NUL in between */
    EXPECT_CONTAINS(text, "all is lost");
    expect_clean_lines("the log", text, true);
    free(text);
}

/* ---- An app -----------------------------------------------------------------------------------
 */

/* out = a + b, of four floats */
static ANeuralNetworksModel *make_model(void)
{
    static const uint32_t dims[] = {4};
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    const ANeuralNetworksOperandType code = {.type = ANEURALNETWORKS_INT32};
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    ANeuralNetworksModel *model = NULL;

    EXPECT_INT(ANeuralNetworksModel_create(&model), OK);
    for (int i = 0; i < 2; i++)
        EXPECT_INT(ANeuralNetworksModel_addOperand(model, &tensor), OK);
    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &code), OK);
    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &tensor), OK);
    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none), OK);
    EXPECT_INT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3,
                                                 (const uint32_t[]){0, 1, 2}, 1,
                                                 (const uint32_t[]){3}),
               OK);
    EXPECT_INT(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (const uint32_t[]){0, 1}, 1,
                                                             (const uint32_t[]){3}),
               OK);
    EXPECT_INT(ANeuralNetworksModel_finish(model), OK);
    return model;
}

/* A device of these drivers, and the CPU or not. */
struct app {
    const ANeuralNetworksDevice *devices[2];
    uint32_t count;
    ANeuralNetworksCompilation *compilation;
};

static int run(void *argument)
{
    static const float a[] = {1, 2, 3, 4};
    struct app *app = argument;
    ANeuralNetworksModel *model = make_model();
    ANeuralNetworksExecution *execution = NULL;
    float out[4];

    int code = ANeuralNetworksCompilation_createForDevices(model, app->devices, app->count,
                                                           &app->compilation);
    if (code == OK)
        code = ANeuralNetworksCompilation_finish(app->compilation);
    if (code == OK)
        code = ANeuralNetworksExecution_create(app->compilation, &execution);
    if (code == OK) {
        ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof a);
        ANeuralNetworksExecution_setInput(execution, 1, NULL, a, sizeof a);
        ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out);
        code = ANeuralNetworksExecution_compute(execution);
    }
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksModel_free(model);
    return code;
}

static void expect_clean_report(const ANeuralNetworksCompilation *compilation, int32_t format)
{
    char *text = calloc(1, 1 << 20);
    size_t length;

    REQUIRE(text);
    EXPECT_INT(halyard_compilation_write_report(compilation, format, text, 1 << 20, &length), OK);
    if (format == HALYARD_REPORT_JSON) {
        json_t *json = json_loads(text, 0, NULL);
        EXPECT(json_is_object(json));
        json_decref(json);
    }
    expect_clean_lines(format == HALYARD_REPORT_JSON ? "JSON" : "dot", text, false);
    free(text);
}

static void expect_clean_plan(const ANeuralNetworksCompilation *compilation,
                              const ANeuralNetworksDevice *device)
{
    struct halyard_plan_operation operation = {.struct_size = sizeof operation};
    const char *reason = "";

    expect_clean_report(compilation, HALYARD_REPORT_JSON);
    expect_clean_report(compilation, HALYARD_REPORT_DOT);
    EXPECT_INT(halyard_compilation_get_operation(compilation, 0, &operation), OK);
    expect_clean("a reason", operation.reason);
    EXPECT_INT(halyard_compilation_get_refusal(compilation, 0, device, &reason), OK);
    expect_clean("a refusal", reason);
}

static ANeuralNetworksDevice *device_named(const char *wanted)
{
    uint32_t count = 0;

    ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device;
        const char *name;
        if (ANeuralNetworks_getDevice(i, &device) == OK &&
            ANeuralNetworksDevice_getName(device, &name) == OK && strcmp(name, wanted) == 0)
            return device;
    }
    return NULL;
}

TEST(hostile_texts, reach_no_log_no_error_and_no_report)
{
    open_drivers();
    for (int i = 0; i < ACCEPTED; i++) {
        struct app alone = {.devices = {device_named(faults[i])}, .count = 1};
        struct app both = {.devices = {device_named(faults[i]), device_named("halyard-cpu")},
                           .count = 2};
        REQUIRE(alone.devices[0] && both.devices[1]);
        EXPECT(logged(run, &alone) != OK);
        EXPECT_CONTAINS(halyard_last_error(), "all is lost");
        expect_clean("the last error", halyard_last_error());
        ANeuralNetworksCompilation_free(alone.compilation);
        EXPECT_INT(logged(run, &both), OK);
        expect_clean_plan(both.compilation, both.devices[0]);
        ANeuralNetworksCompilation_free(both.compilation);
    }
    expect_clean_log();
}

TEST(hostile_texts, in_descriptions_cost_the_driver)
{
    EXPECT_INT(halyard_refused_driver_count(), FAULT_COUNT - ACCEPTED);
    for (uint32_t i = 0; i < halyard_refused_driver_count(); i++) {
        struct halyard_refused_driver refused = {.struct_size = sizeof refused};
        EXPECT_INT(halyard_get_refused_driver(i, &refused), OK);
        expect_clean("a reason", refused.reason);
        EXPECT(strstr(refused.reason, "all is lost") ||
               strstr(refused.reason, "one line of UTF-8"));
    }
}
