/* Events that depend on each other and on sync fences, inside this process and outside. */
#include "plan_fixture.h"
#include "runtime/execute/event.h"
#include "runtime/execute/fence.h"
#include "test.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};
static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};

static struct hy_compilation *compile_chain(void)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_RELU | FAKE_ADD);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    return compile(chain_model(), both, 2, false, NULL);
}

static bool is_chain_result(const float *output)
{
    bool same = true;
    for (uint32_t i = 0; i < EXTENT; i++)
        same &= output[i] == chain_result(input[i]);
    return same;
}

/* What poll says of a fence, waiting for at most `ms`; 0: nothing yet. */
static short look(int fd, int ms)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    return poll(&look, 1, ms) > 0 ? look.revents : 0;
}

enum { LONG = 10000 /* ms: only a failing test waits so long */ };

TEST(fence, of_ours_polls_readable_or_in_error)
{
    struct hy_fence good, bad;
    REQUIRE(hy_fence_create(&good, NULL) == HY_OK && hy_fence_create(&bad, NULL) == HY_OK);
    EXPECT_INT(look(good.fd, 0), 0);
    hy_fence_end(&good, true);
    hy_fence_end(&bad, false);
    EXPECT(look(good.fd, 0) & POLLIN);
    EXPECT(!(look(good.fd, 0) & (POLLERR | POLLNVAL)));
    EXPECT(look(bad.fd, 0) & POLLERR);
    EXPECT_INT(hy_fence_wait(good.fd, NULL), HY_OK);
    EXPECT_INT(hy_fence_wait(bad.fd, NULL), HY_FAILED);
    hy_fence_close(&good);
    hy_fence_close(&bad);
}

TEST(fence, an_event_of_a_fence_waits_for_it)
{
    struct hy_event *event = NULL;
    int fd = eventfd(0, EFD_CLOEXEC), copy = -1;
    enum hy_code code;
    REQUIRE(fd >= 0 && hy_event_from_fence(fd, &event, NULL) == HY_OK);
    EXPECT_INT(hy_event_get_fence(event, &copy, NULL), HY_OK);
    EXPECT(copy >= 0 && copy != fd);
    EXPECT(!hy_fence_is_over(copy, &code));
    EXPECT_INT(eventfd_write(fd, 1), 0);
    close(fd);
    EXPECT_INT(hy_event_wait(event, NULL), HY_OK);
    EXPECT_INT(hy_event_wait(event, NULL), HY_OK);
    close(copy);
    hy_event_destroy(event);
}

TEST(fence, a_closed_fd_is_bad_data)
{
    struct hy_error err;
    struct hy_event *event = NULL;
    EXPECT_INT(hy_event_from_fence(-1, &event, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "sync fence -1");
    EXPECT(event == NULL);
}

TEST(fence, a_pipe_without_a_writer_has_failed)
{
    int ends[2];
    struct hy_event *event = NULL;
    REQUIRE(pipe(ends) == 0 && hy_event_from_fence(ends[0], &event, NULL) == HY_OK);
    close(ends[0]);
    close(ends[1]);
    EXPECT_INT(hy_event_wait(event, NULL), HY_FAILED);
    hy_event_destroy(event);
}

TEST(fence, execution_starts_when_its_fence_is_signalled_and_signals_its_own)
{
    float output[EXTENT] = {0};
    struct hy_event *gate = NULL, *event = NULL;
    int fd = eventfd(0, EFD_CLOEXEC), own = -1;
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation && fd >= 0 && hy_event_from_fence(fd, &gate, NULL) == HY_OK);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);

    REQUIRE(hy_event_start_fenced(execution, &gate, 1, 0, &event, NULL) == HY_OK);
    hy_event_destroy(gate); /* not needed any more */
    REQUIRE(hy_event_get_fence(event, &own, NULL) == HY_OK);
    EXPECT_INT(look(own, 20), 0);
    EXPECT_INT(npu.runs + cpu.runs, 0);
    EXPECT_INT(hy_execution_state(execution), HY_EXECUTION_COMPUTING);

    EXPECT_INT(eventfd_write(fd, 1), 0);
    EXPECT_INT(look(own, LONG) & (POLLIN | POLLERR), POLLIN);
    EXPECT_INT(hy_event_wait(event, NULL), HY_OK);
    EXPECT(is_chain_result(output));
    hy_event_destroy(event);
    EXPECT(look(own, 0) & POLLIN);

    close(own);
    close(fd);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

enum { CHAIN = 10 };

struct chain {
    struct hy_compilation *compilation;
    struct hy_execution *executions[CHAIN];
    struct hy_event *events[CHAIN];
    float outputs[CHAIN][EXTENT];
    int gate;
};

/* Each waits for the one before it, the first for the gate. */
static bool start_chain(struct chain *chain)
{
    struct hy_event *before = NULL;

    memset(chain, 0, sizeof *chain);
    chain->gate = eventfd(0, EFD_CLOEXEC);
    chain->compilation = compile_chain();
    if (!chain->compilation || hy_event_from_fence(chain->gate, &before, NULL) != HY_OK)
        return false;
    struct hy_event *first = before;
    for (int i = 0; i < CHAIN; i++) {
        chain->executions[i] =
            execution_of(chain->compilation, input, (float *[]){chain->outputs[i]});
        if (!chain->executions[i] || hy_event_start_fenced(chain->executions[i], &before, 1, 0,
                                                           &chain->events[i], NULL) != HY_OK)
            return false;
        before = chain->events[i];
    }
    hy_event_destroy(first);
    return true;
}

