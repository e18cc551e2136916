/* A device whose process has died and is being started again: who asks what it supports or compiles
 * for it waits, and is told UNAVAILABLE_DEVICE where it does not come back. The answer is never
 * "no", nor the model called wrong. */
#include "isolated.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define CPU       "halyard-cpu"
#define REFERENCE "nnapi-reference"

enum { BOUND_MS = 60000 * HY_SLOWNESS };

static char dir[] = "/tmp/halyard-restart-XXXXXX", program[64];
static const char *real_program;

static void remove_program(void)
{
    unlink(program);
    rmdir(dir);
}

/* The program of the processes by a name that can be taken away. Before anything reads the
 * environment. */
TEST_SETUP(make_program)
{
    real_program = getenv("HALYARD_DRIVERD");
    if (!real_program || !mkdtemp(dir))
        abort();
    real_program = strdup(real_program);
    snprintf(program, sizeof program, "%s/driverd", dir);
    if (symlink(real_program, program) != 0 || setenv("HALYARD_DRIVERD", program, 1) != 0 ||
        atexit(remove_program) != 0)
        abort();
}

/* The code of a compilation for these; 0 ns: without a deadline. */
static int compile(ANeuralNetworksModel *model, const char *const *names, uint32_t count,
                   uint64_t timeout_ns)
{
    const ANeuralNetworksDevice *devices[2];
    ANeuralNetworksCompilation *compilation = NULL;

    for (uint32_t i = 0; i < count; i++)
        devices[i] = isolated_device(names[i]);
    int code = ANeuralNetworksCompilation_createForDevices(model, devices, count, &compilation);
    if (code == ANEURALNETWORKS_NO_ERROR && timeout_ns > 0)
        code = ANeuralNetworksCompilation_setTimeout(compilation, timeout_ns);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksCompilation_finish(compilation);
    ANeuralNetworksCompilation_free(compilation);
    return code;
}

/* The code of the question; whether the answer is "yes" for both operations. */
static int ask(ANeuralNetworksModel *model, const char *const *names, uint32_t count, bool *all)
{
    const ANeuralNetworksDevice *devices[2];
    bool supported[2] = {false, false};

    for (uint32_t i = 0; i < count; i++)
        devices[i] = isolated_device(names[i]);
    const int code =
        ANeuralNetworksModel_getSupportedOperationsForDevices(model, devices, count, supported);
    *all = supported[0] && supported[1];
    return code;
}

static const char *const both[] = {CPU, REFERENCE};

TEST(service_restart_series, what_is_asked_after_a_series_of_deaths_waits_for_the_next_process)
{
    ANeuralNetworksModel *model = small_model();
    bool all = false;

    EXPECT_INT(compile(model, both, 1, 0), ANEURALNETWORKS_NO_ERROR);
    for (unsigned i = 0; i < 2; i++) {
        isolated_kill(CPU);
        EXPECT_INT(ask(model, both, 1, &all), ANEURALNETWORKS_NO_ERROR);
        EXPECT(all);
        isolated_kill(CPU);
        EXPECT_INT(compile(model, both, 1, 0), ANEURALNETWORKS_NO_ERROR);
    }
    ANeuralNetworksModel_free(model);
}

/* Without isolated_kill's wait the death may be noticed in the middle of the question. */
TEST(service_restart_noticed, death_that_is_noticed_by_the_question_is_no_answer)
{
    ANeuralNetworksModel *model = small_model();
    bool all = false;

    for (unsigned i = 0; i < 4; i++) {
        EXPECT_INT(compile(model, both, 1, 0), ANEURALNETWORKS_NO_ERROR);
        isolated_signal(CPU, SIGKILL);
        EXPECT_INT(ask(model, both, 1, &all), ANEURALNETWORKS_NO_ERROR);
        EXPECT(all);
    }
    ANeuralNetworksModel_free(model);
}

/* RELU, and LOGISTIC with a result whose scale LOGISTIC cannot have; finished. */
static ANeuralNetworksModel *wrong_scale_model(void)
{
    static const uint32_t extent = 4, inputs[] = {0, 1}, outputs[] = {2, 3};
    const ANeuralNetworksOperandType type = {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                                             .dimensionCount = 1,
                                             .dimensions = &extent,
                                             .scale = 0.5f};
    ANeuralNetworksModel *model = NULL;

    ANeuralNetworksModel_create(&model);
    for (int i = 0; i < 4; i++)
        ANeuralNetworksModel_addOperand(model, &type);
    ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &inputs[0], 1, &outputs[0]);
    ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_LOGISTIC, 1, &inputs[1], 1,
                                      &outputs[1]);
    ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, inputs, 2, outputs);
    EXPECT_INT(ANeuralNetworksModel_finish(model), ANEURALNETWORKS_NO_ERROR);
    return model;
}

/* A device that is not there might have said yes; not about a scale that no device is asked about.
 */
static void expect_reply_without_process(void)
{
    ANeuralNetworksModel *model = wrong_scale_model();
    bool all = true;

    EXPECT_INT(ask(model, both, 2, &all), ANEURALNETWORKS_NO_ERROR);
    EXPECT(!all);
    EXPECT_INT(compile(model, both, 2, 0), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "operation 1: LOGISTIC: output 0 (operand 3)");
    ANeuralNetworksModel_free(model);
}

/* Each start fails: there is no program. */
TEST(service_restart_absent, device_that_does_not_come_back_is_unavailable_and_others_stand_in)
{
    ANeuralNetworksModel *model = small_model();
    bool all = false;

    EXPECT_INT(compile(model, both, 1, 0), ANEURALNETWORKS_NO_ERROR);
    unlink(program);
    isolated_kill(CPU);
    EXPECT_INT(compile(model, both, 1, 0), ANEURALNETWORKS_UNAVAILABLE_DEVICE);
    EXPECT_CONTAINS(halyard_last_error(), CPU);
    EXPECT_CONTAINS(halyard_last_error(), "the driver process has ended");
    EXPECT_INT(ask(model, both, 1, &all), ANEURALNETWORKS_UNAVAILABLE_DEVICE);
    EXPECT_CONTAINS(halyard_last_error(), CPU);
    EXPECT_INT(compile(model, both, 1, 1000000), ANEURALNETWORKS_UNAVAILABLE_DEVICE);

    EXPECT_INT(ask(model, both, 2, &all), ANEURALNETWORKS_NO_ERROR);
    EXPECT(all);
    EXPECT_INT(compile(model, both, 2, 0), ANEURALNETWORKS_NO_ERROR);
    expect_reply_without_process();

    EXPECT_INT(symlink(real_program, program), 0);
    const int64_t end = isolated_clock() + BOUND_MS;
    while (compile(model, both, 1, 0) != ANEURALNETWORKS_NO_ERROR && isolated_clock() < end)
        poll(NULL, 0, 10);
    EXPECT_INT(compile(model, both, 1, 0), ANEURALNETWORKS_NO_ERROR);
    ANeuralNetworksModel_free(model);
}
