#include "bench/service/killed_app.h"

#include "bench/device_by_name.h"
#include "common/clock.h"
#include "halyard/halyard.h"

#include <android/NeuralNetworks.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXTENT = 1024, BOUND_MS = 60000 };

static const char device_name[] = "halyard-cpu";

static struct {
    struct killed_app *app;
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
    _Atomic int64_t killed;    /* when; 0: not yet */
    _Atomic uint64_t right;    /* runs */
    _Atomic uint64_t failures; /* runs */
    atomic_bool is_over;
    pthread_mutex_t lock; /* of app->wrong */
} life = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool note(const char *what, long number)
{
    pthread_mutex_lock(&life.lock);
    if (!life.app->wrong[0])
        snprintf(life.app->wrong, sizeof life.app->wrong, "%s (%ld): %s", what, number,
                 halyard_last_error());
    pthread_mutex_unlock(&life.lock);
    return false;
}

/* ---- The model: y = x + x -------------------------------------------------------------------- */

static bool build(void)
{
    const uint32_t dims[] = {EXTENT}, inputs[] = {0, 0, 1}, in = 0, out = 2;
    const ANeuralNetworksOperandType floats = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    const ANeuralNetworksOperandType integer = {.type = ANEURALNETWORKS_INT32};
    const int32_t none = ANEURALNETWORKS_FUSED_NONE;

    int code = ANeuralNetworksModel_create(&life.model);
    code |= ANeuralNetworksModel_addOperand(life.model, &floats);
    code |= ANeuralNetworksModel_addOperand(life.model, &integer);
    code |= ANeuralNetworksModel_addOperand(life.model, &floats);
    code |= ANeuralNetworksModel_setOperandValue(life.model, 1, &none, sizeof none);
    code |= ANeuralNetworksModel_addOperation(life.model, ANEURALNETWORKS_ADD, 3, inputs, 1, &out);
    code |= ANeuralNetworksModel_identifyInputsAndOutputs(life.model, 1, &in, 1, &out);
    code |= ANeuralNetworksModel_finish(life.model);
    return code == ANEURALNETWORKS_NO_ERROR;
}

static bool compile(void)
{
    const ANeuralNetworksDevice *const devices[] = {hy_bench_device(device_name)};

    int code =
        life.app->is_alone
            ? ANeuralNetworksCompilation_createForDevices(life.model, devices, 1, &life.compilation)
            : ANeuralNetworksCompilation_create(life.model, &life.compilation);
    code |= ANeuralNetworksCompilation_finish(life.compilation);
    return code == ANEURALNETWORKS_NO_ERROR;
}

static pid_t device_pid(void)
{
    struct halyard_device_info info = {.struct_size = sizeof info};

    return halyard_device_get_info(hy_bench_device(device_name), &info) == ANEURALNETWORKS_NO_ERROR
               ? info.process_id
               : 0;
}

/* ---- The threads ----------------------------------------------------------------------------- */

static void record_recovery(int64_t start)
{
    struct killed_app *app = life.app;
    const int64_t killed = atomic_load(&life.killed), end = (int64_t)hy_clock_now();
    if (killed == 0 || start > killed || end < killed)
        return;

    const unsigned at = atomic_fetch_add(&app->recovery_count, 1);
    if (at < sizeof app->recovery_ns / sizeof *app->recovery_ns)
        app->recovery_ns[at] = end - killed;
}

static void run_one(ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst, float *in,
                    const float *out, float first)
{
    in[0] = in[EXTENT - 1] = first;
    const int64_t start = (int64_t)hy_clock_now();
    const int code = ANeuralNetworksExecution_burstCompute(execution, burst);
    record_recovery(start);
    if (code == ANEURALNETWORKS_NO_ERROR) {
        if (out[0] != 2 * first || out[EXTENT - 1] != 2 * first)
            note("a result is wrong", (long)first);
        atomic_fetch_add(&life.right, 1);
    } else if (life.app->is_alone && (code == ANEURALNETWORKS_DEAD_OBJECT ||
                                      code == ANEURALNETWORKS_UNAVAILABLE_DEVICE)) {
        atomic_fetch_add(&life.failures, 1);
        poll(NULL, 0, 1);
    } else {
        note("an execution fails", code);
        poll(NULL, 0, 1);
    }
}

