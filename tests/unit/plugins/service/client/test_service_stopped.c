/* Every call that can meet a process that stands still comes back within the patience, which is two
 * seconds here. What is stopped is killed and started anew, so that each call gets one of its own.
 */
#include "isolated.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define CPU "halyard-cpu"

/* The patience of a prepare is ten times that of an execution, and a machine may be slow. */
enum { BOUND_MS = 60000 * HY_SLOWNESS };

static const char *const cpu_alone[] = {CPU};

/* What an app has when its driver is stopped. */
struct app {
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
    ANeuralNetworksBurst *burst;
    ANeuralNetworksMemory *memory;
    struct small_run run;
};

static ANeuralNetworksCompilation *compile_when_it_is_back(ANeuralNetworksModel *model)
{
    const int64_t end = isolated_clock() + BOUND_MS;
    ANeuralNetworksCompilation *compilation = isolated_compile(model, cpu_alone, 1);

    while (!compilation && isolated_clock() < end) {
        poll(NULL, 0, 10);
        compilation = isolated_compile(model, cpu_alone, 1);
    }
    return compilation;
}

/* A tensor of the device's own, the first input of the model. */
static ANeuralNetworksMemory *make_memory(ANeuralNetworksCompilation *compilation)
{
    ANeuralNetworksMemoryDesc *desc = NULL;
    ANeuralNetworksMemory *memory = NULL;
    int code = ANeuralNetworksMemoryDesc_create(&desc);

    code |= ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1);
    code |= ANeuralNetworksMemoryDesc_finish(desc);
    if (code == ANEURALNETWORKS_NO_ERROR)
        (void)ANeuralNetworksMemory_createFromDesc(desc, &memory);
    ANeuralNetworksMemoryDesc_free(desc);
    return memory;
}

static bool app_init(struct app *app)
{
    *app = (struct app){.model = small_model()};
    app->compilation = compile_when_it_is_back(app->model);
    if (!app->compilation || !small_run_init(&app->run, app->compilation, true) ||
        ANeuralNetworksBurst_create(app->compilation, &app->burst) != ANEURALNETWORKS_NO_ERROR)
        return false;
    app->memory = make_memory(app->compilation);
    small_run_fill(&app->run, 1);
    return small_run_compute(&app->run) && small_run_burst(&app->run, app->burst);
}

static void app_finish(struct app *app)
{
    small_run_finish(&app->run);
    ANeuralNetworksMemory_free(app->memory);
    ANeuralNetworksBurst_free(app->burst);
    ANeuralNetworksCompilation_free(app->compilation);
    ANeuralNetworksModel_free(app->model);
}

/* ---- The calls ------------------------------------------------------------------------------- */

static int list_devices(struct app *app)
{
    uint32_t count = 0;
    (void)app;
    return ANeuralNetworks_getDeviceCount(&count);
}

static int support(struct app *app)
{
    const ANeuralNetworksDevice *device = isolated_device(CPU);
    bool supported[2];
    return ANeuralNetworksModel_getSupportedOperationsForDevices(app->model, &device, 1, supported);
}

static int compile(struct app *app)
{
    const ANeuralNetworksDevice *device = isolated_device(CPU);
    ANeuralNetworksCompilation *made = NULL;

    int code = ANeuralNetworksCompilation_createForDevices(app->model, &device, 1, &made);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksCompilation_finish(made);
    ANeuralNetworksCompilation_free(made);
    return code;
}

static int compute(struct app *app)
{
    return ANeuralNetworksExecution_compute(app->run.execution);
}

static int create_execution(struct app *app)
{
    ANeuralNetworksExecution *made = NULL;
    const int code = ANeuralNetworksExecution_create(app->compilation, &made);

    ANeuralNetworksExecution_free(made);
    return code;
}

static int compute_fenced(struct app *app)
{
    ANeuralNetworksEvent *event = NULL;

    int code = ANeuralNetworksExecution_startComputeWithDependencies(app->run.execution, NULL, 0, 0,
                                                                     &event);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksEvent_wait(event);
    ANeuralNetworksEvent_free(event);
    return code;
}

static int burst(struct app *app)
{
    return ANeuralNetworksExecution_burstCompute(app->run.execution, app->burst);
}

static int create_burst(struct app *app)
{
    ANeuralNetworksBurst *made = NULL;
    const int code = ANeuralNetworksBurst_create(app->compilation, &made);

    ANeuralNetworksBurst_free(made);
    return code;
}

