/* What an app sees of a shared service: through the public API. */
#include "shared_service.h"
#include "tests/kit/test.h"
#include "tests/unit/plugins/service/client/isolated.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPU       "halyard-cpu"
#define REFERENCE "nnapi-reference"

enum { APPS = 4 };

static const char *const cpu_alone[] = {CPU};

/* The environment is read once, so that all tests use the same socket. */
static struct shared_service service;

static bool start(void)
{
    static const char *const arguments[] = {"--cpu", NULL};
    char sockets[128];
    int status;

    if (!*service.dir) {
        if (!shared_service_init(&service))
            return false;
        snprintf(sockets, sizeof sockets, CPU "=%s", service.socket);
        setenv("HALYARD_SERVICE_SOCKETS", sockets, 1);
    }
    return service.pid > 0 || shared_service_start(&service, arguments, &status);
}

__attribute__((destructor)) static void clean_up(void)
{
    if (*service.dir)
        shared_service_finish(&service);
}

/* After a series of deaths the last attempt may be too short a time ago: up to half a minute. */
static ANeuralNetworksCompilation *compile_alone(ANeuralNetworksModel *model)
{
    const int64_t end = isolated_clock() + TIMEOUT_MS;
    ANeuralNetworksCompilation *compilation = isolated_compile(model, cpu_alone, 1);

    while (!compilation && isolated_clock() < end) {
        poll(NULL, 0, 100);
        compilation = isolated_compile(model, cpu_alone, 1);
    }
    return compilation;
}

/* Runs until it is right again; an error has to be one that a service that is gone explains. */
static void run_until_right(struct small_run *run)
{
    const int64_t end = isolated_clock() + TIMEOUT_MS;

    for (unsigned seed = 0; isolated_clock() < end; seed++) {
        small_run_fill(run, seed);
        const int code = ANeuralNetworksExecution_compute(run->execution);
        if (code == ANEURALNETWORKS_NO_ERROR) {
            EXPECT(small_run_is_right(run));
            return;
        }
        EXPECT(code == ANEURALNETWORKS_DEAD_OBJECT || code == ANEURALNETWORKS_UNAVAILABLE_DEVICE);
        poll(NULL, 0, 10);
    }
    hy_test_fail(__FILE__, __LINE__, "never right again: %s", halyard_last_error());
}

/* Each with a connection of its own. The first test: an app that has no threads yet may do in a
 * child whatever it likes, also under AddressSanitizer, whose locks fork() does not look after. */
TEST(shared_apps, many_apps_at_once_get_right_results)
{
    pid_t apps[APPS];

    REQUIRE(start());
    fflush(stdout);
    for (int i = 0; i < APPS; i++) {
        apps[i] = fork();
        if (apps[i] != 0)
            continue;
        bool good = true;
        for (unsigned seed = 0; seed < 5 && good; seed++)
            good = small_life(seed);
        _exit(good && isolated_pid(CPU) == shared_service_host(&service) ? 0 : 1);
    }
    for (int i = 0; i < APPS; i++) {
        int status = -1;
        waitpid(apps[i], &status, 0);
        EXPECT_INT(status, 0);
    }
    EXPECT(small_life(17));
}

TEST(shared_apps, device_tells_socket_and_process)
{
    REQUIRE(start());
    const struct halyard_device_info info = isolated_info(CPU);
    EXPECT_INT(info.kind, HALYARD_DEVICE_SERVICE);
    EXPECT_INT(info.process_id, shared_service_host(&service));
    EXPECT_STR(info.socket, service.socket);
    EXPECT_STR(isolated_info(REFERENCE).socket, "");
}

/* It is the same again: until it is back the other device stands in. */
static bool comes_back(struct small_run *run, pid_t host)
{
    const int64_t end = isolated_clock() + TIMEOUT_MS;

    while (isolated_pid(CPU) != host && isolated_clock() < end)
        run_until_right(run);
    return isolated_pid(CPU) == host;
}

/* What the service may still do to the memory of the call, nobody else should do, too.
 * HALYARD_SERVICE_PATIENCE is short for this one. */
TEST(shared_stuck, stuck_service_is_hung_up_on_and_no_other_device_takes_over)
{
    static const char *const both[] = {CPU, REFERENCE};
    struct small_run run = {0};

    REQUIRE(start());
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = isolated_compile(model, both, 2);
    REQUIRE(compilation != NULL);
    EXPECT(small_run_init(&run, compilation, true));
    run_until_right(&run);

    const pid_t host = shared_service_host(&service);
    isolated_stop(host);
    small_run_fill(&run, 1);
    const int code = ANeuralNetworksExecution_compute(run.execution);
    EXPECT(code == ANEURALNETWORKS_DEAD_OBJECT || code == ANEURALNETWORKS_UNAVAILABLE_DEVICE);
    kill(host, SIGCONT);
    run_until_right(&run);
    EXPECT(comes_back(&run, host));
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

TEST(shared_apps, next_inference_after_a_restart_of_the_service_is_right)
{
    struct small_run run = {0};

    REQUIRE(start());
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = compile_alone(model);
    REQUIRE(compilation != NULL);
    EXPECT(small_run_init(&run, compilation, true));
    run_until_right(&run);

    const uint32_t restarts = isolated_info(CPU).restart_count;
    kill(shared_service_host(&service), SIGKILL);
    EXPECT_INT(shared_service_end(&service, 0), 1);
    small_run_fill(&run, 1);
    const int code = ANeuralNetworksExecution_compute(run.execution);
    EXPECT(code == ANEURALNETWORKS_DEAD_OBJECT || code == ANEURALNETWORKS_UNAVAILABLE_DEVICE);

    REQUIRE(start());
    run_until_right(&run);
    EXPECT_INT(isolated_info(CPU).restart_count, restarts + 1);
    EXPECT_INT(isolated_info(CPU).process_id, shared_service_host(&service));
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

TEST(shared_apps, end_of_the_service_is_survived)
{
    struct small_run run = {0};

    REQUIRE(start());
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = compile_alone(model);
    REQUIRE(compilation != NULL);
    EXPECT(small_run_init(&run, compilation, true));
    run_until_right(&run);
    EXPECT_INT(shared_service_end(&service, SIGTERM), 0);
    EXPECT(ANeuralNetworksExecution_compute(run.execution) != ANEURALNETWORKS_NO_ERROR);
    REQUIRE(start());
    run_until_right(&run);
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}
