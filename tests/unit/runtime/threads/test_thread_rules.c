/* What the API promises to several threads, rule by rule. */
#include "halyard/halyard.h"
#include "tests/kit/small_model.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, PROCESSES = 10, ROUNDS = 200 / HY_SLOWNESS };

/* What one of the threads gets and answers. */
struct part {
    unsigned number;
    bool good;
    const void *seen[4];
    ANeuralNetworksEvent *event;
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
    ANeuralNetworksMemory *memory;
    const ANeuralNetworksMemoryDesc *desc;
};

static bool run_parts(struct part parts[THREADS], void (*part)(void *argument))
{
    bool good = true;

    for (unsigned i = 0; i < THREADS; i++)
        parts[i].number = i;
    if (!hy_threads_run(THREADS, part, parts, sizeof *parts))
        return false;
    for (unsigned i = 0; i < THREADS; i++)
        good &= parts[i].good;
    return good;
}

/* Puts the same into every part. */
static void deal(struct part parts[THREADS], struct part common)
{
    for (unsigned i = 0; i < THREADS; i++)
        parts[i] = common;
}

/* ---- Devices --------------------------------------------------------------------------------- */

static void meet_the_devices(void *argument)
{
    struct part *part = argument;
    ANeuralNetworksDevice *first = NULL, *last = NULL;
    const char *name = NULL, *version = NULL;
    uint32_t count = 0;

    part->good = ANeuralNetworks_getDeviceCount(&count) == ANEURALNETWORKS_NO_ERROR && count >= 2 &&
                 ANeuralNetworks_getDevice(0, &first) == ANEURALNETWORKS_NO_ERROR &&
                 ANeuralNetworks_getDevice(count - 1, &last) == ANEURALNETWORKS_NO_ERROR &&
                 ANeuralNetworksDevice_getName(last, &name) == ANEURALNETWORKS_NO_ERROR &&
                 strcmp(name, "nnapi-reference") == 0 &&
                 ANeuralNetworksDevice_getVersion(last, &version) == ANEURALNETWORKS_NO_ERROR;
    part->seen[0] = first;
    part->seen[1] = last;
    part->seen[2] = name;
    part->seen[3] = version;
}

static bool all_have_seen_the_same(const struct part parts[THREADS])
{
    bool same = true;
    for (unsigned i = 1; i < THREADS; i++)
        same &= memcmp(parts[i].seen, parts[0].seen, sizeof parts[0].seen) == 0;
    return same;
}

/* The tests that follow use the API in this process: these children have to be the first. */
TEST(thread_rules, devices_may_be_asked_for_by_eight_threads_as_the_very_first_call)
{
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status = 1;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            struct part parts[THREADS] = {0};
            alarm(240); /* a child that hangs is a failure, too */
            exit(run_parts(parts, meet_the_devices) && all_have_seen_the_same(parts) ? 0 : 2);
        }
        REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
        EXPECT_INT(status, 0);
    }
}

static void live_once(void *argument)
{
    struct part *part = argument;
    part->good = small_life(part->number);
}

TEST(thread_rules, eight_threads_may_begin_with_a_model_each)
{
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status = 1;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            struct part parts[THREADS] = {0};
            alarm(240);
            exit(run_parts(parts, live_once) ? 0 : 2);
        }
        REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
        EXPECT_INT(status, 0);
    }
}

/* ---- Models and compilations ----------------------------------------------------------------- */

static void compile_and_run(void *argument)
{
    struct part *part = argument;
    struct small_run run;
    ANeuralNetworksCompilation *own =
        small_compile(part->model, ANEURALNETWORKS_PRIORITY_LOW + 10 * (int)(part->number % 3));

    part->good = own && small_run_init(&run, own, false);
    if (part->good) {
        small_run_fill(&run, part->number);
        part->good = small_run_compute(&run);
        small_run_finish(&run);
    }
    ANeuralNetworksCompilation_free(own);
}

