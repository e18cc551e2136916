/* A host that stands still while an app's compilation asks it what it supports. */
#include "death_trigger.h"
#include "halyard/halyard.h"
#include "plugins/service/wire/messages.h"
#include "tests/kit/test.h"
#include "tests/unit/plugins/service/client/isolated.h"

#include <signal.h>

#define DEVICE "asker"

/* The patience is twenty minutes here. */
enum { SHORT_MS = 100, BOUND_MS = 60000 };

static ANeuralNetworksModel *make_model(void)
{
    const uint32_t extent = 4, in = 0, out = 1;
    const ANeuralNetworksOperandType floats = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &extent};
    ANeuralNetworksModel *model = NULL;
    int code = ANeuralNetworksModel_create(&model);

    code |= ANeuralNetworksModel_addOperand(model, &floats);
    code |= ANeuralNetworksModel_addOperand(model, &floats);
    code |= ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &in, 1, &out);
    code |= ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out);
    code |= ANeuralNetworksModel_finish(model);
    EXPECT_INT(code, ANEURALNETWORKS_NO_ERROR);
    return model;
}

/* The code of a compilation for the device alone; 0 ms: without a deadline. */
static int compile(ANeuralNetworksModel *model, int64_t ms)
{
    const ANeuralNetworksDevice *device = isolated_device(DEVICE);
    ANeuralNetworksCompilation *compilation = NULL;

    int code = ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation);
    if (code == ANEURALNETWORKS_NO_ERROR && ms > 0)
        code = ANeuralNetworksCompilation_setTimeout(compilation, (uint64_t)ms * 1000000);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksCompilation_finish(compilation);
    ANeuralNetworksCompilation_free(compilation);
    return code;
}

/* A deadline may pass before the question is under way: then a later one is tried. */
static void expect_deadline_to_hold(struct death_trigger *trigger, ANeuralNetworksModel *model,
                                    enum death_point point)
{
    const pid_t pid = isolated_pid(DEVICE);
    bool has_stopped = false;
    REQUIRE(pid > 0);

    for (int64_t ms = SHORT_MS; !has_stopped && ms < BOUND_MS; ms *= 3) {
        death_trigger_arm(trigger, HY_WIRE_SUPPORTED, point, SIGSTOP, 1);
        const int64_t before = isolated_clock();
        EXPECT_INT(compile(model, ms), ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
        EXPECT(isolated_clock() - before < ms + BOUND_MS);
        has_stopped = atomic_exchange(&trigger->left, 0) == 0;
    }
    EXPECT(has_stopped);
    EXPECT_CONTAINS(halyard_last_error(),
                    "did not return from supported_operations before the deadline");
    isolated_stop(pid); /* it may be on its way to standing still */
    kill(pid, SIGCONT);

    /* It is the same process, and works. */
    EXPECT_INT(compile(model, 0), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(isolated_pid(DEVICE), pid);
}

TEST(service_stopped_question, compilation_keeps_its_deadline_while_the_host_stands_still)
{
    struct death_trigger *trigger = death_trigger_create();
    ANeuralNetworksModel *model = make_model();
    REQUIRE(trigger != NULL);

    EXPECT_INT(compile(model, BOUND_MS), ANEURALNETWORKS_NO_ERROR);
    for (int point = DEATH_UNREAD; point <= DEATH_UNREPLIED; point++)
        expect_deadline_to_hold(trigger, model, (enum death_point)point);
    ANeuralNetworksModel_free(model);
    death_trigger_destroy(trigger);
}
