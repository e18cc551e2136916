#include "scene.h"

#include <poll.h>
#include <sys/eventfd.h>

bool scene_open(struct scene *scene, struct hy_app_model *model, enum scene_devices devices)
{
    struct fake_device *const both[] = {&scene->npu, &scene->cpu};

    fake_device_init(&scene->npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_ALL);
    fake_device_init(&scene->cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    scene->compilation = hy_compilation_handle(
        compile(model, both, devices == ONE_DEVICE ? 1 : 2, devices != ALL_DEVICES, NULL));
    EXPECT(scene->compilation != NULL);
    return scene->compilation != NULL;
}

void scene_close(struct scene *scene)
{
    ANeuralNetworksCompilation_free(scene->compilation);
    EXPECT_INT(scene->npu.prepared, 0);
    EXPECT_INT(scene->cpu.prepared, 0);
}

ANeuralNetworksExecution *scene_execution(const struct scene *scene)
{
    ANeuralNetworksExecution *execution = NULL;

    EXPECT_OK(ANeuralNetworksExecution_create(scene->compilation, &execution));
    return execution;
}

ANeuralNetworksExecution *scene_ready(const struct scene *scene, const float *input, float *output)
{
    ANeuralNetworksExecution *execution = scene_execution(scene);

    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, BYTES));
    return execution;
}

/* ---- Models ---------------------------------------------------------------------------------- */

struct hy_app_model *quantised_model(void)
{
    const uint32_t extent = EXTENT;
    struct fixture f = fixture_create();
    uint32_t x = tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, .5f);
    uint32_t y = tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, .5f);

    if (add_op(&f, x, x, constant(&f, 0), y) != HY_OK || identify(&f, x, y) != HY_OK ||
        finish(&f) != HY_OK)
        fixture_free(&f);
    return f.model;
}

struct hy_app_model *scalar_model(void)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), y = floats(&f, EXTENT);
    uint32_t activation = scalar(&f, ANEURALNETWORKS_INT32);
    const uint32_t inputs[] = {x, activation};

    if (add_op(&f, x, x, activation, y) != HY_OK ||
        hy_app_model_identify(f.model, 2, inputs, 1, &y, &f.err) != HY_OK || finish(&f) != HY_OK)
        fixture_free(&f);
    return f.model;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

const char *const run_names[RUN_KINDS] = {
    [COMPUTE] = "ANeuralNetworksExecution_compute",
    [BURST] = "ANeuralNetworksExecution_burstCompute",
    [START] = "ANeuralNetworksExecution_startCompute",
    [FENCED] = "ANeuralNetworksExecution_startComputeWithDependencies",
};

static int compute_in_burst(const struct scene *scene, ANeuralNetworksExecution *execution)
{
    ANeuralNetworksBurst *burst = NULL;
    int code = ANeuralNetworksBurst_create(scene->compilation, &burst);

    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksExecution_burstCompute(execution, burst);
    ANeuralNetworksBurst_free(burst);
    return code;
}

int launch(const struct scene *scene, enum run_kind kind, ANeuralNetworksExecution *execution,
           ANeuralNetworksEvent **event)
{
    switch (kind) {
    case COMPUTE:
        return ANeuralNetworksExecution_compute(execution);
    case BURST:
        return compute_in_burst(scene, execution);
    case START:
        return ANeuralNetworksExecution_startCompute(execution, event);
    case FENCED:
    case RUN_KINDS:
        break;
    }
    return ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, event);
}

int run(const struct scene *scene, enum run_kind kind, ANeuralNetworksExecution *execution)
{
    ANeuralNetworksEvent *event = NULL;
    int code = launch(scene, kind, execution, &event);

    if (code == ANEURALNETWORKS_NO_ERROR && event)
        code = ANeuralNetworksEvent_wait(event);
    ANeuralNetworksEvent_free(event);
    return code;
}

/* ---- Fences ---------------------------------------------------------------------------------- */

bool gate_make(struct gate *gate)
{
    gate->event = NULL;
    gate->fd = eventfd(0, EFD_CLOEXEC);
    EXPECT(gate->fd >= 0);
    EXPECT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(gate->fd, &gate->event));
    return gate->event != NULL;
}

void gate_signal(const struct gate *gate)
{
    EXPECT_INT(eventfd_write(gate->fd, 1), 0);
}

void gate_free(struct gate *gate)
{
    ANeuralNetworksEvent_free(gate->event);
    close(gate->fd);
}

short look(int fd, int ms)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    return poll(&look, 1, ms) > 0 ? look.revents : 0;
}