static void *run_bursts(void *context)
{
    float in[EXTENT] = {0}, out[EXTENT] = {0};
    ANeuralNetworksExecution *execution = NULL;
    ANeuralNetworksBurst *burst = NULL;

    int code = ANeuralNetworksExecution_create(life.compilation, &execution);
    code |= ANeuralNetworksExecution_setReusable(execution, true);
    code |= ANeuralNetworksExecution_setInput(execution, 0, NULL, in, sizeof in);
    code |= ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out);
    code |= ANeuralNetworksBurst_create(life.compilation, &burst);
    if (code != ANEURALNETWORKS_NO_ERROR)
        note("no burst", code);
    for (unsigned i = 0; code == ANEURALNETWORKS_NO_ERROR && !atomic_load(&life.is_over); i++)
        run_one(execution, burst, in, out, (float)(i % 1000));
    ANeuralNetworksBurst_free(burst);
    ANeuralNetworksExecution_free(execution);
    return context;
}

/* ---- The killer ------------------------------------------------------------------------------ */

/* Waits until a process of the device is there and computes. */
static pid_t wait_for_work(pid_t before)
{
    for (int ms = 0; ms < BOUND_MS && !life.app->wrong[0]; ms++) {
        const pid_t pid = device_pid();
        const uint64_t right = atomic_load(&life.right);
        poll(NULL, 0, 1);
        if (pid > 0 && pid != before && device_pid() == pid && atomic_load(&life.right) > right)
            return pid;
    }
    note("no process comes back", before);
    return 0;
}

static void kill_again_and_again(unsigned *seed)
{
    struct killed_app *app = life.app;
    pid_t pid = 0;

    for (unsigned i = 0; i < KILLED_APP_KILLS; i++) {
        pid = wait_for_work(pid);
        if (pid <= 0)
            return;
        const struct timespec pause = {.tv_nsec = rand_r(seed) % 3000000};
        nanosleep(&pause, NULL);
        atomic_store(&life.killed, (int64_t)hy_clock_now());
        kill(pid, SIGKILL);
        app->kills++;
    }
    app->last_pid = wait_for_work(pid);
}

static bool run_threads(bool kills)
{
    pthread_t threads[KILLED_APP_THREADS];
    unsigned started = 0;

    atomic_store(&life.is_over, false);
    while (started < KILLED_APP_THREADS &&
           pthread_create(&threads[started], NULL, run_bursts, NULL) == 0)
        started++;
    if (kills)
        kill_again_and_again(&life.app->seed);
    else
        (void)wait_for_work(0);
    atomic_store(&life.is_over, true);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return started == KILLED_APP_THREADS && !life.app->wrong[0];
}

/* ---- What is held ---------------------------------------------------------------------------- */

/* Numbers of descriptors except for sockets, whose number depends on the concurrency of the
 * threads; and of maps of shared memory. */
struct held {
    unsigned files, sockets, maps;
};

static struct held look(void)
{
    struct held held = {0};
    char path[300], text[512];
    DIR *dir = opendir("/proc/self/fd");
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        const ssize_t length = readlink(path, text, sizeof text - 1);
        const bool is_socket = length > 0 && strncmp(text, "socket:", 7) == 0;
        held.sockets += is_socket;
        held.files += !is_socket;
    }
    if (dir)
        closedir(dir);
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(text, sizeof text, maps))
        held.maps += strstr(text, "/memfd:") || strstr(text, "/dev/shm");
    if (maps)
        fclose(maps);
    return held;
}

static bool holds_no_more(struct held before)
{
    const struct held now = look();

    if (now.files > before.files)
        return note("descriptors were not closed", (long)now.files - before.files);
    if (now.sockets > before.sockets + 2 * KILLED_APP_THREADS)
        return note("sockets were not closed", (long)now.sockets - before.sockets);
    if (now.maps > before.maps)
        return note("shared memory was not unmapped", (long)now.maps - before.maps);
    if (waitpid(-1, NULL, WNOHANG | __WALL) != -1 || errno != ECHILD)
        return note("there is a child", 0);
    return true;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool live(bool kills)
{
    bool good = build() && compile();

    if (!good)
        note("nothing compiles", 0);
    good = good && run_threads(kills);
    ANeuralNetworksCompilation_free(life.compilation);
    ANeuralNetworksModel_free(life.model);
    life.compilation = NULL;
    life.model = NULL;
    return good;
}

bool killed_app_live(struct killed_app *app)
{
    life.app = app;
    if (!live(false)) /* one-time allocations are done before the count */
        return false;
    const struct held before = look();
    const bool good = live(true) && holds_no_more(before);
    app->runs = atomic_load(&life.right);
    app->failures = atomic_load(&life.failures);
    return good;
}