static void free_chain(struct chain *chain)
{
    for (int i = 0; i < CHAIN; i++) {
        hy_event_destroy(chain->events[i]);
        hy_execution_release(chain->executions[i]);
    }
    hy_compilation_release(chain->compilation);
    close(chain->gate);
}

TEST(fence, chain_of_ten_over_two_devices)
{
    struct chain chain;
    REQUIRE(start_chain(&chain));
    EXPECT(chain.compilation->plan->step_count > 1);
    EXPECT_INT(eventfd_write(chain.gate, 1), 0);
    EXPECT_INT(hy_event_wait(chain.events[CHAIN - 1], NULL), HY_OK);
    for (int i = 0; i < CHAIN; i++) {
        EXPECT_INT(hy_event_wait(chain.events[i], NULL), HY_OK);
        EXPECT(is_chain_result(chain.outputs[i]));
    }
    free_chain(&chain);
}

TEST(fence, failed_dependency_fails_all_that_wait_for_it)
{
    struct hy_error err;
    struct chain chain;
    REQUIRE(start_chain(&chain));
    npu.execute_status = cpu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(eventfd_write(chain.gate, 1), 0);
    EXPECT_INT(hy_event_wait(chain.events[CHAIN - 1], &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "a dependency failed");
    for (int i = 0; i < CHAIN; i++) {
        EXPECT_INT(hy_event_wait(chain.events[i], NULL), HY_FAILED);
        EXPECT_INT(hy_execution_state(chain.executions[i]), HY_EXECUTION_FAILED);
    }
    int fd = -1;
    EXPECT_INT(hy_event_get_fence(chain.events[0], &fd, NULL), HY_OK);
    EXPECT(look(fd, 0) & POLLERR);
    close(fd);
    free_chain(&chain);
}

TEST(fence, dependency_that_has_failed_already_fails_the_call)
{
    float output[EXTENT];
    int ends[2];
    struct hy_error err;
    struct hy_event *gate = NULL, *event = NULL;
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation && pipe(ends) == 0);
    REQUIRE(hy_event_from_fence(ends[0], &gate, NULL) == HY_OK);
    close(ends[0]);
    close(ends[1]);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);
    EXPECT_INT(hy_event_start_fenced(execution, &gate, 1, 0, &event, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "dependency 0 has failed");
    EXPECT(event == NULL);
    EXPECT_INT(hy_execution_state(execution), HY_EXECUTION_FAILED);
    hy_event_destroy(gate);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(fence, without_dependencies_it_runs_at_once)
{
    float output[EXTENT] = {0};
    struct hy_event *event = NULL;
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);
    EXPECT_INT(hy_event_start_fenced(execution, NULL, 0, 0, &event, NULL), HY_OK);
    EXPECT_INT(hy_event_wait(event, NULL), HY_OK);
    EXPECT(is_chain_result(output));
    hy_event_destroy(event);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(fence, output_of_unknown_shape_is_bad_data_and_ends_the_execution)
{
    float output[EXTENT];
    struct hy_error err;
    struct hy_event *event = NULL;
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    struct hy_compilation *compilation =
        compile(dynamic_model(EXTENT, 0, 0), (struct fake_device *const[]){&cpu}, 1, false, NULL);
    REQUIRE(compilation);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);
    EXPECT_INT(hy_event_start_fenced(execution, NULL, 0, 0, &event, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "output 0");
    EXPECT_INT(hy_execution_state(execution), HY_EXECUTION_FAILED);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(fence, duration_needs_a_single_device_that_was_named)
{
    float output[EXTENT];
    struct hy_event *event = NULL;
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);
    EXPECT_INT(hy_event_start_fenced(execution, NULL, 0, 1000, &event, NULL), HY_BAD_DATA);
    EXPECT_INT(hy_execution_state(execution), HY_EXECUTION_FAILED);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(fence, duration_counts_from_the_moment_the_dependencies_are_over)
{
    float output[EXTENT];
    struct hy_event *event = NULL;
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    struct hy_compilation *compilation =
        compile(chain_model(), (struct fake_device *const[]){&cpu}, 1, true, NULL);
    REQUIRE(compilation);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);
    EXPECT_INT(hy_event_start_fenced(execution, NULL, 0, 1000000, &event, NULL), HY_OK);
    EXPECT_INT(hy_event_wait(event, NULL), HY_OK);
    EXPECT(cpu.last_deadline != HY_NO_DEADLINE);
    hy_event_destroy(event);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(fence, an_event_of_a_plain_start_has_none)
{
    float output[EXTENT];
    int fd = 7;
    struct hy_event *event = NULL;
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution && hy_event_start(execution, &event, NULL) == HY_OK);
    EXPECT_INT(hy_event_get_fence(event, &fd, NULL), HY_BAD_DATA);
    EXPECT_INT(fd, 7);
    hy_event_destroy(event);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}