TEST(thread_rules, finished_model_may_be_compiled_by_eight_threads)
{
    struct part parts[THREADS];
    ANeuralNetworksModel *model = small_model();
    REQUIRE(model);
    deal(parts, (struct part){.model = model});
    for (unsigned i = 0; i < ROUNDS; i++)
        EXPECT(run_parts(parts, compile_and_run));
    ANeuralNetworksModel_free(model);
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void wait_twice(void *argument)
{
    struct part *part = argument;
    part->good = ANeuralNetworksEvent_wait(part->event) == ANEURALNETWORKS_NO_ERROR &&
                 ANeuralNetworksEvent_wait(part->event) == ANEURALNETWORKS_NO_ERROR;
}

static void expect_waiters_agree(ANeuralNetworksEvent *event)
{
    struct part parts[THREADS];

    deal(parts, (struct part){.event = event});
    EXPECT(run_parts(parts, wait_twice));
}

TEST(thread_rules, event_may_be_waited_for_by_eight_threads)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation =
        model ? small_compile(model, ANEURALNETWORKS_PRIORITY_MEDIUM) : NULL;
    struct small_run run;
    REQUIRE(compilation && small_run_init(&run, compilation, true));

    for (unsigned i = 0; i < ROUNDS; i++) {
        ANeuralNetworksEvent *plain = NULL, *fenced = NULL;
        small_run_fill(&run, i);
        REQUIRE(ANeuralNetworksExecution_startCompute(run.execution, &plain) ==
                ANEURALNETWORKS_NO_ERROR);
        expect_waiters_agree(plain);
        ANeuralNetworksEvent_free(plain);
        EXPECT(small_run_is_right(&run));

        small_run_fill(&run, i + 1);
        REQUIRE(ANeuralNetworksExecution_startComputeWithDependencies(
                    run.execution, NULL, 0, 0, &fenced) == ANEURALNETWORKS_NO_ERROR);
        expect_waiters_agree(fenced);
        ANeuralNetworksEvent_free(fenced);
        EXPECT(small_run_is_right(&run));
    }
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

static void signal_or_wait(void *argument)
{
    struct part *part = argument;

    if (part->number == 0)
        part->good = eventfd_write(*(const int *)part->seen[0], 1) == 0;
    else
        wait_twice(part);
}

TEST(thread_rules, fence_may_be_waited_for_by_several_threads)
{
    struct part parts[THREADS];
    ANeuralNetworksEvent *event = NULL;
    int fd = eventfd(0, EFD_CLOEXEC);
    REQUIRE(fd >= 0 &&
            ANeuralNetworksEvent_createFromSyncFenceFd(fd, &event) == ANEURALNETWORKS_NO_ERROR);
    deal(parts, (struct part){.event = event, .seen = {&fd}});
    EXPECT(run_parts(parts, signal_or_wait));
    ANeuralNetworksEvent_free(event);
    close(fd);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

enum { BYTES = SMALL_EXTENT * sizeof(float) };

static bool set_ranges(ANeuralNetworksExecution *execution, const struct part *part)
{
    return ANeuralNetworksExecution_setReusable(execution, true) == ANEURALNETWORKS_NO_ERROR &&
           ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, part->memory, 0,
                                                       BYTES) == ANEURALNETWORKS_NO_ERROR &&
           ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, part->memory,
                                                        (part->number + 1) * BYTES,
                                                        BYTES) == ANEURALNETWORKS_NO_ERROR;
}

/* All read the first piece of the memory, and each writes one of its own. */
static void run_on_memory(void *argument)
{
    struct part *part = argument;
    float *out = (float *)part->seen[0] + (part->number + 1) * SMALL_EXTENT;
    ANeuralNetworksExecution *execution = NULL;

    part->good = ANeuralNetworksExecution_create(part->compilation, &execution) ==
                     ANEURALNETWORKS_NO_ERROR &&
                 set_ranges(execution, part);
    for (unsigned i = 0; part->good && i < ROUNDS; i++) {
        memset(out, 0, BYTES);
        part->good = ANeuralNetworksExecution_compute(execution) == ANEURALNETWORKS_NO_ERROR &&
                     out[0] == 3.5f && out[SMALL_EXTENT - 1] == 12.5f;
    }
    ANeuralNetworksExecution_free(execution);
}

TEST(thread_rules, one_memory_may_serve_executions_of_eight_threads_at_once)
{
    const size_t size = (THREADS + 1) * BYTES;
    struct part parts[THREADS];
    ANeuralNetworksMemory *memory = NULL;
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation =
        model ? small_compile(model, ANEURALNETWORKS_PRIORITY_MEDIUM) : NULL;
    int fd = memfd_create("test", MFD_CLOEXEC);
    REQUIRE(compilation && fd >= 0 && ftruncate(fd, (off_t)size) == 0);
    float *floats = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REQUIRE(floats != MAP_FAILED &&
            ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, fd, 0, &memory) ==
                ANEURALNETWORKS_NO_ERROR);
    for (unsigned i = 0; i < SMALL_EXTENT; i++)
        floats[i] = (float)(i + 1);

    deal(parts, (struct part){.compilation = compilation, .memory = memory, .seen = {floats}});
    EXPECT(run_parts(parts, run_on_memory));
    ANeuralNetworksMemory_free(memory);
    munmap(floats, size);
    close(fd);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* Each makes memory of the same descriptor, writes it in one execution and reads it in another. */
