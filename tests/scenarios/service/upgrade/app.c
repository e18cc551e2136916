#include "app.h"

#include "halyard/halyard.h"
#include "tests/scenarios/service/shared/shared_service.h"
#include "tests/unit/plugins/service/client/isolated.h"
#include "tests/unit/plugins/service/client/sum_model.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXTENT = 64 };

/* ---- In the app ------------------------------------------------------------------------------ */

/* One sum after the other, over an execution that is used again. */
struct sum {
    float x[EXTENT], y[EXTENT], z[EXTENT];
    ANeuralNetworksExecution *execution;
};

static bool sum_init(struct sum *sum, ANeuralNetworksCompilation *compilation)
{
    if (ANeuralNetworksExecution_create(compilation, &sum->execution) != ANEURALNETWORKS_NO_ERROR)
        return false;
    int code = ANeuralNetworksExecution_setReusable(sum->execution, true);
    code |= ANeuralNetworksExecution_setInput(sum->execution, 0, NULL, sum->x, sizeof sum->x);
    code |= ANeuralNetworksExecution_setInput(sum->execution, 1, NULL, sum->y, sizeof sum->y);
    code |= ANeuralNetworksExecution_setOutput(sum->execution, 0, NULL, sum->z, sizeof sum->z);
    return code == ANEURALNETWORKS_NO_ERROR;
}

static bool run(struct sum *sum, ANeuralNetworksBurst *burst, unsigned seed)
{
    for (unsigned i = 0; i < EXTENT; i++) {
        sum->x[i] = (float)(seed % 1000 + i);
        sum->y[i] = (float)(2 * (seed % 1000));
        sum->z[i] = -1;
    }
    return (burst ? ANeuralNetworksExecution_burstCompute(sum->execution, burst)
                  : ANeuralNetworksExecution_compute(sum->execution)) == ANEURALNETWORKS_NO_ERROR;
}

static bool is_right(const struct sum *sum)
{
    for (unsigned i = 0; i < EXTENT; i++) {
        if (sum->z[i] != sum->x[i] + sum->y[i])
            return false;
    }
    return true;
}

static void note_failure(struct app *app)
{
    if (atomic_load(&app->failed) == 0) {
        app->first_failure = halyard_last_error_code();
        snprintf(app->error_text, sizeof app->error_text, "%s", halyard_last_error());
    }
    atomic_fetch_add(&app->failed, 1);
}

static void run_once(struct app *app, struct sum *sum, ANeuralNetworksBurst *burst, unsigned seed,
                     int64_t *last)
{
    if (!run(sum, burst, seed)) {
        note_failure(app);
        return;
    }
    const int64_t now = isolated_clock();
    if (*last > 0 && now - *last > atomic_load(&app->longest_gap_ms))
        atomic_store(&app->longest_gap_ms, now - *last);
    *last = now;
    atomic_fetch_add(is_right(sum) ? &app->good : &app->wrong, 1);
}

static ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model, const char *cache_dir)
{
    static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = "upgrade";
    const ANeuralNetworksDevice *device = isolated_device("halyard-sample");
    ANeuralNetworksCompilation *compilation = NULL;

    int code = ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation);
    if (code == ANEURALNETWORKS_NO_ERROR && cache_dir)
        code = ANeuralNetworksCompilation_setCaching(compilation, cache_dir, token);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksCompilation_finish(compilation);
    if (code == ANEURALNETWORKS_NO_ERROR)
        return compilation;
    ANeuralNetworksCompilation_free(compilation);
    return NULL;
}

static void note_cache(struct app *app, const ANeuralNetworksCompilation *compilation)
{
    struct halyard_plan_step step = {.struct_size = sizeof step};

    if (halyard_compilation_get_step(compilation, 0, &step) != ANEURALNETWORKS_NO_ERROR)
        return;
    snprintf(app->reason, sizeof app->reason, "%s", step.cache_reason);
    atomic_store(&app->cached, step.cache);
}

static void compile_again(struct app *app, ANeuralNetworksModel *model, const char *cache_dir)
{
    ANeuralNetworksCompilation *compilation = compile(model, cache_dir);

    atomic_store(&app->cached, -1);
    if (compilation)
        note_cache(app, compilation);
    ANeuralNetworksCompilation_free(compilation);
    atomic_fetch_add(&app->compiled, 1);
}

static void serve(struct app *app, ANeuralNetworksModel *model, struct sum *sum,
                  ANeuralNetworksBurst *burst, const char *cache_dir)
{
    int64_t last = 0;

    for (unsigned seed = 0; !atomic_load(&app->stops); seed++) {
        if (atomic_load(&app->failed) == 0 || !app->ends_on_error)
            run_once(app, sum, burst, seed, &last);
        if (atomic_load(&app->compiles) > atomic_load(&app->compiled))
            compile_again(app, model, cache_dir);
        if (atomic_load(&app->failed) > 0)
            poll(NULL, 0, 10);
    }
}

static int live(struct app *app, enum app_way way, const char *cache_dir)
{
    struct sum sum = {0};
    ANeuralNetworksBurst *burst = NULL;

    ANeuralNetworksModel *model = sum_model(EXTENT);
    ANeuralNetworksCompilation *compilation = model ? compile(model, cache_dir) : NULL;
    bool good = compilation && sum_init(&sum, compilation);
    if (good && way == APP_BURST)
        good = ANeuralNetworksBurst_create(compilation, &burst) == ANEURALNETWORKS_NO_ERROR;
    if (good) {
        note_cache(app, compilation);
        serve(app, model, &sum, burst, cache_dir);
    } else {
        note_failure(app);
    }
    ANeuralNetworksBurst_free(burst);
    ANeuralNetworksExecution_free(sum.execution);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return good ? 0 : 1;
}

/* ---- In the test ----------------------------------------------------------------------------- */

struct app *app_start(enum app_way way, bool ends_on_error, const char *cache_dir)
{
    struct app *app =
        mmap(NULL, sizeof *app, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (app == MAP_FAILED)
        return NULL;

    app->ends_on_error = ends_on_error;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0)
        _exit(live(app, way, cache_dir));
    app->pid = pid; /* both see the memory */
    return app;
}

static bool has_ended(const struct app *app)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)app->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

bool app_goes_on(const struct app *app, unsigned more)
{
    const unsigned aim = atomic_load(&app->good) + more;

    for (int ms = 0; ms < TIMEOUT_MS && !has_ended(app); ms++) {
        if (atomic_load(&app->good) >= aim)
            return true;
        poll(NULL, 0, 1);
    }
    return false;
}

bool app_fails(const struct app *app)
{
    for (int ms = 0; ms < TIMEOUT_MS && !has_ended(app); ms++) {
        if (atomic_load(&app->failed) > 0)
            return true;
        poll(NULL, 0, 1);
    }
    return false;
}

int app_compile(struct app *app)
{
    const unsigned aim = atomic_fetch_add(&app->compiles, 1) + 1;

    for (int ms = 0; ms < TIMEOUT_MS && !has_ended(app); ms++) {
        if (atomic_load(&app->compiled) >= aim)
            return atomic_load(&app->cached);
        poll(NULL, 0, 1);
    }
    return -1;
}

bool app_end(struct app *app)
{
    int status = -1;

    atomic_store(&app->stops, true);
    (void)waitpid(app->pid, &status, 0);
    (void)munmap(app, sizeof *app);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
