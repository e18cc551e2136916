/*
 * An app that has used up its descriptors: each call succeeds, or says RESOURCE_EXHAUSTED. Each is
 * made with none left, with one, with two and so on, so that every place runs out of them in turn;
 * no call leaks one, and all of them work again afterwards.
 */
#include "isolated.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <android/hardware_buffer.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than any of the calls needs. */
enum { MOST_LEFT = 24, LIMIT = 256, BOUND_S = 120 * HY_SLOWNESS };

#define CPU "halyard-cpu"

static const char *const cpu_alone[] = {CPU};

/* ---- Descriptors ----------------------------------------------------------------------------- */

static int occupied[LIMIT];
static unsigned occupied_count;

static void limit(void)
{
    struct rlimit files;

    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = LIMIT;
    setrlimit(RLIMIT_NOFILE, &files);
}

/* Takes all but so many. */
static void leave(unsigned left)
{
    int fd;

    while ((fd = open("/", O_PATH | O_CLOEXEC)) >= 0)
        occupied[occupied_count++] = fd;
    while (left-- > 0 && occupied_count > 0)
        close(occupied[--occupied_count]);
}

static void give_back(void)
{
    while (occupied_count > 0)
        close(occupied[--occupied_count]);
}

static unsigned count_open(void)
{
    unsigned count = 0;

    for (int fd = 0; fd < LIMIT; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* ---- The app --------------------------------------------------------------------------------- */

static struct app {
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
    ANeuralNetworksBurst *burst;
    int file;     /* some memory */
    int fence[2]; /* a socket whose end is a fence that is not over yet, and what ends it */
    AHardwareBuffer *buffer;
    char dir[40];
} app;

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static int compile_in(const char *dir)
{
    static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {7};
    const ANeuralNetworksDevice *device = isolated_device(CPU);
    ANeuralNetworksCompilation *made = NULL;

    int code = ANeuralNetworksCompilation_createForDevices(app.model, &device, 1, &made);
    if (code == ANEURALNETWORKS_NO_ERROR && dir)
        code = ANeuralNetworksCompilation_setCaching(made, dir, token);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksCompilation_finish(made);
    ANeuralNetworksCompilation_free(made);
    return code;
}

static const AHardwareBuffer_Desc blob = {
    .width = 4096,
    .height = 1,
    .layers = 1,
    .format = AHARDWAREBUFFER_FORMAT_BLOB,
    .usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
};

static bool begin(void)
{
    app.model = small_model();
    app.compilation = isolated_compile(app.model, cpu_alone, 1);
    strcpy(app.dir, "/tmp/halyard-exhausted-XXXXXX");
    app.file = memfd_create("some", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return app.compilation && mkdtemp(app.dir) && ftruncate(app.file, 4096) == 0 &&
           fcntl(app.file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0 &&
           socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, app.fence) == 0 &&
           AHardwareBuffer_allocate(&blob, &app.buffer) == 0 &&
           ANeuralNetworksBurst_create(app.compilation, &app.burst) == ANEURALNETWORKS_NO_ERROR &&
           compile_in(app.dir) == ANEURALNETWORKS_NO_ERROR;
}

static void end(void)
{
    AHardwareBuffer_release(app.buffer);
    ANeuralNetworksBurst_free(app.burst);
    ANeuralNetworksCompilation_free(app.compilation);
    ANeuralNetworksModel_free(app.model);
    close(app.file);
    close(app.fence[0]);
    close(app.fence[1]);
    (void)nftw(app.dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- The doors ------------------------------------------------------------------------------- */

static int memory_from_fd(void)
{
    ANeuralNetworksMemory *memory = NULL;
    const int code =
        ANeuralNetworksMemory_createFromFd(4096, PROT_READ | PROT_WRITE, app.file, 0, &memory);

    ANeuralNetworksMemory_free(memory);
    return code;
}

static int memory_from_buffer(void)
{
    ANeuralNetworksMemory *memory = NULL;
    const int code = ANeuralNetworksMemory_createFromAHardwareBuffer(app.buffer, &memory);

    ANeuralNetworksMemory_free(memory);
    return code;
}

static int memory_from_desc(void)
{
    ANeuralNetworksMemoryDesc *desc = NULL;
    ANeuralNetworksMemory *memory = NULL;

    int code = ANeuralNetworksMemoryDesc_create(&desc);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksMemoryDesc_addInputRole(desc, app.compilation, 0, 1);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksMemoryDesc_finish(desc);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksMemory_createFromDesc(desc, &memory);
    ANeuralNetworksMemory_free(memory);
    ANeuralNetworksMemoryDesc_free(desc);
    return code;
}

static int event_from_fence(void)
{
    ANeuralNetworksEvent *event = NULL;
    const int code = ANeuralNetworksEvent_createFromSyncFenceFd(app.fence[0], &event);

    ANeuralNetworksEvent_free(event);
    return code;
}

static int support(void)
{
    const ANeuralNetworksDevice *device = isolated_device(CPU);
    bool supported[2];
    return ANeuralNetworksModel_getSupportedOperationsForDevices(app.model, &device, 1, supported);
}

static int compile(void)
{
    return compile_in(NULL);
}

static int compile_cached(void)
{
    return compile_in(app.dir);
}

/* What the app does before it runs out is not what is looked at. */
static int run(int (*start)(ANeuralNetworksExecution *execution))
{
    struct small_run run;
    int code = halyard_last_error_code();

    if (small_run_init(&run, app.compilation, false)) {
        small_run_fill(&run, 1);
        code = start(run.execution);
        if (code == ANEURALNETWORKS_NO_ERROR)
            EXPECT(small_run_is_right(&run));
    }
    small_run_finish(&run);
    return code;
}

static int start_burst(ANeuralNetworksExecution *execution)
{
    return ANeuralNetworksExecution_burstCompute(execution, app.burst);
}

/* Waits for nothing, and gives a fence of its own. */
static int start_fenced(ANeuralNetworksExecution *execution)
{
    ANeuralNetworksEvent *event = NULL;
    int fence = -1;

    int code = ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &event);
    const int given = code == ANEURALNETWORKS_NO_ERROR
                          ? ANeuralNetworksEvent_getSyncFenceFd(event, &fence)
                          : ANEURALNETWORKS_NO_ERROR;
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksEvent_wait(event);
    if (fence >= 0)
        close(fence);
    ANeuralNetworksEvent_free(event);
    return code == ANEURALNETWORKS_NO_ERROR ? given : code;
}

static int compute(void)
{
    return run(ANeuralNetworksExecution_compute);
}

static int compute_burst(void)
{
    return run(start_burst);
}

static int compute_fenced(void)
{
    return run(start_fenced);
}

static int new_burst(void)
{
    ANeuralNetworksBurst *burst = NULL;
    const int code = ANeuralNetworksBurst_create(app.compilation, &burst);

    ANeuralNetworksBurst_free(burst);
    return code;
}

/* The functions of hardware buffers answer in errno values. */
static int code_of(int result)
{
    return result == -EMFILE || result == -ENFILE ? ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT
                                                  : -result;
}

static int allocate_buffer(void)
{
    AHardwareBuffer *buffer = NULL;
    const int result = AHardwareBuffer_allocate(&blob, &buffer);

    AHardwareBuffer_release(buffer);
    return code_of(result);
}

static int pass_buffer(void)
{
    AHardwareBuffer *buffer = NULL;
    const int sent = AHardwareBuffer_sendHandleToUnixSocket(app.buffer, app.fence[1]);
    const int result =
        sent ? sent : AHardwareBuffer_recvHandleFromUnixSocket(app.fence[0], &buffer);

    AHardwareBuffer_release(buffer);
    return code_of(result);
}

static int wrap_buffer(void)
{
    AHardwareBuffer *buffer = NULL;
    const int code = halyard_hardware_buffer_wrap(app.file, &blob, &buffer);

    AHardwareBuffer_release(buffer);
    return code;
}

/* The process is gone: another one has to be started for it. */
static int compile_anew(void)
{
    isolated_kill(CPU);
    return compile_in(NULL);
}

static const struct entry_point {
    const char *name;
    int (*enter)(void);
    bool starts; /* processes, whose deaths add up: not so often */
} entry_points[] = {
    {"createFromFd", memory_from_fd, false},
    {"createFromAHardwareBuffer", memory_from_buffer, false},
    {"createFromDesc", memory_from_desc, false},
    {"createFromSyncFenceFd", event_from_fence, false},
    {"getSupportedOperationsForDevices", support, false},
    {"Compilation_finish", compile, false},
    {"Compilation_finish with a cache", compile_cached, false},
    {"Execution_compute", compute, false},
    {"burstCompute", compute_burst, false},
    {"startComputeWithDependencies", compute_fenced, false},
    {"Burst_create", new_burst, false},
    {"AHardwareBuffer_allocate", allocate_buffer, false},
    {"AHardwareBuffer_recvHandleFromUnixSocket", pass_buffer, false},
    {"hardware_buffer_wrap", wrap_buffer, false},
    {"a start of the process", compile_anew, true},
};

static bool is_allowed(int code)
{
    return code == ANEURALNETWORKS_NO_ERROR ||
           code == ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT ||
           code == ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT;
}

/* Descriptors of channels that are kept for the next call come to be in the first. */
static void check(const struct entry_point *entry_point)
{
    const unsigned step = entry_point->starts ? 3 : 1, most = entry_point->starts ? 9 : MOST_LEFT;

    EXPECT_INT(entry_point->enter(), ANEURALNETWORKS_NO_ERROR);
    for (unsigned left = 0; left <= most; left += step) {
        leave(left);
        const int code = entry_point->enter();
        give_back();
        if (!is_allowed(code))
            hy_test_fail(__FILE__, __LINE__, "%s with %u descriptors left: code %d: %s",
                         entry_point->name, left, code, halyard_last_error());
    }
    const int64_t last = isolated_clock() + BOUND_S * 1000;
    int code = entry_point->enter();
    while (code != ANEURALNETWORKS_NO_ERROR && isolated_clock() < last) {
        poll(NULL, 0, 10);
        code = entry_point->enter();
    }
    if (code != ANEURALNETWORKS_NO_ERROR)
        hy_test_fail(__FILE__, __LINE__, "%s afterwards: code %d: %s", entry_point->name, code,
                     halyard_last_error());
}

static void check_leaks(const struct entry_point *entry_point)
{
    enum { TIMES = 3 };

    const unsigned before = count_open();
    for (int i = 0; i < TIMES; i++) {
        leave(i);
        (void)entry_point->enter();
        give_back();
    }
    /* A channel may be a new one. */
    if (count_open() > before + TIMES - 1)
        hy_test_fail(__FILE__, __LINE__, "%s: %u descriptors before, %u after", entry_point->name,
                     before, count_open());
}

TEST(no_descriptors, are_told_at_each_door_and_leave_nothing_behind)
{
    limit();
    REQUIRE(begin());
    for (size_t i = 0; i < sizeof entry_points / sizeof *entry_points; i++) {
        check(&entry_points[i]);
        if (!entry_points[i].starts)
            check_leaks(&entry_points[i]);
    }
    end();
}

/* In a process that has not asked for devices yet. */
TEST(no_descriptors_first, list_of_devices_is_made_when_there_are_some_again)
{
    uint32_t count = 0;

    limit();
    for (unsigned left = 0; left < 4; left++) {
        leave(left);
        const int code = ANeuralNetworks_getDeviceCount(&count);
        give_back();
        if (code == ANEURALNETWORKS_NO_ERROR)
            break;
        EXPECT_INT(code, ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT);
    }
    EXPECT_INT(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(count, 3);
    EXPECT_INT(halyard_refused_driver_count(), 0);
    EXPECT(isolated_pid(CPU) > 0);
}