static void make_and_use(void *argument)
{
    struct part *part = argument;
    ANeuralNetworksMemory *memory = NULL;
    ANeuralNetworksExecution *writer = NULL, *reader = NULL;
    const float in[SMALL_EXTENT] = {1, 2, 3, 4};
    float out[SMALL_EXTENT] = {0};
    int code = ANeuralNetworksMemory_createFromDesc(part->desc, &memory);

    code |= ANeuralNetworksExecution_create(part->compilation, &writer);
    code |= ANeuralNetworksExecution_create(part->compilation, &reader);
    if (code == ANEURALNETWORKS_NO_ERROR) {
        code |= ANeuralNetworksExecution_setInput(writer, 0, NULL, in, sizeof in);
        code |= ANeuralNetworksExecution_setOutputFromMemory(writer, 0, NULL, memory, 0, 0);
        code |= ANeuralNetworksExecution_setInputFromMemory(reader, 0, NULL, memory, 0, 0);
        code |= ANeuralNetworksExecution_setOutput(reader, 0, NULL, out, sizeof out);
        code |= ANeuralNetworksExecution_compute(writer);
        code |= ANeuralNetworksExecution_compute(reader);
    }
    part->good = code == ANEURALNETWORKS_NO_ERROR && out[1] == (2 * 3 + .5f) * 3 + .5f;
    ANeuralNetworksExecution_free(writer);
    ANeuralNetworksExecution_free(reader);
    ANeuralNetworksMemory_free(memory);
}

TEST(thread_rules, finished_descriptor_may_be_used_by_eight_threads)
{
    struct part parts[THREADS];
    ANeuralNetworksMemoryDesc *desc = NULL;
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation =
        model ? small_compile(model, ANEURALNETWORKS_PRIORITY_MEDIUM) : NULL;
    REQUIRE(compilation && ANeuralNetworksMemoryDesc_create(&desc) == ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 0, 1),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ANeuralNetworksMemoryDesc_finish(desc), ANEURALNETWORKS_NO_ERROR);

    deal(parts, (struct part){.compilation = compilation, .desc = desc});
    for (unsigned i = 0; i < ROUNDS / 4; i++)
        EXPECT(run_parts(parts, make_and_use));
    ANeuralNetworksMemoryDesc_free(desc);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* ---- The last error -------------------------------------------------------------------------- */

/* Every thread fails in its own way, again and again, and finds its own words. */
static void fail_in_own_way(void *argument)
{
    struct part *part = argument;
    const uint32_t index = 1000 + part->number;
    char expected[64];

    snprintf(expected, sizeof expected, "device index %u does not exist", index);
    part->good =
        *halyard_last_error() == '\0' && halyard_last_error_code() == ANEURALNETWORKS_NO_ERROR;
    for (unsigned i = 0; part->good && i < ROUNDS; i++) {
        ANeuralNetworksDevice *device = NULL;
        part->good = ANeuralNetworks_getDevice(index, &device) == ANEURALNETWORKS_BAD_DATA &&
                     strstr(halyard_last_error(), expected) &&
                     halyard_last_error_code() == ANEURALNETWORKS_BAD_DATA;
    }
}

TEST(thread_rules, last_error_is_that_of_the_thread)
{
    struct part parts[THREADS] = {0};

    EXPECT_INT(ANeuralNetworks_getDeviceCount(NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT(run_parts(parts, fail_in_own_way));
    EXPECT_STR(halyard_last_error(), "getDeviceCount: numDevices is NULL");
    halyard_clear_last_error();
}

/* A fence in error, whose words every waiter gets for itself. */
static void wait_in_vain(void *argument)
{
    struct part *part = argument;
    part->good = ANeuralNetworksEvent_wait(part->event) == ANEURALNETWORKS_OP_FAILED &&
                 strstr(halyard_last_error(), "is in error");
}

TEST(thread_rules, words_of_a_failed_event_reach_every_waiter)
{
    struct part parts[THREADS];
    ANeuralNetworksEvent *event = NULL;
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    REQUIRE(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &event) ==
            ANEURALNETWORKS_NO_ERROR);
    close(ends[0]);
    close(ends[1]);
    deal(parts, (struct part){.event = event});
    EXPECT(run_parts(parts, wait_in_vain));
    EXPECT_STR(halyard_last_error(), "");
    ANeuralNetworksEvent_free(event);
}
