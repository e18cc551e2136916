#include "fake_setup.h"

#include <poll.h>
#include <sys/eventfd.h>

bool fake_setup_open(struct fake_setup *fake_setup, struct hy_app_model *model,
                     enum fake_setup_devices devices)
{
    struct fake_device *const both[] = {&fake_setup->npu, &fake_setup->cpu};

    fake_device_init(&fake_setup->npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_ALL);
    fake_device_init(&fake_setup->cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    fake_setup->compilation = hy_compilation_handle(
        compile(model, both, devices == ONE_DEVICE ? 1 : 2, devices != ALL_DEVICES, NULL));
    EXPECT(fake_setup->compilation != NULL);
    return fake_setup->compilation != NULL;
}

void fake_setup_close(struct fake_setup *fake_setup)
{
    ANeuralNetworksCompilation_free(fake_setup->compilation);
    EXPECT_INT(fake_setup->npu.prepared, 0);
    EXPECT_INT(fake_setup->cpu.prepared, 0);
}

ANeuralNetworksExecution *fake_setup_execution(const struct fake_setup *fake_setup)
{
    ANeuralNetworksExecution *execution = NULL;

    EXPECT_OK(ANeuralNetworksExecution_create(fake_setup->compilation, &execution));
    return execution;
}

ANeuralNetworksExecution *fake_setup_ready(const struct fake_setup *fake_setup, const float *input,
                                           float *output)
{
    ANeuralNetworksExecution *execution = fake_setup_execution(fake_setup);

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

static int compute_in_burst(const struct fake_setup *fake_setup,
                            ANeuralNetworksExecution *execution)
{
    ANeuralNetworksBurst *burst = NULL;
    int code = ANeuralNetworksBurst_create(fake_setup->compilation, &burst);

    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksExecution_burstCompute(execution, burst);
    ANeuralNetworksBurst_free(burst);
    return code;
}

int launch(const struct fake_setup *fake_setup, enum run_kind kind,
           ANeuralNetworksExecution *execution, ANeuralNetworksEvent **event)
{
    switch (kind) {
    case COMPUTE:
        return ANeuralNetworksExecution_compute(execution);
    case BURST:
        return compute_in_burst(fake_setup, execution);
    case START:
        return ANeuralNetworksExecution_startCompute(execution, event);
    case FENCED:
    case RUN_KINDS:
        break;
    }
    return ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, event);
}

int run(const struct fake_setup *fake_setup, enum run_kind kind,
        ANeuralNetworksExecution *execution)
{
    ANeuralNetworksEvent *event = NULL;
    int code = launch(fake_setup, kind, execution, &event);

    if (code == ANEURALNETWORKS_NO_ERROR && event)
        code = ANeuralNetworksEvent_wait(event);
    ANeuralNetworksEvent_free(event);
    return code;
}

/* ---- Fences ---------------------------------------------------------------------------------- */

bool manual_fence_make(struct manual_fence *manual_fence)
{
    manual_fence->event = NULL;
    manual_fence->fd = eventfd(0, EFD_CLOEXEC);
    EXPECT(manual_fence->fd >= 0);
    EXPECT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(manual_fence->fd, &manual_fence->event));
    return manual_fence->event != NULL;
}

void manual_fence_signal(const struct manual_fence *manual_fence)
{
    EXPECT_INT(eventfd_write(manual_fence->fd, 1), 0);
}

void manual_fence_free(struct manual_fence *manual_fence)
{
    ANeuralNetworksEvent_free(manual_fence->event);
    close(manual_fence->fd);
}

short look(int fd, int ms)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    return poll(&look, 1, ms) > 0 ? look.revents : 0;
}