static int create_memory(struct app *app)
{
    ANeuralNetworksMemory *memory = make_memory(app->compilation);

    ANeuralNetworksMemory_free(memory);
    return memory ? ANEURALNETWORKS_NO_ERROR : halyard_last_error_code();
}

static int copy(struct app *app)
{
    ANeuralNetworksMemory *other = make_memory(app->compilation);
    const int code = app->memory && other ? ANeuralNetworksMemory_copy(app->memory, other)
                                          : ANEURALNETWORKS_NO_ERROR;
    ANeuralNetworksMemory_free(other);
    return code;
}

static int free_memory(struct app *app)
{
    ANeuralNetworksMemory_free(app->memory);
    app->memory = NULL;
    return ANEURALNETWORKS_NO_ERROR;
}

static int free_burst(struct app *app)
{
    ANeuralNetworksBurst_free(app->burst);
    app->burst = NULL;
    return ANEURALNETWORKS_NO_ERROR;
}

static int free_compilation(struct app *app)
{
    small_run_finish(&app->run);
    app->run.execution = NULL;
    (void)free_burst(app);
    ANeuralNetworksCompilation_free(app->compilation);
    app->compilation = NULL;
    return ANEURALNETWORKS_NO_ERROR;
}

static const struct call {
    const char *name;
    int (*make)(struct app *app);
} calls[] = {
    {"getDeviceCount", list_devices},
    {"getSupportedOperationsForDevices", support},
    {"Compilation_finish", compile},
    {"Execution_create", create_execution},
    {"Execution_compute", compute},
    {"startComputeWithDependencies", compute_fenced},
    {"burstCompute", burst},
    {"Burst_create", create_burst},
    {"createFromDesc", create_memory},
    {"Memory_copy", copy},
    {"Memory_free", free_memory},
    {"Burst_free", free_burst},
    {"Compilation_free", free_compilation},
};

static bool is_code_of_a_lost_device(int code)
{
    return code == ANEURALNETWORKS_NO_ERROR || code == ANEURALNETWORKS_DEAD_OBJECT ||
           code == ANEURALNETWORKS_UNAVAILABLE_DEVICE;
}

static void check(const struct call *call)
{
    struct app app;
    const bool is_ready = app_init(&app);
    const pid_t stopped = isolated_pid(CPU);

    if (is_ready && stopped > 0) {
        isolated_stop(stopped);
        alarm(BOUND_MS / 1000); /* a call that hangs ends the test */
        const int64_t before = isolated_clock();
        const int code = call->make(&app);
        const int64_t elapsed = isolated_clock() - before;
        alarm(0);
        if (elapsed >= BOUND_MS || !is_code_of_a_lost_device(code))
            hy_test_fail(__FILE__, __LINE__, "%s: code %d after %lld ms: %s", call->name, code,
                         (long long)elapsed, halyard_last_error());
        if (code != ANEURALNETWORKS_NO_ERROR)
            EXPECT_CONTAINS(halyard_last_error(), CPU);
        kill(stopped, SIGCONT);
    } else {
        hy_test_fail(__FILE__, __LINE__, "%s: no app: %s", call->name, halyard_last_error());
    }
    app_finish(&app);
}

TEST(service_stopped, calls_that_meet_a_stopped_process_come_back)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        check(&calls[i]);
}

/* ---- Bursts ---------------------------------------------------------------------------------- */

/* The patience is the usual minute here. */
TEST(service_stopped_burst, burst_is_created_without_the_process_and_opened_by_an_execution)
{
    ANeuralNetworksBurst *burst = NULL;
    struct app app;

    REQUIRE(app_init(&app));
    const pid_t stopped = isolated_pid(CPU);
    isolated_stop(stopped);
    const int64_t before = isolated_clock();
    EXPECT_INT(ANeuralNetworksBurst_create(app.compilation, &burst), ANEURALNETWORKS_NO_ERROR);
    const int64_t elapsed = isolated_clock() - before;
    kill(stopped, SIGCONT);
    if (elapsed >= BOUND_MS / 2)
        hy_test_fail(__FILE__, __LINE__, "Burst_create took %lld ms", (long long)elapsed);
    small_run_fill(&app.run, 2);
    EXPECT(small_run_burst(&app.run, burst));
    EXPECT_INT(isolated_pid(CPU), stopped);
    ANeuralNetworksBurst_free(burst);
    app_finish(&app);
}
